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

# Rooms of the web client, in TypeScript.
imports() {  # FILE MODULE
  rm -rf "$dir/tree"
  mkdir -p "$dir/tree/$(dirname "$1")"
  printf '// Comment.\nimport { a } from "%s";\n' "$2" >"$dir/tree/$1"
}
imports client/web/src/wire/input.ts ../core/bits.js
expect 0 "" "wire may import core"
imports client/web/src/wire/input.ts ./motion.js
expect 0 "" "a room may import itself"
imports client/web/src/wire/input.ts ../mirror/mirror.js
expect 1 'client/web/src/wire/input.ts:2: "../mirror/mirror.js": web/wire may not import web/mirror' "wire imports mirror"
imports client/web/src/client.ts ./connection/client.js
expect 0 "" "the entry may import connection"
imports client/web/src/client.ts ./session/session.js
expect 1 'client/web/src/client.ts:2: "./session/session.js": web/client.ts may not import web/session' "the entry imports session"
imports client/web/src/pipe/udp.ts node:dgram
expect 0 "" "UDP may import Node"
imports client/web/src/pipe/web_socket.ts node:net
expect 1 'client/web/src/pipe/web_socket.ts:2: "node:net": only for pipe/udp.ts pipe/node_web_socket.ts cache/folder.ts' "a browser's pipe imports Node"
imports client/web/src/core/bits.ts left-pad
expect 1 'client/web/src/core/bits.ts:2: "left-pad": not in the table of tests/layering.sh' "an unknown package"

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
  "<nlohmann/json.hpp>: only for index net server client/pipe token bots"
right client/bots/main.cpp "<CLI/CLI.hpp>"
wrong client/bots/run.cpp "<CLI/CLI.hpp>" "<CLI/CLI.hpp>: only for *main.cpp process/command_line.cpp process/settings.cpp server/host/config.cpp token client/pipe/access_options.cpp resource/compiler/compile_tool.cpp"
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

# Odd spacing does not hide an include. Tests may include anything. A tree without sources fails, and a table with a cycle.
tree shared/mobula/core/log.cpp "<vector>"
printf '  #  include<sodium.h>\n#\tinclude\t<mobula/net/udp.hpp>  // why not\n' >>"$dir/tree/shared/mobula/core/log.cpp"
expect 1 "shared/mobula/core/log.cpp:4: <mobula/net/udp.hpp>: core may not include net" "odd spacing"
tree shared/mobula/core/log.cpp "<vector>"
mkdir -p "$dir/tree/tests/core"
echo '#include <spdlog/spdlog.h>' >"$dir/tree/tests/core/log_test.cpp"
expect 0 "" "tests may include anything"
sed 's/^core$/core                 ecs/' "$checker" >"$dir/back.sh"
chmod +x "$dir/back.sh"
right_checker=$checker checker=$dir/back.sh
expect 2 "tests/layering.sh: core may not include ecs, which is not above it" "a cycle"
checker=$right_checker
rm -rf "$dir/tree" && mkdir "$dir/tree"
expect 2 "$dir/tree: there are no sources to read" "an empty tree"

((failed)) || echo "layering.sh reports wrong includes"
exit $failed
