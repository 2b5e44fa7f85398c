#!/usr/bin/env bash
# Ends tests/play/play.sh by Ctrl-C: tests/play/interrupt.sh BIN
# No process and no file of it may be left then.
set -euo pipefail
bin=$(cd "${1:?usage: interrupt.sh BIN}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/site" "$work/temporary"
echo '<p>the game</p>' >"$work/site/index.html"

fail() {
  printf 'interrupt: %s\n' "$*" >&2
  cat "$work/output" >&2
  exit 1
}

set -m  # a process group of its own, to all of which a terminal sends the signal
TMPDIR=$work/temporary ./play.sh "$bin" "$work/site" >"$work/output" 2>&1 &
play=$!
trap 'kill -KILL -- -$play 2>/dev/null || true; rm -rf "$work"' EXIT
for ((tries = 0; tries < 600; ++tries)); do
  ! grep -q "runs until Ctrl-C" "$work/output" || break
  sleep 0.1
done
url=$(sed -nE 's/^The game is at ([^ ]+) .*/\1/p' "$work/output")
[[ $url && $(curl -s "$url") == '<p>the game</p>' ]] || fail "the page is not served"

status=0
kill -INT -- -$play
wait $play || status=$?
((status == 130)) || fail "status $status, not 130"
! kill -0 -- -$play 2>/dev/null || fail "a process goes on"
[[ ! $(ls -A "$work/temporary") ]] || fail "files stay in the temporary folder"
