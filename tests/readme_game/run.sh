#!/usr/bin/env bash
# README's game serves, and a client that has never heard of it mirrors and verifies it.
set -euo pipefail
bin=${1:?usage: run.sh BIN_DIR}
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
: >"$dir/log"  # here before the first look at it, however late the game's process begins
"$bin/arena" --port 0 --admin-port 0 2>>"$dir/log" &
for ((i = 0; i < 100; ++i)); do
  port=$(sed -nE 's/.*listening on udp port ([0-9]+).*/\1/p' "$dir/log")
  admin=$(sed -nE 's,.*admin address (http://[0-9.]+:[0-9]+).*,\1,p' "$dir/log")
  [[ ! $admin ]] || break
  sleep 0.1
done
"$bin/mobula-client" --connect "127.0.0.1:$port" --admin "$admin" --ticks 40 --json | tee "$dir/json"
grep -q '"entities":1,' "$dir/json"
