#!/usr/bin/env bash
# Compiles types that mobula-schema-gen has made, as a team's project does, and runs tests of them: typed.sh BIN SCHEMAS
# BIN has the programs that the tests run. SCHEMAS is the folder of the build in which the demo's schemas are made.
# Status 77 without Node or the packages of client/web (./dev setup test installs both).
set -euo pipefail
bin=${1:?usage: typed.sh BIN SCHEMAS}
schemas=${2:?usage: typed.sh BIN SCHEMAS}
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$tests/../../.." && pwd)
node=$("$root/client/web/node.sh") || exit 77
[[ -d $root/client/web/node_modules ]] || exit 77
out=$root/build/web_typed
rm -rf "$out"
mkdir -p "$out/node_modules/@mobula"
ln -s "$root/build/web" "$out/node_modules/@mobula/client"
ln -s "$root/client/web/node_modules/@types" "$out/node_modules/@types"
echo '{ "type": "module" }' >"$out/package.json"
cp "$tests"/typed/* "$schemas/mobula_schema_demo/components.ts" "$schemas"/mobula_schema_demo_{commands,events}/*.ts "$out"
"$node" "$root/client/web/node_modules/typescript/bin/tsc" -p "$out"
cd "$root"
PROGRAMS=$bin exec "$node" --test "$out"/*_test.js
