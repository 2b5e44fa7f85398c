#!/usr/bin/env bash
# Measures how much of each decoder its fuzz target's corpus covers: tests/fuzz/coverage.sh BUILD FOUND [TARGET...]
# BUILD is a build of the preset `coverage`. The corpora are tests/fuzz/corpus/TARGET and, if it exists, FOUND/TARGET.
# BUILD/coverage/TARGET.txt marks uncovered lines.
# coverage.sh --check names targets without sources, and sources that do not exist.
set -euo pipefail

# A target and the sources that parse its input.
decoders='
admin         server/mobula/server/admin/router.cpp server/mobula/server/admin/url.cpp server/mobula/server/api/query.cpp
              server/mobula/server/api/entities.cpp server/mobula/server/api/sessions.cpp server/mobula/server/api/bans.cpp server/mobula/server/api/pools.cpp
              server/mobula/server/api/map_topic.cpp server/mobula/server/api/overview_topic.cpp server/mobula/server/api/process.cpp
              shared/mobula/index/properties.cpp shared/mobula/index/property_table.cpp shared/mobula/index/property_text.cpp
              shared/mobula/reflect/field_json.cpp shared/mobula/reflect/value.cpp shared/mobula/core/log_levels.cpp
answer        shared/mobula/net/http_connection.cpp client/mobula/client/pipe/access.cpp
bans          server/mobula/server/session/ban_list.cpp
c_client      client/c/client.cpp client/c/commands.cpp client/c/components.cpp client/c/events.cpp client/c/values.cpp
c_prediction  client/c/predictions.cpp client/c/predicted.cpp client/c/steps.cpp client/c/step_events.cpp
claims        server/mobula/server/rewind/view_claims.cpp
cluster       server/mobula/server/cluster/etcd_messages.cpp server/mobula/server/cluster/records.cpp
connection    client/mobula/client/connection/connection.cpp client/mobula/client/connection/delta_progress.cpp
              client/mobula/client/connection/resource_fetch.cpp client/mobula/client/connection/verification.cpp
              client/mobula/client/mirror/mirror.cpp client/mobula/client/mirror/mirror_level.cpp client/mobula/client/mirror/mirror_check.cpp
              client/mobula/client/mirror/mirror_hashes.cpp client/mobula/client/connection/event_queue.cpp client/mobula/client/connection/resource_store.cpp
              shared/mobula/wire/level_copy.cpp
datagram      shared/mobula/transport/server_endpoint.cpp shared/mobula/transport/server_handshake.cpp
              shared/mobula/transport/client_endpoint.cpp shared/mobula/transport/packet.cpp shared/mobula/transport/challenge_token.cpp
              shared/mobula/transport/connect_token.cpp
delta         client/mobula/client/mirror/delta_decoder.cpp shared/mobula/wire/delta.cpp shared/mobula/wire/entity_codec.cpp
delta_body    client/mobula/client/mirror/received_bodies.cpp
entity        shared/mobula/wire/entity_codec.cpp shared/mobula/wire/row_codec.cpp shared/mobula/wire/field_words.cpp
              shared/mobula/wire/residual_code.cpp shared/mobula/wire/motion.cpp
event_batch   shared/mobula/wire/event_batch.cpp
http          server/mobula/server/admin/connection.cpp server/mobula/server/admin/live_connection.cpp server/mobula/server/admin/auth_filter.cpp
              server/mobula/server/admin/router.cpp server/mobula/server/admin/same_machine.cpp server/mobula/server/admin/tokens.cpp
input         shared/mobula/wire/input.cpp
level_json    shared/mobula/resource/compiler/json.cpp shared/mobula/resource/compiler/compiler.cpp shared/mobula/resource/compiler/scene.cpp
              shared/mobula/resource/compiler/prefabs.cpp shared/mobula/resource/compiler/placements.cpp shared/mobula/resource/compiler/raw_parts.cpp
              shared/mobula/resource/compiler/sources.cpp shared/mobula/reflect/field_json.cpp shared/mobula/reflect/json_number.cpp
message       shared/mobula/wire/messages.cpp shared/mobula/wire/messages_encode.cpp
outcomes      client/mobula/client/prediction/command_timeline.cpp
pipe          shared/mobula/net/stream_connection.cpp shared/mobula/net/tcp_stream.cpp shared/mobula/net/websocket_stream.cpp
proxy         shared/mobula/net/proxy_header.cpp shared/mobula/net/forwarded.cpp shared/mobula/net/address_range.cpp
recording     client/mobula/client/connection/recording.cpp client/headless/replay.cpp
resource      shared/mobula/resource/resource.cpp shared/mobula/resource/verify.cpp shared/mobula/resource/spawner.cpp
              shared/mobula/resource/spawner_bind.cpp shared/mobula/resource/compiler/decompile.cpp shared/mobula/resource/compiler/component_json.cpp
              shared/mobula/resource/compiler/inspect.cpp
schema        shared/mobula/reflect/schema.cpp shared/mobula/reflect/declarations.cpp shared/mobula/reflect/attributes.cpp
              shared/mobula/reflect/describe.cpp
restore       server/mobula/server/session/checkpointer.cpp server/mobula/server/game/world.cpp server/mobula/server/game/level.cpp server/mobula/server/session/players.cpp
server        server/mobula/server/session/server.cpp server/mobula/server/session/sessions.cpp server/mobula/server/session/admission.cpp server/mobula/server/session/message_handler.cpp server/mobula/server/replication/mirror_verifier.cpp
              server/mobula/server/session/players.cpp server/mobula/server/session/rejoin_tokens.cpp server/mobula/server/replication/replicator.cpp server/mobula/server/session/client_session.cpp server/mobula/server/replication/client_view.cpp server/mobula/server/replication/client_view_verify.cpp server/mobula/server/game/command_buffer.cpp
              server/mobula/server/game/command_dispatch.cpp server/mobula/server/replication/level_offer.cpp server/mobula/server/replication/resource_transfer.cpp
