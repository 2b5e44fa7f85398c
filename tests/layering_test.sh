#!/usr/bin/env bash
# Tests that layering.sh reports every kind of wrong include with file and line, and accepts right ones.
# Each case is a small tree in a temporary folder.
set -uo pipefail
checker=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/layering.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# tree FILE INCLUDE: creates a tree whose FILE includes INCLUDE in its second line.
tree() {
  rm -rf "$dir/tree"
  mkdir -p "$dir/tree/$(dirname "$1")"
  printf '#include <vector>\n#include %s\n' "$2" >"$dir/tree/$1"
}

expect() {  # STATUS OUTPUT CASE
  local output status
  output=$("$checker" "$dir/tree" 2>&1)
  status=$?
  if [[ $status == "$1" && $output == "$2" ]]; then return; fi
  printf 'FAILED: %s\n  expected %s: %s\n  got      %s: %s\n' "$3" "$1" "$2" "$status" "$output"
  failed=1
}

right() {
  tree "$1" "$2"
  expect 0 "" "$1 may include $2"
}
wrong() {
  tree "$1" "$2"
  expect 1 "$1:2: $3" "$1 includes $2"
}

right shared/mobula/core/log.cpp "<mobula/core/log.hpp>"
right shared/mobula/ecs/pool.hpp "<mobula/core/bytes.hpp>"
wrong shared/mobula/core/log.hpp "<mobula/ecs/pool.hpp>" "<mobula/ecs/pool.hpp>: core may not include ecs"
wrong shared/mobula/resource/spawner.hpp "<mobula/wire/messages.hpp>" \
  "<mobula/wire/messages.hpp>: resource may not include wire"
right shared/mobula/resource/compiler/scene.hpp "<mobula/resource/resource.hpp>"
wrong shared/mobula/resource/spawner.cpp "<mobula/resource/compiler/prefabs.hpp>" \
  "<mobula/resource/compiler/prefabs.hpp>: resource may not include resource/compiler"
right shared/mobula/net/udp.cpp "<mobula/transport/pipe.hpp>"
wrong shared/mobula/transport/session.cpp "<mobula/ecs/entity.hpp>" \
  "<mobula/ecs/entity.hpp>: transport may not include ecs"
wrong shared/mobula/transport/session.cpp "<mobula/net/udp.hpp>" "<mobula/net/udp.hpp>: transport may not include net"

# Rooms of TypeScript and JavaScript.
imports() {  # FILE MODULE
  rm -rf "$dir/tree"
  mkdir -p "$dir/tree/$(dirname "$1")"
  printf '// Comment.\nimport { a } from "%s";\n' "$2" >"$dir/tree/$1"
}
right_import() {
  imports "$1" "$2"
  expect 0 "" "$1 may import $2"
}
wrong_import() {
  imports "$1" "$2"
  expect 1 "$1:2: \"$2\": $3" "$1 imports $2"
}
unknown="not in the table of tests/layering.sh"

right_import client/web/src/wire/input.ts ../core/bits.js
right_import client/web/src/wire/input.ts ./motion.js
wrong_import client/web/src/wire/input.ts ../mirror/mirror.js "web/wire may not import web/mirror"
right_import client/web/src/client.ts ./connection/client.js
wrong_import client/web/src/client.ts ./session/session.js "web/client.ts may not import web/session"
right_import client/web/src/worker.ts ./client.js
wrong_import client/web/src/wire/input.ts ../client.js "web/wire may not import web/client.ts"
wrong_import client/web/src/wire/input.ts ../magic/wand.js "there is no room 'web/magic'"
right_import client/web/src/pipe/udp.ts node:dgram
wrong_import client/web/src/pipe/web_socket.ts node:net \
  "only for web/pipe/udp.ts web/pipe/node_web_socket.ts web/cache/folder.ts"
wrong_import client/web/src/core/bits.ts left-pad "$unknown"

