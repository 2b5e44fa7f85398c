#!/usr/bin/env bash
# Builds the images, runs docker/compose.yaml, stops and kills its server, and shows the results: docker/check.sh
# Needs a running docker, or podman and podman-compose. Status 0 only if bots, client, server and Prometheus end as they should.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }
die() {
  printf 'docker: %s\n' "$*" >&2
  exit 1
}

# container SERVICE: prints the id of the container of a service of docker/compose.yaml.
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
say "Building the images 'mobula' and 'mobula-prometheus' [$engine]"
$engine build -f docker/Dockerfile -t mobula .
$engine build -f docker/prometheus.Dockerfile -t mobula-prometheus docker
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
say "Built and run."
