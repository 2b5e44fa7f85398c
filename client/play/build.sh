#!/usr/bin/env bash
# Checks and bundles the game of the browser: client/play/build.sh [install]
# The site is build/play-site, its tests are build/play-test. "install" first installs the locked packages.
# RULES is the module of the rules; without it the newest of build/*/bin/demo_rules.wasm is taken.
# Status 77 if they, or those of client/web, are not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
node=$(../web/node.sh "$@") || exit 77
[[ -d ../web/node_modules ]] || exit 77
../web/packages.sh . "$@" || exit
mkdir -p ../../build
"$node" node_modules/typescript/bin/tsc -p .
"$node" build.mjs