right_import client/play/src/session/timeline.ts ../places.js
right_import client/play/src/world/village.ts ./creatures.js
wrong_import client/play/src/session/entrance.ts ../ui/notice.js "play/session may not import play/ui"
wrong_import client/play/src/world/village.ts ../session/timeline.js "play/world may not import play/session"
wrong_import client/play/src/ui/panel.ts ../game.js "play/ui may not import play/game.ts"
wrong_import client/play/src/session/bots.ts ../../../web/src/core/bytes.js "play/session may not import web/core"
right_import client/play/src/session/bots.ts ../../../web/demo/demo_commands.js
wrong_import client/play/src/view/stage.ts ../../../web/demo/demo_commands.js "only for play/session play/game.ts"
wrong_import client/play/src/view/stage.ts ../../../../schema/demo.js "$unknown"
right_import client/play/src/view/stage.ts three
wrong_import client/play/src/session/bots.ts three \
  "only for play/places.ts play/view play/world play/input play/ui/labels.ts play/game.ts"
right_import client/play/src/session/predicted_motion.ts @mobula/client/prediction
wrong_import client/play/src/ui/panel.ts @mobula/client/prediction "only for play/session"
wrong_import client/play/src/session/entrance.ts @mobula/client/node "$unknown"
wrong_import client/web/src/client.ts @mobula/client "only for play/places.ts play/session play/world play/ui play/game.ts"

right_import client/inspector/parts/facts.js ../core/dom.js
right_import client/inspector/app.js ./views/index.js
wrong_import client/inspector/core/token.js ../parts/dialog.js "inspector/core may not import inspector/parts"
wrong_import client/inspector/parts/table.js ../map/camera.js "inspector/parts may not import inspector/map"
wrong_import client/inspector/views/index.js ../app.js "inspector/views may not import inspector/app.js"
right_import client/inspector/parts/chart.js ../vendor/uplot/uPlot.esm.js
wrong_import client/inspector/views/map.js ../vendor/uplot/uPlot.esm.js "only for inspector/parts/chart.js"
wrong_import client/inspector/views/map.js three "only for play/places.ts play/view play/world play/input play/ui/labels.ts play/game.ts"

imports client/inspector/magic/wand.js ./hat.js
expect 1 "client/inspector/magic/wand.js:2: room 'inspector/magic' is not in the table of tests/layering.sh" "an unknown room"
imports client/inspector/vendor/uplot/uPlot.esm.js ./other.js
mkdir -p "$dir/tree/client/inspector/core"
echo "import {h} from './dom.js';" >"$dir/tree/client/inspector/core/theme.js"
expect 0 "" "packages of others import what they like"

# Each form of an import is read.
form() {  # LINES
  rm -rf "$dir/tree"
  mkdir -p "$dir/tree/client/inspector/core"
  printf "%b\n" "$1" >"$dir/tree/client/inspector/core/token.js"
  expect 1 "client/inspector/core/token.js:$(wc -l <"$dir/tree/client/inspector/core/token.js"): \"../parts/dialog.js\": inspector/core may not import inspector/parts" "$1"
}
form "import {a} from '../parts/dialog.js';"
form "import a from\t\"../parts/dialog.js\";"
form "import * as a from '../parts/dialog.js';"
form "import '../parts/dialog.js';"
form "import {\n  a,\n} from '../parts/dialog.js';"
form "export {a} from '../parts/dialog.js';"
form "export * from '../parts/dialog.js';"
form "const a = await import('../parts/dialog.js');"

# Rooms of server and client: separate from each other, without cycles, games behind the public interface.
right server/mobula/server/session/server.cpp "<mobula/server/game/game.hpp>"
wrong server/mobula/server/game/world.cpp "<mobula/server/session/server.hpp>" \
  "<mobula/server/session/server.hpp>: server/game may not include server/session"
wrong server/mobula/server/host/worlds.cpp "<mobula/client/mirror/mirror.hpp>" \
  "<mobula/client/mirror/mirror.hpp>: server/host may not include client/mirror"
wrong client/mobula/client/mirror/mirror.cpp "<mobula/server/game/world.hpp>" \
  "<mobula/server/game/world.hpp>: client/mirror may not include server/game"