session       shared/mobula/transport/session.cpp shared/mobula/transport/session_body.cpp shared/mobula/transport/reliable_receiver.cpp
              shared/mobula/transport/reliable_sender.cpp shared/mobula/transport/received_history.cpp
settings      shared/mobula/process/settings_file.cpp shared/mobula/process/setting.cpp
snapshot      shared/mobula/ecs/snapshot.cpp shared/mobula/ecs/snapshot_loader.cpp
spawn_keys    client/mobula/client/prediction/predicted_set.cpp client/mobula/client/prediction/predicted_spawns.cpp
store         server/mobula/server/store/world_file.cpp server/mobula/server/store/log_scan.cpp server/mobula/server/store/world_reader.cpp
              server/mobula/server/store/restorer.cpp server/mobula/server/store/component_table.cpp shared/mobula/reflect/migration.cpp
              shared/mobula/reflect/conversion.cpp shared/mobula/ecs/entity_pool_image.cpp shared/mobula/ecs/snapshot_loader.cpp
stream        shared/mobula/net/datagram_framing.cpp
text          shared/mobula/transport/simulation/conditions_text.cpp shared/mobula/core/base64.cpp shared/mobula/core/hex.cpp shared/mobula/process/key_file.cpp
              shared/mobula/net/resolve.cpp shared/mobula/net/destination.cpp shared/mobula/net/bearer_token.cpp
token         shared/mobula/transport/connect_token.cpp server/token/token_json.cpp
web           server/mobula/server/web/site.cpp server/mobula/server/web/site_route.cpp server/mobula/server/web/accepted.cpp
zones         server/mobula/server/zones/zone_map.cpp server/mobula/server/zones/zone_pass.cpp server/mobula/server/game/zone_pack.cpp
'

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

declare -A sources
while IFS= read -r row; do
  [[ $row =~ ^([a-z_]+)\  ]] && target=${BASH_REMATCH[1]} && row=${row#"$target"}
  [[ ! $row ]] || sources[$target]="${sources[$target]-} $row"
done <<<"$decoders"

check() {
  local each status=0
  for each in $(sed -nE 's/^mobula_fuzz\(([a-z_]+).*/\1/p' tests/fuzz/CMakeLists.txt); do
    [[ ${sources[$each]-} ]] || { echo "coverage.sh: target $each has no sources"; status=1; }
  done
  for each in ${sources[*]}; do
    [[ -f $each ]] || { echo "coverage.sh: there is no $each"; status=1; }
  done
  return $status
}

if [[ ${1:-} == --check ]]; then
  check
  exit
fi

build=${1:?usage: tests/fuzz/coverage.sh BUILD FOUND [TARGET...]}
found=${2:?usage: tests/fuzz/coverage.sh BUILD FOUND [TARGET...]}
shift 2
out=$build/coverage
mkdir -p "$out"

die() {
  printf 'coverage: %s\n' "$*" >&2
  exit 1
}

# Runs each input once.
profile() {
  local target=$1 folder corpora=()
  for folder in "tests/fuzz/corpus/$target" "$found/$target"; do
    [[ ! -d $folder ]] || corpora+=("$folder")
  done
  LLVM_PROFILE_FILE="$out/$target.profraw" "$build/bin/fuzz_$target" -runs=0 -close_fd_mask=3 "${corpora[@]}" \
    >/dev/null 2>"$out/$target.log" || die "$target fails on its corpus: run ./dev fuzz $target"
  llvm-profdata-19 merge -sparse "$out/$target.profraw" -o "$out/$target.profdata"
  rm "$out/$target.profraw"
}

# Prints a row for each source: target, source, lines, covered lines, regions, covered regions.
report() {
  local target=$1
  profile "$target"
  llvm-cov-19 show "$build/bin/fuzz_$target" -instr-profile="$out/$target.profdata" ${sources[$target]} >"$out/$target.txt"
  llvm-cov-19 report "$build/bin/fuzz_$target" -instr-profile="$out/$target.profdata" ${sources[$target]} |
    awk -v target="$target" -v sources="${sources[$target]}" '
      function ends_with(text, end) { return substr("/" text, length(text) - length(end) + 1) == "/" end }
      BEGIN { count = split(sources, path) }
      $1 ~ /[.][ch]pp$/ {  # its path or the end of it, as llvm-cov cuts a common prefix
        for (i = 1; i <= count; ++i) {
          if (!ends_with(path[i], $1) && !ends_with($1, path[i])) continue
          printf "%-12s %-44s %5d %5.1f %% %7d %5.1f %%\n", target, path[i], $8, $10, $2, $4
          seen[i] = 1
        }
      }
      END { for (i = 1; i <= count; ++i) if (!seen[i]) { print target, path[i] ": not in this program"; exit 1 } }'
}

targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(printf '%s\n' "${!sources[@]}" | sort)
printf '%-12s %-44s %5s %7s %7s %7s\n' target decoder lines covered regions covered
for target in "${targets[@]}"; do
  [[ ${sources[$target]-} ]] || die "no sources are listed for fuzz_$target: add them to tests/fuzz/coverage.sh"
  report "$target"
done
