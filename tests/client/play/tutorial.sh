#!/usr/bin/env bash
# Follows docs/web-tutorial.md in an empty folder, and runs the test that opens its page: tutorial.sh BIN
# What the package and the bundle need is packed too, so that npm asks no registry. BIN has the server.
# Status 77 without npm, Node or the packages of client/web and client/play (./dev setup test installs them).
set -euo pipefail
bin=${1:?usage: tutorial.sh BIN}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
web=$root/client/web
node=$("$web/node.sh") && command -v npm >/dev/null || exit 77
[[ -d $web/node_modules && -d $root/client/play/node_modules ]] || exit 77

folder=$root/build/play-example
rm -rf "$folder"
mkdir -p "$folder/packed" "$folder/site"
(cd "$web" && npm pack --silent --pack-destination "$folder/packed")
cd "$folder"
npm pack --silent --ignore-scripts --pack-destination packed \
  "$web"/node_modules/@noble/ciphers "$web"/node_modules/esbuild "$web"/node_modules/@esbuild/*
npm init -y >/dev/null
npm install --offline --silent --no-audit --no-fund ./packed/*.tgz

cp "$web/example/main.ts" .
cp "$web/example/index.html" site
"$node" "$web/node_modules/typescript/bin/tsc" --noEmit --strict --target es2022 --module esnext \
  --moduleResolution bundler main.ts
bundle=$(grep '^npx esbuild ' "$root/docs/web-tutorial.md")
$bundle
exec "$root/tests/client/play/run.sh" "$bin" tutorial
