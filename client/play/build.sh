#!/usr/bin/env bash
# Checks and bundles the game of the browser: client/play/build.sh [install]
# The site is build/play-site, its tests are build/play-test. "install" first installs the locked packages.
# RULES is the module of the rules; without it the newest of build/*/bin/demo_rules.wasm is taken.
# Status 77 if they, or those of client/web, are not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
node=$(../web/node.sh "$@") || exit 77
[[ -d ../web/node_modules ]] || exit 77
# By content too, because a checkout gives files the time at which it was made.
installed=node_modules/.installed-lock.json
if ! cmp -s "$installed" package-lock.json && [[ ! node_modules/.package-lock.json -nt package-lock.json ]]; then
  [[ ${1:-} == install ]] || exit 77
  npm ci --prefer-offline --no-audit --no-fund --loglevel=error
fi
cmp -s "$installed" package-lock.json || cp package-lock.json "$installed"
mkdir -p ../../build
"$node" node_modules/typescript/bin/tsc -p .
"$node" build.mjs
