#!/usr/bin/env bash
# Configures and builds the client core alone, and runs its tests: alone.sh COMPILER FOLDER
# The sources of a room are compiled as one and not optimised, in a quarter of the time. Code with and without exceptions
# cannot share a precompiled header.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
compiler=${1:?usage: alone.sh COMPILER FOLDER}
dir=${2:?usage: alone.sh COMPILER FOLDER}
launcher=$(command -v ccache || true)
cmake -S "$root" -B "$dir" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE='-O0 -DNDEBUG' -DMOBULA_ASSERTS=OFF -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DMOBULA_CLIENT_ONLY=ON >/dev/null
found=$(grep -E '^(Boost|OPENSSL|spdlog|SQLite3|prometheus-cpp)[A-Za-z_]*:' "$dir/CMakeCache.txt" || true)
[[ ! $found ]] || { printf 'the configuration looked for other libraries:\n%s\n' "$found" >&2; exit 1; }
cmake --build "$dir" -j "$(nproc)" | tail -20
ctest --test-dir "$dir" --output-on-failure
