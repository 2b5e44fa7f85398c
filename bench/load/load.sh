#!/usr/bin/env bash
# A load test on one machine: bench/load/load.sh BIN_DIR OUT_DIR [CLIENTS]
# A level of 10,000 objects, seen by interest, is served on one core. Bots on the other core join within 10 s and move
# about for 30 s more. OUT_DIR gets report.html, report.json and server.log. The status is 0 only if the limits are met.
# ./dev load runs it on the release build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$(cd "${1:?usage: load.sh BIN_DIR OUT_DIR [CLIENTS]}" && pwd)
source "$root/tests/serve.sh"
source "$root/bench/load/cores.sh"
mkdir -p "${2:?usage: load.sh BIN_DIR OUT_DIR [CLIENTS]}"
out=$(cd "$2" && pwd)
clients=${3:-2000}
[[ $clients =~ ^[1-9][0-9]{0,4}$ ]] || {
  echo "load: '$clients' is not a number of clients" >&2
  exit 2
}

server=
cleanup() {
  [[ ! $server ]] || kill "$server" 2>/dev/null || true
  wait
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

"$bin/mobula-compile" "$root/bench/load/plain.json" -o "$out/plain.level"
serve "$out/server.log" on_core 0 "$bin/mobula-server" --level "$out/plain.level" --port 0 --admin-port 0 \
  --max-clients $((clients + 64)) --max-players $((clients + 64)) --log-format text
[[ $admin ]] || {
  echo "load: the server did not start:" >&2
  cat "$out/server.log" >&2
  exit 1
}

status=0
(on_core 1 "$bin/mobula-bots" --connect "127.0.0.1:$port" --admin "$admin" --clients "$clients" --ramp 10s --seconds 40 \
  --verify $((clients < 20 ? clients : 20)) --require "p99_interval_ms<=60" --require "last_step.p99_interval_ms<=60" \
  --require "p99_lag_ms<=5" --json "$out/report.json" --html "$out/report.html") || status=$?
kill -TERM $server
wait $server || {
  echo "load: the server ended with an error: $out/server.log" >&2
  exit 1
}
server=
echo
echo "The report is in $out/report.html"
exit $status
