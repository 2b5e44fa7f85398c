#!/usr/bin/env bash
# Compiles the client of TypeScript and its tests into build/web: client/web/build.sh [install]
# "install" first installs the locked packages, and a Node if the system has none of version 20 or later.
# Status 77 if they are not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out=../../build/web
node=$(./node.sh "$@") || exit 77
# By content too, because a checkout gives files the time at which it was made.
installed=node_modules/.installed-lock.json
if ! cmp -s "$installed" package-lock.json && [[ ! node_modules/.package-lock.json -nt package-lock.json ]]; then
  [[ ${1:-} == install ]] || exit 77
  npm ci --prefer-offline --no-audit --no-fund --loglevel=error
fi
cmp -s "$installed" package-lock.json || cp package-lock.json "$installed"
mkdir -p "$out"
ln -sfn ../../client/web/node_modules "$out/node_modules"
# The compiled package by its own name, as generated types import it.
sed 's#"./dist/#"./#g' package.json >"$out/package.json"
"$node" node_modules/typescript/bin/tsc -p .
