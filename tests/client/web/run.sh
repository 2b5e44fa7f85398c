#!/usr/bin/env bash
# Runs tests of the client of TypeScript in Node: run.sh BIN FOLDER…
# They are those of the folders of client/web/test, compiled into build/web. BIN has the programs that they run.
# Status 77 without Node or the packages of client/web (./dev setup test installs both).
set -euo pipefail
bin=${1:?usage: run.sh BIN FOLDER…}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
node=$("$root/client/web/node.sh") || exit 77
[[ -d $root/client/web/node_modules ]] || exit 77
cd "$root"
files=()
for folder in "${@:2}"; do files+=("build/web/test/$folder"/*_test.js); done
# The WebSocket of browsers, which later versions have without a flag.
flags=(--experimental-websocket)
"$node" "${flags[@]}" -e 0 2>/dev/null || flags=()
PROGRAMS=$bin exec "$node" "${flags[@]}" --test "${files[@]}"
