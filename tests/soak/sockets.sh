#!/usr/bin/env bash
# Checks that a server's process does not grow under long load: tests/soak/sockets.sh BIN_DIR OUT_DIR [MINUTES] [BOTS]
# BOTS (500) wander over UDP for MINUTES (10); three in ten of them leave, vanish and reconnect repeatedly. The world has
# 10,000 objects and is saved each second. OUT_DIR/samples gets the resources of the process every 2 seconds. The first
# quarter is warm-up. The two halves of the rest must meet:
#   memory       the second maximum is at most 0.5% above the first. Released and reallocated memory varies more than
#                that, but its maximum does not rise. A leak of 150 bytes per leaving bot exceeds it.
#   descriptors  both minima are equal; a request for tokens uses one more for a moment
#   threads      their number is constant
# Status 0 only if that holds, no mirror was wrong, no bot was lost, and the server logged no error and ended cleanly.
# Ticks may be late, as this does not measure speed. ./dev soak sockets runs it on the relassert build.
set -euo pipefail
usage="usage: sockets.sh BIN_DIR OUT_DIR [MINUTES] [BOTS]"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$(cd "${1:?$usage}" && pwd)
mkdir -p "${2:?$usage}"
out=$(cd "$2" && pwd)
minutes=${3:-10}
bots=${4:-500}
source "$root/tests/serve.sh"
die() {
  printf 'soak: %s\n' "$*" >&2
  exit 1
}
[[ $minutes =~ ^[1-9][0-9]*$ && $bots =~ ^[1-9][0-9]*$ ]] || die "$usage"

cleanup() {
  kill $(jobs -p) 2>/dev/null || true
  wait
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

rm -f "$out"/world.db* "$out/samples"
"$bin/mobula-compile" "$root/bench/load/plain.json" -o "$out/plain.level" >/dev/null
serve "$out/server.log" "$bin/mobula-server" --level "$out/plain.level" --db "$out/world.db" --checkpoint-seconds 1 \
  --port 0 --admin-port 0 --max-clients $((bots * 2)) --log-format text
[[ $admin ]] || die "the server did not start: $out/server.log"

seconds=$((minutes * 60))
"$bin/mobula-bots" --connect "127.0.0.1:$port" --admin "$admin" --clients "$bots" --seconds "$seconds" --verify 20 \
  --behaviour wander=70,churn=30 --json "$out/bots.json" >"$out/bots.log" 2>&1 &
crowd=$!

# Prints: second, anonymous memory in KB, descriptors, threads.
sample() {
  local kb=0 fds=(/proc/"$server"/fd/*) threads=(/proc/"$server"/task/*)
  kb=$(awk '/^RssAnon:/ { print $2 }' "/proc/$server/status")
  echo "$SECONDS $kb ${#fds[@]} ${#threads[@]}"
}
SECONDS=0
while ((SECONDS < seconds)) && kill -0 "$crowd" 2>/dev/null; do
  sample >>"$out/samples"
  sleep 2
done
wait "$crowd" || die "the bots failed: $(tail -n 3 "$out/bots.log"); $out/bots.log"
kill -TERM "$server"
wait "$server" || die "the server ended with an error: $out/server.log"
! grep -E '^[^ ]+ error ' "$out/server.log" || die "the server logged errors: $out/server.log"

grep -E '^(bots joined|left and came back|mirrors verified)' "$out/bots.log"

awk -v end="$seconds" '
  $1 < end / 4 { next }
  {
    half = $1 < end * 5 / 8 ? 1 : 2
    if ($2 > kb[half]) kb[half] = $2
    if (!(half in fds) || $3 < fds[half]) fds[half] = $3
    if (!least || $4 < least) least = $4
    if ($4 > most) most = $4
  }
  END {
    printf "server\047s memory         at most %.1f, then %.1f MiB: %+.2f%%\n", kb[1] / 1024, kb[2] / 1024, (kb[2] / kb[1] - 1) * 100
    printf "its descriptors         at least %d, then %d\nits threads             %d to %d\n", fds[1], fds[2], least, most
    exit !(kb[1] && kb[2] <= kb[1] * 1.005 && fds[1] == fds[2] && least == most)
  }' "$out/samples" || die "the server grows: $out/samples"
