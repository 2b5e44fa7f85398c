#!/usr/bin/env bash
# Packet loss between two network namespaces: a server in one, bots and a client in the other. iptables drops datagrams
# in both directions. All mirrors must be right.
# Usage: between_namespaces.sh BIN_DIR LEVEL_JSON LOSS_PERCENT [PIPE]. Status 77 if the machine does not permit it.
set -euo pipefail
bin=${1:?usage: between_namespaces.sh BIN_DIR LEVEL_JSON LOSS_PERCENT [PIPE]}
level=$2 loss=$3 pipe=${4:-udp}
((EUID == 0)) && command -v ip iptables >/dev/null || exit 77

id=$$
server=mobula-s$id client=mobula-c$id
dir=$(mktemp -d)
cleanup() {
  kill $(jobs -p) 2>/dev/null || true
  wait 2>/dev/null || true
  ip netns del "$server" 2>/dev/null || true
  ip netns del "$client" 2>/dev/null || true
  rm -rf "$dir"
}
trap cleanup EXIT
ip netns add "$server" 2>/dev/null || exit 77
ip netns add "$client"
ip link add "ms$id" netns "$server" type veth peer name "mc$id" netns "$client" 2>/dev/null || exit 77
for side in "$server ms$id 10.77.0.1" "$client mc$id 10.77.0.2"; do
  read -r space link address <<<"$side"
  ip -n "$space" link set lo up
  ip -n "$space" link set "$link" up
  ip -n "$space" address add "$address/24" dev "$link"
  ip netns exec "$space" iptables -A INPUT -i "$link" -m statistic --mode random --probability \
    "$(awk "BEGIN { print $loss / 100 }")" -j DROP 2>/dev/null || exit 77
done

"$bin/mobula-token" --new-key "$dir/key"
"$bin/mobula-compile" "$level" -o "$dir/level" >/dev/null
: >"$dir/log"
ip netns exec "$server" "$bin/mobula-server" --level "$dir/level" --port 7777 --tcp-port 7777 --ws-port 7778 \
  --admin-port 0 --key-file "$dir/key" 2>"$dir/log" &
for ((i = 0; i < 200; ++i)); do
  ! grep -q "listening" "$dir/log" || break
  sleep 0.1
done
port=7777
[[ $pipe != ws ]] || port=7778
through=(--connect "$pipe:10.77.0.1:$port" --key-file "$dir/key")
ip netns exec "$client" "$bin/mobula-bots" "${through[@]}" --clients 5 --seconds 8 --json "$dir/bots.json" >"$dir/bots" &
bots=$!
ip netns exec "$client" "$bin/mobula-client" "${through[@]}" --ticks 100 --json | tee "$dir/json"
wait $bots || true  # a silence of a second at the end is no error here
cat "$dir/bots"
grep -q '"mismatched_ticks":0,' "$dir/json" && grep -qE '"joined": ?5[,}]' "$dir/bots.json" && grep -qE '"mismatches": ?0[,}]' "$dir/bots.json" ||
  { cat "$dir/log" >&2; exit 1; }
ip netns exec "$client" iptables -nvL INPUT | awk '$3 == "DROP" { print $1 " datagrams to the clients were dropped"; if ($1 == 0) exit 1 }'
