#!/usr/bin/env bash
# Builds and runs games and clients as a team does with an installed Mobula: installed.sh BUILD_DIR COMPILER LINKER_FLAGS
# The package is installed and then moved elsewhere. README's game with its client, a player of it, and the tutorial's
# game with its client are built against the package alone, each a project of its own; then they serve and play.
set -euo pipefail
build=${1:?usage: installed.sh BUILD_DIR COMPILER LINKER_FLAGS}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
arena=$here/../../server/examples/arena
source "$here/../serve.sh"
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
fail() {
  echo "$1" >&2
  exit 1
}

for component in development programs; do
  cmake --install "$build" --component "mobula-$component" --prefix "$dir/installed" >/dev/null
done
mv "$dir/installed" "$dir/prefix"

# Installed headers include no headers of other libraries, except fmt, FlatBuffers for a game's messages, and the system's.
foreign=$(grep -rhoE '^ *# *include <[^>]*[./][^>]*>' "$dir/prefix/include" |
  grep -vE '<((mobula|fmt|flatbuffers|arpa|netinet|sys)/|stdint\.h>)' | sort -u) || true
[[ ! $foreign ]] || fail "installed headers include $foreign"
# A game includes no header of what the server does behind its hooks.
for room in admin agones api cluster replication session store web; do
  [[ ! -e $dir/prefix/include/mobula/server/$room ]] || fail "headers of server/$room are installed"
done
# Asserts are on or off for archive and user alike, but even if not: only what MOBULA_ASSERT does may depend on it.
asserts=$(cd "$dir/prefix/include" && grep -rlE 'MOBULA_ASSERTS|NDEBUG' .)
[[ $asserts == ./mobula/core/assert.hpp ]] || fail "headers differ by build: $asserts"
! grep -rqF "$build" "$dir/prefix/lib/cmake" || fail "the package remembers where it was built"

make_project() {  # PROJECT_DIR NAME CMAKE_ARGUMENT…
  cmake -S "$1" -B "$dir/$2" -G Ninja -DCMAKE_PREFIX_PATH="$dir/prefix" "${@:3}" >/dev/null
  cmake --build "$dir/$2" >"$dir/$2.log" || { cat "$dir/$2.log"; fail "$2 does not build"; }
}
flags=(-DCMAKE_CXX_COMPILER="$2" -DCMAKE_EXE_LINKER_FLAGS="$3")
make_project "$arena" arena "${flags[@]}" &
arena_made=$!
make_project "$arena/../tutorial" tutorial "${flags[@]}" &
tutorial_made=$!
make_project "$here/rules" rules "${flags[@]}" -DSKATE_DIR="$(cd "$here/../server/game/skate" && pwd)"
! grep -q 'MOBULA_MODULE_TOOLS:INTERNAL=ON' "$dir/rules/CMakeCache.txt" || [[ -s $dir/rules/skate_rules.wasm ]] ||
  fail "mobula_rules() made no module"
make_project "$here/player" player "${flags[@]}" -DARENA_DIR="$arena" -DMOBULA_PREFIX="$dir/prefix"
for made in "$arena_made" "$tutorial_made"; do
  wait "$made" || fail "an example does not build"
done

serve "$dir/log" "$dir/arena/arena" --port 0 --admin-port 0
"$dir/player/player" "127.0.0.1:$port" "$admin"
# A client that was built without the game's schema mirrors and verifies it.
"$dir/prefix/bin/mobula-client" --connect "127.0.0.1:$port" --admin "$admin" --ticks 40 --json | tee "$dir/json"
grep -q '"entities":[12],' "$dir/json"

# plays CLIENT PATTERN: a client that prints what it sees prints this within 10 s.
plays() {
  "$1" "127.0.0.1:$port" "$admin" >"$dir/seen" &
  local client=$! tries
  for ((tries = 0; tries < 100; ++tries)); do
    if grep -qE "$2" "$dir/seen"; then break; fi
    sleep 0.1
  done
  kill "$client" || true
  grep -m 1 -E "$2" "$dir/seen" || { cat "$dir/seen"; fail "${1##*/} has not seen '$2'"; }
}
plays "$dir/arena/arena-client" 'my ball is at \(.*\), [1-9][0-9]* bounces'
kill "$server"

# Clients in other languages make commands from JSON by this schema.
grep -q BFBS "$dir/tutorial/orchard_commands/orchard_commands.bfbs" || fail "mobula_messages() made no binary schema"

# compile_level NAME SOURCE BUILD: as pages show it, with the schema that the game's build made.
compile=$dir/prefix/bin/mobula-compile
compile_level() { "$compile" "$2" --schema "$dir/$3/$1_schema/$1.bfbs" -o "$dir/$1.level"; }

# prints PATTERN FILE: fails, with the output, if no line of it matches.
prints() { grep -E -m 1 "$1" "$2" || { cat "$2"; fail "no line matches '$1'"; }; }

# A level of the arena, which has no prefabs.
echo '{"entities": {"first": {"components": {"Transform": {}, "Ball": {"colour": 255}}}}}' >"$dir/arena.json"
compile_level arena "$dir/arena.json" arena

# The tutorial, step by step. Its game refuses to start without its level.
compile_level orchard "$arena/../tutorial/orchard.json" tutorial
"$compile" inspect "$dir/orchard.level" >"$dir/inspected"
prints '^level: 81 entities, 81 roots' "$dir/inspected"
! "$dir/tutorial/orchard" --port 0 --admin-port 0 >"$dir/refused" 2>&1 || fail "the orchard starts without a level"
prints "^orchard: the orchard needs a level with a prefab 'gatherer'" "$dir/refused"
serve "$dir/log" "$dir/tutorial/orchard" --level "$dir/orchard.level" --port 0 --admin-port 0
plays "$dir/tutorial/orchard-client" '50 trees, 31 apples, .* and have [1-9][0-9]* points'
"$dir/prefix/bin/mobula-bots" --connect "127.0.0.1:$port" --admin "$admin" --clients 5 --seconds 2 --behaviour idle

# Ten old trees change while the game is played.
sed 's/"height": 9/"height": 12/' "$arena/../tutorial/orchard.json" >"$dir/changed.json"
compile_level orchard "$dir/changed.json" tutorial
curl -s -X POST "$admin/api/reload" >"$dir/reloaded"
prints '"destroyed":10,"kept":71,"spawned":10' "$dir/reloaded"
kill "$server"

# A world that continues.
for start in 1 2; do
  serve "$dir/log" "$dir/tutorial/orchard" --level "$dir/orchard.level" --db "$dir/orchard.db" --port 0 --admin-port 0
  prints "the world is kept in .*orchard.db, saved each 10 s; start $start of 4095" "$dir/log"
  kill "$server"
  wait "$server" || fail "the orchard did not stop well"
done
