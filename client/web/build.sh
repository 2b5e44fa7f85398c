#!/usr/bin/env bash
# Compiles the client of TypeScript and its tests into build/web: client/web/build.sh [install]
# "install" first installs the locked packages, and a Node if the system has none of version 20 or later.
# Status 77 if they are not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out=../../build/web
node=$(./node.sh "$@") || exit 77
./packages.sh . "$@" || exit
mkdir -p "$out"
ln -sfn ../../client/web/node_modules "$out/node_modules"
# The compiled package by its own name, as generated types import it.
sed 's#"./dist/#"./#g' package.json >"$out/package.json"
"$node" node_modules/typescript/bin/tsc -p .
