#!/usr/bin/env bash
# Builds the images, runs docker/compose.yaml, stops and kills its server, runs docker/cluster.yaml without Grafana, kills
# a node, and shows the results: docker/check.sh
# Needs a running docker, or podman and podman-compose. Status 0 only if bots, client, server and Prometheus end as they should.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }
die() {
  printf 'docker: %s\n' "$*" >&2
  exit 1
}

# container SERVICE: prints the id of the containers of a service.
container() {
  $engine ps -aq --filter label=com.docker.compose.project=mobula-check \
    --filter label=com.docker.compose.service="$1"
}

wait_for_health() {
  local tries
  for ((tries = 0; tries < 60; ++tries)); do
    ! $engine exec "$1" mobula-server health >/dev/null 2>&1 || return 0
    sleep 0.5
  done
  die "the server does not live: $($engine logs "$1" 2>&1 | tail -n 5)"
}

# wait_for_zones NODES: waits until all four zones are open on nodes, of which there are NODES.
wait_for_zones() {
  local tries list=
  for ((tries = 0; tries < 120; ++tries)); do
    list=$($engine exec "$(container cluster)" mobula-cluster list --etcd http://etcd1:2379,http://etcd2:2379 2>/dev/null) || true
    if (($(grep -o '"state":"open"' <<<"$list" | wc -l) == 4 && $(grep -o '"admin"' <<<"$list" | wc -l) == $1)); then
      say "Four zones are open on $1 nodes"
      return
    fi
    sleep 0.5
  done
  die "the zones are not open: $list"
}

engine=podman failed=0
compose="podman-compose -p mobula-check -f docker/compose.yaml"
if docker info >/dev/null 2>&1; then
  engine=docker
  compose="docker compose -p mobula-check -f docker/compose.yaml"
else
  podman info >/dev/null 2>&1 && command -v podman-compose >/dev/null ||
    die "needs a running docker, or podman and podman-compose"
  export BUILDAH_FORMAT=docker  # podman's own image format has no HEALTHCHECK
fi
say "Building the images 'mobula', 'mobula-prometheus' and 'mobula-etcd' [$engine]"
$engine build -f docker/Dockerfile -t mobula .
$engine build -f docker/prometheus.Dockerfile -t mobula-prometheus docker
$engine build -f docker/etcd.Dockerfile -t mobula-etcd docker
export MOBULA_BOTS_SECONDS=15
say "Running docker/compose.yaml: a server, 20 bots, a client and Prometheus"
trap '$compose down -v >/dev/null 2>&1' EXIT
status=$($compose up -d 2>&1) || die "$status"
for service in bots client; do
  id=$(container $service)
  status=$(timeout 120 $engine wait "$id") || status="none within 120 s"
  say "$service: exit status $status"
  $engine logs "$id" 2>&1 | tail -n 12
  [[ $status == 0 ]] || failed=1
done
say "The page"
page=http://127.0.0.1:${MOBULA_WEB_PORT:-8080}
status=$(curl -sf "$page/token" | head -c 12) || status="no answer"
echo "$status…"
[[ $status == '{"tokens":["' ]] || failed=1
curl -sfo /dev/null "$page/demo_rules.wasm" || { echo "no rules to predict by" && failed=1; }
say "Prometheus"
for query in 'up{job="mobula"}' mobula_entities 'max_over_time(mobula_players[1m])'; do
  status=$($engine exec "$(container prometheus)" promtool query instant http://127.0.0.1:9090 "$query")
  echo "${status:-no answer: $query}"
  [[ $status =~ "=> "[1-9] ]] || failed=1
done
id=$(container server)
for status in stop kill; do
  say "server: $status, and again"
  sleep 3  # so that there is something new to save
  $engine $status "$id" >/dev/null 2>&1
  $engine start "$id" >/dev/null 2>&1
  wait_for_health "$id"
  $engine logs "$id" 2>&1 | grep -E 'saved as of|restored as of' | tail -n 2
done
(($($engine logs "$id" 2>&1 | grep -c 'restored as of') == 2)) || failed=1
say "server"
$engine logs "$id" 2>&1 | tail -n 12
$engine images --format '{{.Repository}} {{.Size}}' | grep -E '(mobula|bookworm-slim|/debian) '
((!failed)) || die "a container failed"
$compose down -v >/dev/null 2>&1
compose=${compose/compose.yaml/cluster.yaml}
say "Running docker/cluster.yaml: etcd, mobula-cluster, four nodes, bots and Prometheus"
MOBULA_BOTS_SECONDS=600
status=$($compose up -d etcd1 etcd2 etcd3 cluster node bots prometheus 2>&1) || die "$status"
wait_for_zones 4
say "A node is killed"
$engine kill "$(container node | head -n 1)" >/dev/null
wait_for_zones 3
sleep 5  # Prometheus scrapes
for query in mobula_cluster_nodes 'sum(mobula_players)' 'sum(mobula_zone_crossings_total)'; do
  status=$($engine exec "$(container prometheus)" promtool query instant http://127.0.0.1:9090 "$query")
  echo "${status:-no answer: $query}"
  [[ $status =~ "=> "[1-9] ]] || die "Prometheus has no such figure"
done
say "Built and run."
