#!/usr/bin/env bash
# Runs the benchmarks of the client of TypeScript to their end, with little work: bench.sh BIN
# Status 77 without Node or the packages of client/web.
set -euo pipefail
bin=${1:?usage: bench.sh BIN}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
node=$("$root/client/web/node.sh") || exit 77
[[ -d $root/client/web/node_modules ]] || exit 77
cd "$root"
export PROGRAMS=$bin

# prints PATTERN BENCHMARK ARGUMENT…: fails unless the benchmark ends well and prints a line of this pattern.
prints() {
  local output
  output=$("$node" --expose-gc "build/web/bench/$2.js" "${@:3}")
  echo "$output"
  grep -Eq "$1" <<<"$output" || { echo "$2 does not print '$1'" >&2; exit 1; }
}

prints '^Node: .* 0 mismatched; .*, [0-9.]+ times C\+\+$' decode 60
# Entities that are all in each delta.
prints '^Node: .* 0 mismatched; ([5-9][0-9]{2}|1[0-9]{3}) changes per update, .*, [0-9.]+ times C\+\+$' decode 60 swarm
prints '^with the level, 8 ms per update: .* longest update' level 300
prints '^steady: .* bytes per update' predict
prints '^1000 visible: .* us per step' rules_module
