#!/usr/bin/env bash
# README's code blocks of the game are the files of tests/readme_game.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../readme_game"
readme=$(<../../README.md)
for file in arena.fbs arena.cpp CMakeLists.txt; do
  [[ $readme == *"$(<$file)"* ]] || { echo "README.md does not show tests/readme_game/$file as it is" >&2; exit 1; }
done
