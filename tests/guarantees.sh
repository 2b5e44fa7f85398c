#!/usr/bin/env bash
# Checks that every row of guarantees.md names tests and that they exist: guarantees.sh BUILD_DIR
# Prints each wrong row or name as line: reason. Status 1 if there is one.
set -euo pipefail
build=${1:?usage: guarantees.sh BUILD_DIR}
page=$(dirname "${BASH_SOURCE[0]}")/../docs/guarantees.md
tests=$(ctest --test-dir "$build" -N | sed -nE 's/^ *Test +#[0-9]+: //p')

found=0
wrong() {
  printf 'guarantees.md:%s: %s\n' "$line" "$1"
  found=1
}

# Checks a name, or the beginning of several: "server/ServerLook.*".
check() {
  local pattern=${1//./\\.}
  grep -qx -- "${pattern//\*/.*}" <<<"$tests" || wrong "there is no test '$1'"
}

quoted() { grep -oE '`[^`]+`' <<<"$1" | tr -d '`' || true; }

line=0 rows=0
while IFS= read -r text; do
  line=$((line + 1))
  if [[ $text =~ ^\|\ (promise|limit)\ \| || $text == '|---'* ]]; then continue; fi
  if [[ $text == '|'* ]]; then
    rows=$((rows + 1))
    text=${text% |}
    names=$(quoted "${text##* | }")
    [[ $names ]] || wrong "no test is named"
  else
    names=$(quoted "$text" | grep -E '^[a-z_]+/[A-Z]' || true)
  fi
  while read -r name; do
    [[ ! $name ]] || check "$name"
  done <<<"$names"
done <"$page"

((rows)) || { echo "guarantees.md: there are no rows"; exit 1; }
exit $found
