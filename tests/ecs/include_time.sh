#!/usr/bin/env bash
# Measures the compile time of including the registry at -O0: best of five, in seconds of user time. Budget: 0.6 s.
# Usage: tests/ecs/include_time.sh BUILD_DIR [HEADER…]     ($CXX: the compiler, else g++)
# Measures further headers too, to find expensive ones: include_time.sh build/dev vector functional
set -euo pipefail
build=${1:?"usage: $0 BUILD_DIR [HEADER...]"}
shift

best() {
  local run
  for run in 1 2 3 4 5; do
    { TIMEFORMAT=%U; time "${CXX:-g++}" -std=c++20 -O0 -DMOBULA_ASSERTS -I "$build/include" -x c++ -c -o /dev/null - <<<"$1"; } 2>&1
  done | sort -n | head -1
}

printf '%6s s  nothing\n' "$(best '')"
for header in mobula/ecs/registry.hpp "$@"; do
  printf '%6s s  <%s>\n' "$(best "#include <$header>")" "$header"
done
