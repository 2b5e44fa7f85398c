#!/usr/bin/env bash
# README's game around this very tree instead of an installed package: it configures, and knows how to make its schema.
# inside.sh COMPILER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$here"/../../server/examples/arena/*.{fbs,cpp} "$dir"
ln -s "$here/../.." "$dir/mobula"
sed 's/find_package(mobula .*/add_subdirectory(mobula)/' "$here/../../server/examples/arena/CMakeLists.txt" >"$dir/CMakeLists.txt"
cmake -S "$dir" -B "$dir/build" -G Ninja -DCMAKE_CXX_COMPILER="$1" >/dev/null
ninja -C "$dir/build" -t commands arena | grep -c 'arena/components.hpp' >/dev/null
cmake --install "$dir/build" --prefix "$dir/prefix" >/dev/null
[[ ! -e $dir/prefix ]] || { echo "with the game Mobula is installed too" >&2; exit 1; }
