#!/usr/bin/env bash
# Checks the includes and imports between rooms, and the length of files: tests/layering.sh ROOT
# Reads every source below ROOT's shared, server and client and prints each wrong one as file:line: reason. Status 1
# if there is one, 2 if there are no sources or the table has a cycle. tests and bench may include anything.
set -euo pipefail

# A room, then the rooms that it may include besides itself, all of them above it. The room of
# {shared,server,client}/mobula/ROOM/… is ROOM, that of a program (server/token, client/bots) its folder. The table
# `roots` names the rooms of TypeScript and JavaScript.
rooms='
core
process              core
ecs                  core
reflect              core ecs
hierarchy            core ecs
index                core ecs reflect
resource             core ecs reflect hierarchy index
resource/files       core process resource
resource/compiler    core process ecs reflect hierarchy index resource resource/files
wire                 core ecs reflect index resource
prediction           core ecs reflect resource wire
rules_module         core ecs prediction resource
rules_module/headers/mobula/core
rules_module/headers/mobula/ecs        core ecs rules_module
rules_module/headers/mobula/prediction core ecs prediction
rules_module/headers/mobula/resource   resource rules_module
transport            core
transport/simulation core transport
net                  core process transport
server/tick          core ecs
server/store         core process ecs reflect
server/cluster       core transport net
server/agones        core net
server/admin         core transport net
server/web           core process transport net server/admin
server/interest      core ecs hierarchy
server/game          core ecs reflect hierarchy index resource wire prediction transport server/store server/interest
server/replication   core ecs reflect index resource wire transport server/tick server/interest server/game
server/rewind        core ecs reflect hierarchy wire transport server/game server/replication
server/session       core process ecs reflect resource wire transport server/tick server/store server/interest server/game server/replication server/rewind
server/api           core process ecs reflect hierarchy index wire net transport server/tick server/store server/admin server/interest server/game server/replication server/rewind server/session
client/mirror        core ecs reflect hierarchy index wire
client/connection    core ecs reflect resource wire transport client/mirror
server/zones         core ecs reflect hierarchy wire transport client/mirror client/connection server/interest
server/host          core process ecs reflect transport net resource/files server/tick server/store server/cluster server/agones server/admin server/web server/interest server/game server/session server/api server/zones client/connection
client/prediction    core ecs reflect index wire prediction client/mirror client/connection
c                    core ecs reflect hierarchy index resource wire prediction transport client/mirror client/connection client/prediction
client/files         core process resource resource/files client/connection
client/pipe          core process resource prediction transport transport/simulation net client/mirror client/connection client/prediction client/files
token                core process transport net
cluster              core process transport net server/cluster server/admin server/zones
examples/arena
examples/tutorial
examples/demo/rules  core ecs hierarchy resource prediction
examples/demo        core ecs reflect hierarchy index resource resource/compiler prediction server/interest server/game server/rewind server/host examples/demo/rules
examples/lobby       core ecs reflect hierarchy index server/interest server/game server/host
demo                 core reflect client/prediction
headless             core process ecs index reflect prediction net client/mirror client/connection client/prediction client/files client/pipe examples/demo/rules demo
bots                 core process reflect prediction transport transport/simulation net client/mirror client/connection client/prediction client/pipe examples/demo/rules demo
lobby                core process net client/mirror client/connection client/pipe
web/core
web/session          web/core
web/reflect          web/core
web/wire             web/core web/reflect
web/resource         web/core web/reflect
web/mirror           web/core web/reflect web/wire web/resource
web/message          web/core
web/messages.ts      web/core web/message
web/pipe             web/core web/session
web/connection       web/core web/session web/reflect web/wire web/mirror web/resource web/pipe
web/prediction       web/core web/reflect web/wire web/resource web/mirror web/connection
web/cache            web/core web/connection
web/level-cache.ts   web/connection web/cache
web/worker           web/core web/reflect web/mirror web/connection
web/rules_module     web/core web/reflect web/resource web/prediction
web/client.ts        web/core web/mirror web/connection web/pipe
web/prediction.ts    web/core web/resource web/connection web/prediction
web/worker.ts        web/worker web/client.ts
web/rules_module.ts  web/rules_module
web/node.ts          web/connection web/cache web/pipe web/client.ts
play/places.ts
play/session         play/places.ts
play/view
play/world           play/places.ts play/view
play/input
play/ui              play/session play/world
play/game.ts         play/session play/view play/world play/input play/ui
play/main.ts         play/ui play/game.ts
inspector/core
inspector/parts      inspector/core
inspector/map        inspector/core inspector/parts
inspector/views      inspector/core inspector/parts inspector/map
inspector/app.js     inspector/core inspector/parts inspector/views
inspector/cluster.js inspector/core inspector/parts inspector/views
server.hpp           core process ecs prediction server/interest server/game server/host
client.hpp           core ecs net client/mirror client/connection client/prediction client/files client/pipe
'

