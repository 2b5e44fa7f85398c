#!/usr/bin/env bash
# Runs all programs together on one machine and explains each step: tests/demo.sh BIN_DIR
# Compiles a level, serves it, mirrors it with a headless client and 20 bots, and ends them.
# Status 0 only if every step succeeds. ./dev demo runs it on the release build, ctest on its own.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$(cd "${1:?usage: tests/demo.sh BIN_DIR}" && pwd)
source "$root/tests/serve.sh"

say() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }
die() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

# number FILE KEY: prints the value of KEY, which is unique in the JSON file.
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

# run SECONDS COMMAND…: ends the command after SECONDS, and kills it 5 seconds later.
run() { exec timeout --foreground -k 5 "$@"; }

say "1. mobula-compile turns the level, written by hand in JSON, into one binary blob"
printf '   '
(cd "$dir" && "$bin/mobula-compile" "$root"/server/examples/demo/level/village.json -o village.level)

say "2. mobula-server loads the blob, spawns all its entities and runs the game, 20 ticks per second"
serve "$dir/server.log" run 120 "$bin/mobula-server" --level "$dir/village.level" --port 0 --tcp-port 0 --admin-port 0 \
  --log-format text
[[ $admin ]] || die "the server did not start"
echo "   it listens on UDP port $port and TCP port $tcp_port, and admits clients with a token from $admin"

say "3. 20 bots join over UDP and move around; mobula-client watches over TCP for 100 ticks and checks what it sees"
run 60 "$bin/mobula-bots" --connect "127.0.0.1:$port" --admin "$admin" --clients 20 --seconds 5 --json "$dir/bots.json" \
  >"$dir/bots.log" 2>&1 &
bots=$!
: >"$dir/client.out"  # exists before tail opens it
run 60 "$bin/mobula-client" --connect "tcp:127.0.0.1:$tcp_port" --admin "$admin" --ticks 100 >>"$dir/client.out" &
client=$!
tail -n +1 -f -s 0.2 --pid=$client "$dir/client.out" | sed -u '/^{/d; s/^/   /' &
shown=$!
wait $client || die "the client failed"
wait $shown
wait $bots || die "the bots failed"

say "4. The server receives SIGTERM and stops"
kill -TERM $server
wait $server || die "the server ended with an error"
echo "   it notified its clients and ended"

tail -n 1 "$dir/client.out" >"$dir/client.json"
for name in ticks entities verified_ticks mismatched_ticks bytes_received; do
  declare "$name=$(number "$dir/client.json" $name)"
done
# first FILE KEY: prints the first value of KEY; later ones are those of the last step.
first() { tr -d ' \n' <"$1" | grep -oE "\"$2\":[0-9.]+" | sed -n '1s/.*://p'; }
for name in joined mean_interval_ms p99_interval_ms mismatches bytes_in; do
  declare "$name=$(first "$dir/bots.json" $name)"
done
say "Summary"
cat <<TEXT
   All network traffic was encrypted, and only clients with a token of the server could join.
   The game world ran in the server, which alone decides what happens in it.
   The client mirrored what its player sees for $ticks ticks, at the end $entities entities. It received $((bytes_received / 1024)) KiB.
   For $verified_ticks ticks the server sent a hash of what the mirror should hold: $mismatched_ticks differed.
   $joined of 20 bots joined as players and received $((bytes_in / 1024)) KiB in all.
   A bot received an update every $(LC_ALL=C printf %.1f "$mean_interval_ms") ms on average, 99 of 100 within $(LC_ALL=C printf %.1f "$p99_interval_ms") ms.
TEXT
((verified_ticks > 0 && mismatched_ticks == 0)) || die "the client's mirror differs from the server's world"
[[ $joined == 20 && $mismatches == 0 ]] || die "a bot did not join, or its mirror was wrong"
say "Everything worked. Next: README.md, or ./dev help"
