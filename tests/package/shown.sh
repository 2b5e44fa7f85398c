#!/usr/bin/env bash
# README's code blocks of the game are the files of server/examples/arena.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../server/examples/arena"
readme=$(<../../../README.md)
for file in arena.fbs arena.cpp CMakeLists.txt; do
  [[ $readme == *"$(<$file)"* ]] || { echo "README.md does not show server/examples/arena/$file as it is" >&2; exit 1; }
done
