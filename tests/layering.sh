#!/usr/bin/env bash
# Who may include what: tests/layering.sh ROOT
# Reads every source below ROOT's shared, schema, server and client; names each wrong include as
# file:line: reason, and ends with 1 if there was one, 2 if there was nothing to read. tests and bench are free.
set -euo pipefail

# Folder, then the folders whose <mobula/FOLDER/…> it may include besides its own.
folders='
core
ecs          core
reflect      core ecs
schema       core ecs reflect
hierarchy    core ecs
index        core ecs reflect
resource     core ecs reflect hierarchy index
wire         core ecs reflect index resource
transport    core
net          core transport
server/lobby core ecs reflect hierarchy index resource server
server/game  core ecs reflect hierarchy index resource server
server/store core ecs reflect
server       core ecs reflect hierarchy index resource wire transport net server/store
client       core ecs reflect index resource wire transport net
'

# Pattern of a header that is generated or not ours, then where it may be used: a folder or a pattern of paths.
# The first row that fits counts. A header in no row is refused: a new library begins with a row here.
others='
mobula/schema/*_generated.h  reflect resource wire server client
mobula/schema/engine.hpp     hierarchy index resource server
mobula/schema/*              server/game server/lobby client/lobby
flatbuffers/*                reflect schema resource wire server client
spdlog/*                     core
fmt/*                        core/format.hpp
sodium.h                     core
xxhash.h                     core
xxh_x86dispatch.h            core
boost/asio*                  net server/admin
boost/beast*                 net server/admin
boost/unordered/*            *.cpp server/store/remembered_impl.hpp
boost/*                      net server/admin *.cpp
rapidjson/*                  resource
nlohmann/*                   index net server client
CLI/*                        *main.cpp core/command_line.cpp core/settings.cpp server/config.cpp server/token_tool.cpp client/access_options.cpp resource/compile_tool.cpp
sqlite3.h                    server/store
prometheus/*                 server
sys/socket.h                 net
netinet/*                    net
arpa/*                       net
netdb.h                      net
ifaddrs.h                    net
net/if.h                     net
openssl/*                    net
poll.h                       net
sys/*                        core resource net server client
unistd.h                     core resource net server client
fcntl.h                      core resource net server client
'

root=${1:?usage: tests/layering.sh ROOT}
cd "$root"
set -f
declare -A may_include
while read -r folder below; do
  [[ ! $folder ]] || may_include[$folder]=" $below "
done <<<"$folders"

found=0
wrong() {
  printf '%s:%s: %s\n' "$file" "$line" "$1"
  found=1
}

# The row of a path such as server/game/world.hpp: the longest folder that has one.
row_of() {
  row=${1%/*}
  while [[ ! ${may_include[$row]+x} && $row == */* ]]; do row=${row%/*}; done
  [[ ${may_include[$row]+x} ]] || row=${1%%/*}
}

# A program's main may put the parts of its own folder together.
check_own() {
  local from to
  row_of "$path" && from=$row
  row_of "$1" && to=$row
  if [[ ! ${may_include[$to]+x} ]]; then
    wrong "<mobula/$1>: there is no folder '$to'"
  elif [[ $from != "$to" && ${may_include[$from]} != *" $to "* && ! ($path == "${to%%/*}"/*main.cpp) ]]; then
    wrong "<mobula/$1>: $from may not include $to"
  fi
}

check_other() {
  local pattern places place
  [[ $1 == *[./]* ]] || return 0  # of the standard library
  while read -r pattern places; do
    if [[ $pattern && $1 == $pattern ]]; then
      for place in $places; do
        if [[ $path == $place || $path == "$place"/* ]]; then return 0; fi
      done
      wrong "<$1>: only for $places"
      return 0
    fi
  done <<<"$others"
  wrong "<$1>: not in the table of tests/layering.sh"
}

read_any=0
while IFS=: read -r file line text; do
  read_any=1
  path=${file#shared/}
  row_of "$path"
  if [[ ! ${may_include[$row]+x} ]]; then
    wrong "folder '$row' is not in the table of tests/layering.sh"
  elif [[ $text =~ include[[:space:]]*\<(mobula/schema/[^\>]*)\> ]]; then
    check_other "${BASH_REMATCH[1]}"
  elif [[ $text =~ include[[:space:]]*\<mobula/([^\>]*)\> ]]; then
    check_own "${BASH_REMATCH[1]}"
  elif [[ $text =~ include[[:space:]]*\<([^\>]*)\> ]]; then
    check_other "${BASH_REMATCH[1]}"
  else
    wrong "${text#"${text%%[![:space:]]*}"}: write <mobula/FOLDER/file.hpp>"
  fi
done < <(grep -rnE --include='*.[ch]pp' --include='*.h' --include='*.cc' '^[[:space:]]*#[[:space:]]*include' \
  shared schema server client 2>/dev/null | sort -t: -k1,1 -k2,2n)

if ((!read_any)); then
  echo "$root: no sources to read" >&2
  exit 2
fi
exit $found
