#!/usr/bin/env bash
# Checks tests/play itself with a small page: tests/play/small_page.sh BIN OUT
# Status 77 without Node, its packages or Chromium.
set -euo pipefail
bin=$(cd "${1:?usage: small_page.sh BIN OUT}" && pwd)
rm -rf "${2:?usage: small_page.sh BIN OUT}"
mkdir -p "$2/site" "$2/broken"
out=$(cd "$2" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
node=$(../../client/web/node.sh) && [[ -d ../../client/web/node_modules ]] && command -v chromium >/dev/null || exit 77
cp page/index.html page/page.css page/icon.svg "$out/site"
../../client/web/node_modules/.bin/esbuild page/page.ts --bundle --minify --format=esm --outfile="$out/site/page.js" \
  --log-level=warning
PLAY_TESTS=no ./play.sh "$bin" "$out/site" --check "$out"
# A page that cannot join, for it names no server, is a failure.
echo '<!doctype html><script type="module" src="missing.js"></script>' >"$out/broken/index.html"
! PLAY_TESTS=no timeout 100 ./play.sh "$bin" "$out/broken" --check "$out/broken_out" || exit 1
