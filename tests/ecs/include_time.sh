#!/usr/bin/env bash
# What including the registry costs at -O0: the best of five, in seconds of user time. The budget is 0.6 s.
# Usage: tests/ecs/include_time.sh BUILD_DIR [HEADER…]     ($CXX: the compiler, else g++)
# Further headers are timed as well, to see which of them is dear: include_time.sh build/dev vector functional
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
