#!/usr/bin/env bash
# Checks that a folder has its locked packages of npm: client/web/packages.sh FOLDER [install]
# "install" installs them if they are missing or others. Status 77 if they are not installed.
set -euo pipefail
cd "$1"
# By content too, because a checkout gives files the time at which it was made.
installed=node_modules/.installed-lock.json
if ! cmp -s "$installed" package-lock.json && [[ ! node_modules/.package-lock.json -nt package-lock.json ]]; then
  [[ ${2:-} == install ]] || exit 77
  npm ci --prefer-offline --no-audit --no-fund --loglevel=error
fi
cmp -s "$installed" package-lock.json || cp package-lock.json "$installed"
