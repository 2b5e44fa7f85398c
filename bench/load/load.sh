#!/usr/bin/env bash
# A load test on one machine: bench/load/load.sh BIN_DIR OUT_DIR [CLIENTS]
# A level of 10,000 objects, seen by interest, is served on one core. Bots on the other core join within 10 s and move
# about for 30 s more. OUT_DIR gets report.html, report.json and server.log. The status is 0 only if the limits are met.
# ./dev load runs it on the release build.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "load.sh BIN_DIR OUT_DIR [CLIENTS]" "$@"
clients=${3:-2000}
check_numbers "$clients"
start_server "$root/bench/load/plain.json" --max-clients $((clients + 64)) --max-players $((clients + 64))

status=0
(bots --clients "$clients" --ramp 10s --seconds 40 --verify $((clients < 20 ? clients : 20)) \
  --require "p99_interval_ms<=60" --require "last_step.p99_interval_ms<=60" --require "p99_lag_ms<=5" --json "$out/report.json" --html "$out/report.html") || status=$?
stop_server
echo
echo "The report is in $out/report.html"
exit $status
