#!/usr/bin/env bash
# layering.sh names every kind of wrong include, with file and line, and lets the right ones pass.
# Each case is a small tree of its own in a temporary folder.
set -uo pipefail
checker=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/layering.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# tree FILE INCLUDE: a tree whose FILE includes INCLUDE in its second line.
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

right shared/core/log.cpp "<mobula/core/log.hpp>"
right shared/ecs/pool.hpp "<mobula/core/bytes.hpp>"
wrong shared/core/log.hpp "<mobula/ecs/pool.hpp>" "<mobula/ecs/pool.hpp>: core may not include ecs"
wrong shared/resource/spawner.hpp "<mobula/wire/messages.hpp>" \
  "<mobula/wire/messages.hpp>: resource may not include wire"
right shared/net/udp.cpp "<mobula/transport/pipe.hpp>"
wrong shared/transport/session.cpp "<mobula/ecs/entity.hpp>" "<mobula/ecs/entity.hpp>: transport may not include ecs"
wrong shared/transport/session.cpp "<mobula/net/udp.hpp>" "<mobula/net/udp.hpp>: transport may not include net"

# Programs: apart from each other, below nothing of shared, the game behind the public interface.
wrong server/session.cpp "<mobula/client/mirror.hpp>" "<mobula/client/mirror.hpp>: server may not include client"
wrong client/mirror.cpp "<mobula/server/world.hpp>" "<mobula/server/world.hpp>: client may not include server"
wrong shared/net/udp.cpp "<mobula/server/world.hpp>" "<mobula/server/world.hpp>: net may not include server"
right shared/hierarchy/links.cpp "<mobula/schema/engine.hpp>"
wrong shared/hierarchy/links.cpp "<mobula/resource/spawner.hpp>" \
  "<mobula/resource/spawner.hpp>: hierarchy may not include resource"
right server/game/mobs.cpp "<mobula/server/world.hpp>"
right server/main.cpp "<mobula/server/game/game.hpp>"
wrong server/world.cpp "<mobula/server/game/game.hpp>" \
  "<mobula/server/game/game.hpp>: server may not include server/game"
wrong server/game/mobs.cpp "<mobula/net/udp.hpp>" "<mobula/net/udp.hpp>: server/game may not include net"
wrong client/bots_main.cpp "<mobula/server/game/game.hpp>" \
  "<mobula/server/game/game.hpp>: client may not include server/game"

# Generated headers.
right shared/wire/messages.cpp "<mobula/schema/wire_generated.h>"
wrong shared/ecs/pool.cpp "<mobula/schema/wire_generated.h>" \
  "<mobula/schema/wire_generated.h>: only for reflect resource wire server client"
right server/game/mobs.hpp "<mobula/schema/components.hpp>"
wrong client/mirror.cpp "<mobula/schema/components.hpp>" \
  "<mobula/schema/components.hpp>: only for server/game server/lobby client/lobby"

# Libraries in their folders.
right shared/core/log.cpp "<spdlog/spdlog.h>"
wrong server/main.cpp "<spdlog/spdlog.h>" "<spdlog/spdlog.h>: only for core"
right shared/core/format.hpp "<fmt/format.h>"
wrong shared/core/log.hpp "<fmt/format.h>" "<fmt/format.h>: only for core/format.hpp"
wrong shared/wire/messages.cpp "<sodium.h>" "<sodium.h>: only for core"
wrong shared/ecs/prototype.cpp "<xxhash.h>" "<xxhash.h>: only for core"
right shared/net/udp.cpp "<boost/asio/ip/udp.hpp>"
wrong server/main.cpp "<boost/asio.hpp>" "<boost/asio.hpp>: only for net server/admin"
right shared/index/name_table.cpp "<boost/unordered/unordered_flat_map.hpp>"
wrong shared/index/name_table.hpp "<boost/unordered/unordered_flat_map.hpp>" \
  "<boost/unordered/unordered_flat_map.hpp>: only for *.cpp server/store/remembered_impl.hpp"
wrong shared/wire/messages.cpp "<rapidjson/reader.h>" "<rapidjson/reader.h>: only for resource"
wrong shared/resource/json.cpp "<nlohmann/json.hpp>" "<nlohmann/json.hpp>: only for index net server client"
right client/bots_main.cpp "<CLI/CLI.hpp>"
wrong client/bots.cpp "<CLI/CLI.hpp>" "<CLI/CLI.hpp>: only for *main.cpp core/command_line.cpp core/settings.cpp server/config.cpp server/token_tool.cpp client/access_options.cpp resource/compile_tool.cpp"
wrong shared/index/names.cpp "<flatbuffers/flatbuffers.h>" \
  "<flatbuffers/flatbuffers.h>: only for reflect schema resource wire server client"
wrong client/mirror.cpp "<sqlite3.h>" "<sqlite3.h>: only for server/store"
wrong server/main.cpp "<sys/socket.h>" "<sys/socket.h>: only for net"

# What no table knows, and other forms.
wrong shared/core/log.cpp "<zlib.h>" "<zlib.h>: not in the table of tests/layering.sh"
wrong shared/ecs/pool.cpp "<mobula/magic/wand.hpp>" "<mobula/magic/wand.hpp>: there is no folder 'magic'"
wrong shared/core/log.cpp '"log.hpp"' "#include \"log.hpp\": write <mobula/FOLDER/file.hpp>"
wrong shared/core/log.cpp '"../ecs/pool.hpp"' "#include \"../ecs/pool.hpp\": write <mobula/FOLDER/file.hpp>"
tree shared/magic/wand.hpp "<string>"
expect 1 "shared/magic/wand.hpp:1: folder 'magic' is not in the table of tests/layering.sh
shared/magic/wand.hpp:2: folder 'magic' is not in the table of tests/layering.sh" "an unknown folder"

# Odd spacing does not hide an include; tests are free; nothing to read is no success.
tree shared/core/log.cpp "<vector>"
printf '  #  include<spdlog/x.h>\n#\tinclude\t<mobula/net/udp.hpp>  // why not\n' >>"$dir/tree/shared/core/log.cpp"
expect 1 "shared/core/log.cpp:4: <mobula/net/udp.hpp>: core may not include net" "odd spacing"
tree shared/core/log.cpp "<vector>"
mkdir -p "$dir/tree/tests/core"
echo '#include <spdlog/spdlog.h>' >"$dir/tree/tests/core/log_test.cpp"
expect 0 "" "tests are free"
rm -rf "$dir/tree" && mkdir "$dir/tree"
expect 2 "$dir/tree: no sources to read" "an empty tree"

((failed)) || echo "layering.sh names what is wrong"
exit $failed