wrong shared/mobula/net/udp.cpp "<mobula/server/game/world.hpp>" \
  "<mobula/server/game/world.hpp>: net may not include server/game"
right shared/mobula/hierarchy/links.cpp "<mobula/schema/engine.hpp>"
wrong shared/mobula/hierarchy/links.cpp "<mobula/resource/spawner.hpp>" \
  "<mobula/resource/spawner.hpp>: hierarchy may not include resource"
right server/examples/demo/mobs.cpp "<mobula/server/game/world.hpp>"
right server/examples/demo/main.cpp "<examples/demo/mobs.hpp>"
wrong server/mobula/server/game/world.cpp "<examples/demo/mobs.hpp>" \
  "<examples/demo/mobs.hpp>: server/game may not include examples/demo"
wrong server/examples/demo/mobs.cpp "<mobula/net/udp.hpp>" "<mobula/net/udp.hpp>: examples/demo may not include net"
wrong client/bots/main.cpp "<examples/demo/mobs.hpp>" "<examples/demo/mobs.hpp>: bots may not include examples/demo"

# Generated headers.
right shared/mobula/wire/messages.cpp "<mobula/schema/wire_generated.h>"
wrong shared/mobula/ecs/pool.cpp "<mobula/schema/wire_generated.h>" \
  "<mobula/schema/wire_generated.h>: only for reflect resource wire server examples demo lobby"
right server/examples/demo/mobs.hpp "<mobula/schema/components.hpp>"
wrong client/mobula/client/mirror/mirror.cpp "<mobula/schema/components.hpp>" \
  "<mobula/schema/components.hpp>: only for examples demo lobby"

# Libraries in their rooms.
right shared/mobula/process/log_output.cpp "<spdlog/spdlog.h>"
wrong server/examples/demo/main.cpp "<spdlog/spdlog.h>" "<spdlog/spdlog.h>: only for process"
right shared/mobula/core/format.hpp "<fmt/format.h>"
wrong shared/mobula/core/log.hpp "<fmt/format.h>" "<fmt/format.h>: only for core/format.hpp"
wrong shared/mobula/wire/messages.cpp "<sodium.h>" "<sodium.h>: only for core"
wrong shared/mobula/ecs/prototype.cpp "<xxhash.h>" "<xxhash.h>: only for core"
right shared/mobula/net/udp.cpp "<boost/asio/ip/udp.hpp>"
wrong server/examples/demo/main.cpp "<boost/asio.hpp>" "<boost/asio.hpp>: only for net server/admin"
right server/mobula/server/store/remembered_impl.hpp "<boost/unordered/unordered_flat_map.hpp>"
wrong shared/mobula/index/name_table.cpp "<boost/unordered/unordered_flat_map.hpp>" \
  "<boost/unordered/unordered_flat_map.hpp>: only for server/store/remembered_impl.hpp"
wrong shared/mobula/wire/messages.cpp "<rapidjson/reader.h>" "<rapidjson/reader.h>: only for resource/compiler"
wrong shared/mobula/resource/compiler/json.cpp "<nlohmann/json.hpp>" \
  "<nlohmann/json.hpp>: only for index net server client/pipe token cluster bots"
right client/bots/main.cpp "<CLI/CLI.hpp>"
wrong client/bots/run.cpp "<CLI/CLI.hpp>" "<CLI/CLI.hpp>: only for *main.cpp process/command_line.cpp process/settings.cpp server/host/config.cpp token cluster client/pipe/access_options.cpp resource/compiler/compile_tool.cpp"
wrong shared/mobula/index/names.cpp "<flatbuffers/flatbuffers.h>" \
  "<flatbuffers/flatbuffers.h>: only for reflect resource wire server/game c examples"
wrong client/mobula/client/mirror/mirror.cpp "<sqlite3.h>" "<sqlite3.h>: only for server/store"
wrong server/examples/demo/main.cpp "<sys/socket.h>" "<sys/socket.h>: only for net c/udp_socket.cpp"

