#!/usr/bin/env bash
# README's three files as a project of their own around a link to this tree: it configures, its schema becomes C++
# and compiles. (The game itself is built inside the tree, where the libraries are built anyway.)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$here"/arena.* "$here/outside/CMakeLists.txt" "$dir"
ln -s "$here/../.." "$dir/mobula"
launcher=$(command -v ccache || true)
cmake -S "$dir" -B "$dir/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" >/dev/null
cmake --build "$dir/build" --target arena_schema | tail -n 3
test -s "$dir/build/arena_schema/arena.bfbs"
