#!/usr/bin/env bash
# Serves the demo with its page for browsers: tests/play/play.sh BIN SITE [--check OUT]
# SITE is the folder of the page's files. Without --check it serves until Ctrl-C, at port 8080 if that is free.
# With --check a headless Chromium plays: pictures go to OUT, the last line is JSON, and the status is 1 after any failure.
# Tests in build/play-test run with PLAY_URL, PLAY_ADMIN and PLAY_OUT. Status 77 without Chromium or Node.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$(cd "${1:?usage: tests/play/play.sh BIN SITE [--check OUT]}" && pwd)
site=$(cd "${2:?usage: tests/play/play.sh BIN SITE [--check OUT]}" && pwd)
source "$root/tests/serve.sh"

die() {
  printf 'play: %s\n' "$*" >&2
  exit 1
}

dir=$(mktemp -d)
cleanup() {
  local status=$?
  set +e
  trap - EXIT INT TERM HUP
  kill $(jobs -p) 2>/dev/null
  wait
  rm -rf "$dir"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# start PORT: serves the page at this port; 0 takes any.
start() {
  serve "$dir/server.log" "$bin/mobula-server" --level "$dir/village.level" --port 0 --ws-port 0 --admin-port 0 \
    --web-port "$1" --web-root "$site" --log-format text
}

# show URL: opens a page in the browser of a person at a terminal.
show() {
  [[ -t 1 && ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] && command -v xdg-open >/dev/null || return 0
  xdg-open "$1" >/dev/null 2>&1 &
}

play() {
  start 8080
  if [[ ! $admin ]] && grep -q -- "--web-port" "$dir/server.log"; then start 0; fi
  [[ $admin ]] || die "the server did not start: $(tail -n 3 "$dir/server.log")"
  printf '\nThe game is at %s and runs until Ctrl-C. Its inspector is at %s\n\n' "$web" "$admin"
  show "$web"
  tail -n +1 -f -s 0.2 --pid=$server "$dir/server.log" &
  wait $server
}

check() {
  local out node files
  node=$("$root/client/web/node.sh") && command -v chromium >/dev/null || exit 77
  mkdir -p "$1"
  out=$(cd "$1" && pwd)
  start 0
  [[ $admin ]] || die "the server did not start: $(tail -n 3 "$dir/server.log")"
  mapfile -t files < <(find "$root/build/play-test" -name '*_test.mjs' 2>/dev/null | sort)
  if ((${#files[@]})) && [[ ${PLAY_TESTS:-yes} == yes ]]; then
    PROGRAMS=$bin PLAY_URL=$web PLAY_ADMIN=$admin PLAY_OUT=$out "$node" --test "${files[@]}" >&2 || exit 1
  fi
  "$node" "$root/tests/play/check.mjs" "$web" "$admin" "$out" || exit 1
}

(cd "$dir" && "$bin/mobula-compile" "$root"/server/examples/demo/level/village.json -o village.level >/dev/null)
case ${3:-} in
  "") play ;;
  --check) check "${4:?usage: tests/play/play.sh BIN SITE --check OUT}" ;;
  *) die "unexpected argument '$3'" ;;
esac
