#!/usr/bin/env bash
# Runs tests of the browser's game in Node: run.sh BIN NAME…
# A name is that of a file or folder of client/play/test, without "_test.ts". BIN has the programs that they run.
# Status 77 without Node or the packages of client/play (./dev setup test installs both).
set -euo pipefail
bin=${1:?usage: run.sh BIN NAME…}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
node=$("$root/client/web/node.sh") || exit 77
[[ -d $root/client/play/node_modules ]] || exit 77
cd "$root"
files=()
for name in "${@:2}"; do
  if [[ -d build/play-test/$name ]]; then files+=("build/play-test/$name"/*_test.mjs); else files+=("build/play-test/${name}_test.mjs"); fi
done
PROGRAMS=$bin exec "$node" --test "${files[@]}"