# Pattern of a generated or foreign header, then where it may be included: folders or patterns of paths.
# The first matching row counts. A header without a row is refused, so a new library needs a row here. Headers of the
# standard library need no row. Those that have one use threads or files, which the rooms of a client do without.
others='
arena/components.hpp         examples/arena
orchard/components.hpp       examples/tutorial
mobula/server.hpp            examples
mobula/client.hpp            examples
mobula/schema/*_generated.h  reflect resource wire server examples demo lobby
mobula/schema/engine.hpp     hierarchy index resource prediction server client/mirror client/prediction examples server.hpp client.hpp
mobula/schema/*              examples demo lobby
flatbuffers/*                reflect resource wire server/game c examples
spdlog/*                     process
fast_float/*                 core/from_chars.cpp
fmt/*                        core/format.hpp
sodium.h                     core
xxhash.h                     core
xxh_x86dispatch.h            core
boost/asio*                  net server/admin
boost/beast*                 net server/admin server/web
boost/unordered/*            server/store/remembered_impl.hpp
boost/*                      net server/admin
rapidjson/*                  resource/compiler
nlohmann/*                   index net server client/pipe token cluster bots
CLI/*                        *main.cpp process/command_line.cpp process/settings.cpp server/host/config.cpp token cluster client/pipe/access_options.cpp resource/compiler/compile_tool.cpp
sqlite3.h                    server/store
prometheus/*                 server/api
sys/socket.h                 net c/udp_socket.cpp
netinet/*                    net c/udp_socket.cpp
arpa/*                       net c/udp_socket.cpp
netdb.h                      net c/udp_socket.cpp
winsock2.h                   c/udp_socket.cpp
ws2tcpip.h                   c/udp_socket.cpp
ifaddrs.h                    net
net/if.h                     net
openssl/*                    net
poll.h                       process net c/udp_socket.cpp
pthread.h                    c/process.cpp
sys/*                        process net server client/files client/pipe token headless bots lobby
execinfo.h                   process
signal.h                     process
time.h                       process
unistd.h                     process net server c/udp_socket.cpp client/files client/pipe token headless bots lobby
fcntl.h                      process net server c/udp_socket.cpp client/files client/pipe token headless bots lobby
stdint.h                     c
thread                       process net server client/pipe bots
mutex                        process net server client/pipe bots
shared_mutex                 process net server client/pipe bots
condition_variable           process net server client/pipe bots
future                       process net server client/pipe bots
filesystem                   process resource/compiler net server token cluster client/files headless *main.cpp
fstream                      process resource/compiler net server token client/files headless *main.cpp
iostream                     process server *main.cpp
'

# Folders of TypeScript and JavaScript, then what their rooms begin with: that of FOLDER/ROOM/… and of the file
# FOLDER/ROOM is NAME/ROOM.
roots='
client/web/src    web
client/play/src   play
client/inspector  inspector
'

# Pattern of a package, of a module of Node or of a file outside the rooms, then where it may be imported, as in `others`.
# Browsers load no module of Node.
modules='
@noble/ciphers/*              web/session
node:*                        web/pipe/udp.ts web/pipe/node_web_socket.ts web/cache/folder.ts
three                         play/places.ts play/view play/world play/input play/ui/labels.ts play/game.ts
@mobula/client                play/places.ts play/session play/world play/ui play/game.ts
@mobula/client/messages       play/session play/game.ts
@mobula/client/level-cache    play/session/entrance.ts
@mobula/client/prediction     play/session
@mobula/client/rules-module   play/session/demo_rules.ts
client/web/demo/*             play/session play/game.ts
client/inspector/vendor/*     inspector/parts/chart.js
'

programs=' c examples token cluster demo headless bots lobby '  # folders whose headers are included without mobula/

root=${1:?usage: tests/layering.sh ROOT}
cd "$root"
set -f
declare -A may_include
above=' '
while read -r room below; do
  [[ $room ]] || continue
  for each in $below; do
    if [[ $above != *" $each "* ]]; then
      echo "tests/layering.sh: $room may not include $each, which is not above it" >&2
      exit 2
    fi
  done
  may_include[$room]=" $below "
  above+="$room "
done <<<"$rooms"

found=0
wrong() {
  printf '%s:%s: %s\n' "$file" "$line" "$1"
  found=1
}

# Sets `room` to that of a path such as server/game/world.hpp: its longest folder with a row.
room_of() {
  room=${1%/*}
  while [[ ! ${may_include[$room]+x} && $room == */* ]]; do room=${room%/*}; done
  [[ ${may_include[$room]+x} ]] || room=${1%/*}
}

# check_room ROOM SHOWN VERB: `room` may use ROOM, which the source names as SHOWN.
check_room() {
  if [[ ! ${may_include[$1]+x} ]]; then
    wrong "$2: there is no room '$1'"
  elif [[ $room != "$1" && ${may_include[$room]} != *" $1 "* ]]; then
    wrong "$2: $room may not $3 $1"
  fi
}

# check_places NAME SHOWN TABLE: `path` may use NAME by the first row of TABLE that matches. Status 1 if there is none.
check_places() {
  local pattern places place
  while read -r pattern places; do
    [[ $pattern && $1 == $pattern ]] || continue
    for place in $places; do
      if [[ $path == $place || $path == "$place"/* ]]; then return 0; fi
    done
    wrong "$2: only for $places"
    return 0
  done <<<"$3"
  return 1
}

check_own() {
  local from=$room to
  room_of "$1" && to=$room
  room=$from
  check_room "$to" "<$2>" include
}

check_other() {
  check_places "$1" "<$1>" "$others" || [[ $1 != *[./]* ]] ||  # others are of the standard library
    wrong "<$1>: not in the table of tests/layering.sh"
}

has_sources=0
while IFS=: read -r file line text; do
  has_sources=1
  path=${file#*/}
  path=${path#mobula/}
  room_of "$path"
  if [[ ! ${may_include[$room]+x} ]]; then
    wrong "room '$room' is not in the table of tests/layering.sh"
  elif [[ $text =~ include[[:space:]]*\<(mobula/schema/[^\>]*)\> ]]; then
    check_other "${BASH_REMATCH[1]}"
  elif [[ $text =~ include[[:space:]]*\<(mobula/)?(([a-z_]+)/[^\>]*)\> &&
    (${BASH_REMATCH[1]} || $programs == *" ${BASH_REMATCH[3]} "*) ]]; then
    check_own "${BASH_REMATCH[2]}" "${BASH_REMATCH[1]}${BASH_REMATCH[2]}"
  elif [[ $text =~ include[[:space:]]*\<([^\>]*)\> ]]; then
    check_other "${BASH_REMATCH[1]}"
  else
    wrong "${text#"${text%%[![:space:]]*}"}: write <mobula/ROOM/file.hpp>"
  fi
done < <(grep -rnE --include='*.[ch]pp' --include='*.h' --include='*.cc' '^[[:space:]]*#[[:space:]]*include' \
  shared server client 2>/dev/null | sort -t: -k1,1 -k2,2n)

# Sets `below_root` to NAME/… of a file below a root, and `its_room` to its room. Both are empty if no root has it.
locate() {
  local folder name
  below_root='' its_room=''
  while read -r folder name; do
    [[ $folder && $1 == "$folder"/* ]] || continue
    below_root=$name/${1#"$folder"/}
    its_room=${below_root#*/}
    its_room=$name/${its_room%%/*}
  done <<<"$roots"
  [[ ! $its_room || ${may_include[$its_room]+x} ]] || its_room=${its_room/%.js/.ts}  # a compiled file's name
}

# Sets `target` to the path of a module ./… or ../… that `file` imports.
resolve() {
  local before
  target=${file%/*}/$1
  target=${target//\/.\//\/}
  while [[ $target == */../* ]]; do
    before=${target%%/../*}
    target=${before%/*}/${target#*/../}
  done
}

# check_import MODULE: a path that begins with a dot, or a package.
check_import() {
  target=$1 its_room=''
  if [[ $1 == .* ]]; then
    resolve "$1"
    locate "$target"
  fi
  if [[ ${may_include[${its_room:-none}]+x} ]]; then
    check_room "$its_room" "\"$1\"" import
  elif check_places "$target" "\"$1\"" "$modules"; then
    return
  elif [[ $its_room ]]; then
    wrong "\"$1\": there is no room '$its_room'"
  else
    wrong "\"$1\": not in the table of tests/layering.sh"
  fi
}

# Imports and exports of another module, whose last line alone counts, and import("…").
import_pattern="^[[:space:]]*(import|export|\})[^='\"]*[[:space:]]from[[:space:]]*['\"]|^[[:space:]]*import[[:space:]]*['\"]|\bimport\(['\"]"
module_pattern="(from|import)[[:space:]]*\(?['\"]([^'\"]*)['\"]"
while IFS=: read -r file line text; do
  has_sources=1
  locate "$file"
  path=$below_root room=$its_room
  if [[ ! ${may_include[$room]+x} ]]; then
    wrong "room '$room' is not in the table of tests/layering.sh"
  elif [[ $text =~ $module_pattern ]]; then
    check_import "${BASH_REMATCH[2]}"
  fi
done < <(grep -rnE --include='*.ts' --include='*.js' --exclude-dir=vendor "$import_pattern" \
  $(while read -r folder _; do echo "$folder"; done <<<"$roots") 2>/dev/null | sort -t: -k1,1 -k2,2n)

# Files have at most this many lines. The C interface is one header, which hosts copy.
lines_max=450
while read -r line file; do
  [[ $file == total || $file == client/c/mobula_client.h ]] || ((line <= lines_max)) ||
    wrong "the file is longer than $lines_max lines"
done < <(find dev shared schema server client tests bench cmake docs/tools -type d \( -name node_modules -o -name vendor \) -prune -o \
  -type f -regex 'dev\|.*\.\([ch]pp\|[ch]\|cs\|ts\|m?js\|py\|sh\|cmake\)' -exec wc -l {} + 2>/dev/null | sort -k2)

if ((!has_sources)); then
  echo "$root: there are no sources to read" >&2
  exit 2
fi
exit $found