# Threads and files, which a client does without.
right shared/mobula/process/log_queue.hpp "<mutex>"
right shared/mobula/core/log.cpp "<atomic>"
wrong shared/mobula/core/log.cpp "<mutex>" "<mutex>: only for process net server client/pipe bots"
wrong client/mobula/client/connection/connection.cpp "<fstream>" \
  "<fstream>: only for process resource/compiler net server token client/files headless *main.cpp"
wrong client/mobula/client/connection/connection.cpp "<mobula/process/complete_files.hpp>" \
  "<mobula/process/complete_files.hpp>: client/connection may not include process"

# Headers in no table, and other forms of includes.
wrong shared/mobula/core/log.cpp "<zlib.h>" "<zlib.h>: not in the table of tests/layering.sh"
wrong shared/mobula/ecs/pool.cpp "<mobula/magic/wand.hpp>" "<mobula/magic/wand.hpp>: there is no room 'magic'"
wrong shared/mobula/core/log.cpp '"log.hpp"' "#include \"log.hpp\": write <mobula/ROOM/file.hpp>"
wrong shared/mobula/core/log.cpp '"../ecs/pool.hpp"' "#include \"../ecs/pool.hpp\": write <mobula/ROOM/file.hpp>"
tree shared/mobula/magic/wand.hpp "<string>"
expect 1 "shared/mobula/magic/wand.hpp:1: room 'magic' is not in the table of tests/layering.sh
shared/mobula/magic/wand.hpp:2: room 'magic' is not in the table of tests/layering.sh" "an unknown room"

# The length of files, of any language and folder.
tree shared/mobula/core/log.cpp "<vector>"
mkdir -p "$dir/tree/tests/page" "$dir/tree/client/c" "$dir/tree/client/web/node_modules/x"
yes '// Line.' | head -n 450 >"$dir/tree/tests/page/page_test.ts"
yes '// Line.' | head -n 451 | tee "$dir/tree/client/c/mobula_client.h" >"$dir/tree/client/web/node_modules/x/long.js"
expect 0 "" "450 lines, the C interface, and packages of others"
echo '// Line.' >>"$dir/tree/tests/page/page_test.ts"
expect 1 "tests/page/page_test.ts:451: the file is longer than 450 lines" "451 lines"
rm "$dir/tree/tests/page/page_test.ts"
yes '# Line.' | head -n 451 >"$dir/tree/dev"
expect 1 "dev:451: the file is longer than 450 lines" "451 lines of dev"

# Odd spacing does not hide an include. Tests may include anything. A tree without sources fails, and a table with a cycle.
tree shared/mobula/core/log.cpp "<vector>"
printf '  #  include<sodium.h>\n#\tinclude\t<mobula/net/udp.hpp>  // why not\n' >>"$dir/tree/shared/mobula/core/log.cpp"
expect 1 "shared/mobula/core/log.cpp:4: <mobula/net/udp.hpp>: core may not include net" "odd spacing"
tree shared/mobula/core/log.cpp "<vector>"
mkdir -p "$dir/tree/tests/core"
echo '#include <spdlog/spdlog.h>' >"$dir/tree/tests/core/log_test.cpp"
expect 0 "" "tests may include anything"
cycle() {  # ROOM BELOW: a table whose ROOM may include BELOW, which may include ROOM
  local right_checker=$checker
  checker=$dir/back.sh
  sed -E "s#^$1( .*)?\$#&  $2#" "$right_checker" >"$checker"
  chmod +x "$checker"
  expect 2 "tests/layering.sh: $1 may not include $2, which is not above it" "$2 and $1 include each other"
  checker=$right_checker
}
cycle core ecs
cycle web/reflect web/wire
cycle play/session play/ui
cycle inspector/core inspector/parts
rm -rf "$dir/tree" && mkdir "$dir/tree"
expect 2 "$dir/tree: there are no sources to read" "an empty tree"

((failed)) || echo "layering.sh reports wrong includes"
exit $failed
