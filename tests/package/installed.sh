#!/usr/bin/env bash
# What a team does with an installed Mobula: installed.sh BUILD_DIR COMPILER LINKER_FLAGS
# The package is installed and then moved elsewhere. README's game and a player of it are built against it alone, each a
# project of its own; then one serves and the other plays.
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

# Of other people's headers those of the system and fmt, and of FlatBuffers for one's own messages: nothing else is
# asked of users.
foreign=$(grep -rhoE '^ *# *include <[^>]*[./][^>]*>' "$dir/prefix/include" |
  grep -vE '<(mobula|fmt|flatbuffers|arpa|netinet|sys)/' | sort -u) || true
[[ ! $foreign ]] || fail "installed headers include $foreign"
# Asserts are on or off for archive and user alike, but even if not: only what MOBULA_ASSERT does may depend on it.
asserts=$(cd "$dir/prefix/include" && grep -rlE 'MOBULA_ASSERTS|NDEBUG' .)
[[ $asserts == ./mobula/core/assert.hpp ]] || fail "headers differ by build: $asserts"
! grep -rqF "$build" "$dir/prefix/lib/cmake" || fail "the package remembers where it was built"

make_project() {  # PROJECT_DIR NAME CMAKE_ARGUMENT…
  cmake -S "$1" -B "$dir/$2" -G Ninja -DCMAKE_PREFIX_PATH="$dir/prefix" "${@:3}" >/dev/null
  cmake --build "$dir/$2" >"$dir/$2.log" || { cat "$dir/$2.log"; fail "$2 does not build"; }
}
flags=(-DCMAKE_CXX_COMPILER="$2" -DCMAKE_EXE_LINKER_FLAGS="$3")
make_project "$arena" arena "${flags[@]}"
make_project "$here/player" player "${flags[@]}" -DARENA_DIR="$arena" -DMOBULA_PREFIX="$dir/prefix"

serve "$dir/log" "$dir/arena/arena" --port 0 --admin-port 0
"$dir/player/player" "127.0.0.1:$port" "$admin"
# A client that has never heard of the game mirrors and verifies it.
"$dir/prefix/bin/mobula-client" --connect "127.0.0.1:$port" --admin "$admin" --ticks 40 --json | tee "$dir/json"
grep -q '"entities":[12],' "$dir/json"
