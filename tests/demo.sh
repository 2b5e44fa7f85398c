#!/usr/bin/env bash
# Shows all programs on one machine, step by step: tests/demo.sh BIN_DIR
# A level is compiled, served, mirrored by a headless client and 20 bots, and everything ends by itself.
# Status 0 only if every step did its job. ./dev demo runs it on the release build, ctest on its own.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$(cd "${1:?usage: tests/demo.sh BIN_DIR}" && pwd)
source "$root/tests/serve.sh"

say() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }
die() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

# number FILE KEY: prints the number of a key that is unique in a JSON file.
number() { tr -d ' \n' <"$1" | sed -nE "s/.*\"$2\":([0-9.]+).*/\1/p"; }

dir=$(mktemp -d)
cleanup() {
  local status=$?
  set +e
  trap - EXIT INT TERM HUP
  ((status == 0)) || tail -n 20 "$dir"/*.log >&2
  kill $(jobs -p) 2>/dev/null
  wait
  rm -rf "$dir"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# Every process ends in time, and within 5 seconds of a request to stop.
run() { exec timeout --foreground -k 5 "$@"; }

say "1. mobula-compile turns the level, written by hand in JSON, into one binary blob"
printf '   '
(cd "$dir" && "$bin/mobula-compile" "$root"/server/examples/demo/level/village.json -o village.level)

say "2. mobula-server loads the blob, spawns all its entities and runs the game, 20 ticks per second"
serve "$dir/server.log" run 120 "$bin/mobula-server" --level "$dir/village.level" --port 0 --tcp-port 0 --admin-port 0 \
  --log-format text
[[ $admin ]] || die "the server did not start"
echo "   it listens on UDP port $port and TCP port $tcp_port, and lets in who has a token from $admin"

say "3. 20 bots join over UDP and run about; mobula-client watches over TCP for 100 ticks and checks what it sees"
run 60 "$bin/mobula-bots" --connect "127.0.0.1:$port" --admin "$admin" --clients 20 --seconds 5 --json "$dir/bots.json" \
  >"$dir/bots.log" 2>&1 &
bots=$!
: >"$dir/client.out"  # there before tail looks
run 60 "$bin/mobula-client" --connect "tcp:127.0.0.1:$tcp_port" --admin "$admin" --ticks 100 >>"$dir/client.out" &
client=$!
tail -n +1 -f -s 0.2 --pid=$client "$dir/client.out" | sed -u '/^{/d; s/^/   /' &
shown=$!
wait $client || die "the client did not do its job"
wait $shown
wait $bots || die "the bots did not do their job"

say "4. The server is asked to stop"
kill -TERM $server
wait $server || die "the server ended with an error"
echo "   it disconnected the clients and ended"

tail -n 1 "$dir/client.out" >"$dir/client.json"
for name in ticks entities verified_ticks mismatched_ticks bytes_received; do
  declare "$name=$(number "$dir/client.json" $name)"
done
# The first line of this kind: later ones belong to the last step.
first() { tr -d ' \n' <"$1" | grep -oE "\"$2\":[0-9.]+" | sed -n '1s/.*://p'; }
for name in joined mean_interval_ms p99_interval_ms mismatches bytes_in; do
  declare "$name=$(first "$dir/bots.json" $name)"
done
say "What you have seen"
cat <<TEXT
   All that went over the network was encrypted, and nobody without a token of the server's could have joined.
   A game world ran in the server, which alone decides what happens in it.
   The client kept a copy of what its player sees, in the end $entities entities, for $ticks ticks: $((bytes_received / 1024)) KiB came for it.
   For $verified_ticks ticks the server sent a fingerprint of what the client should have: $mismatched_ticks differed.
   $joined of 20 bots joined as players and received $((bytes_in / 1024)) KiB in all.
   News came to a bot every $(LC_ALL=C printf %.1f "$mean_interval_ms") ms on average, 99 of 100 within $(LC_ALL=C printf %.1f "$p99_interval_ms") ms.
TEXT
((verified_ticks > 0 && mismatched_ticks == 0)) || die "the client's copy was not the server's world"
[[ $joined == 20 && $mismatches == 0 ]] || die "not every bot joined and kept a right copy"
say "All of it worked. Next: README.md, or ./dev help"
