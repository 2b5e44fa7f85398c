#!/usr/bin/env bash
# How much of each decoder its fuzz target's corpus reaches: tests/fuzz/coverage.sh BUILD FOUND [TARGET...]
# BUILD is of the preset `coverage`; the corpora are tests/fuzz/corpus/TARGET and, where it is there, FOUND/TARGET.
# What is not reached is shown, line by line, in BUILD/coverage/TARGET.txt.
set -euo pipefail

# The target, then the sources that read what it is given.
decoders='
admin         server/admin/router.cpp server/admin/url.cpp server/api/asking.cpp
              server/api/entities.cpp server/api/sessions.cpp server/api/bans.cpp server/api/pools.cpp
              server/api/map_topic.cpp server/api/overview_topic.cpp server/api/process.cpp
              shared/index/properties.cpp shared/index/property_table.cpp shared/index/property_text.cpp
              shared/reflect/field_json.cpp shared/reflect/value.cpp shared/core/log_levels.cpp
answer        shared/net/http_client.cpp client/access.cpp
bans          server/ban_list.cpp
connection    client/connection.cpp client/mirror.cpp client/mirror_level.cpp client/mirror_check.cpp
              client/mirror_hashes.cpp client/event_queue.cpp client/resource_store.cpp
              shared/wire/level_copy.cpp
datagram      shared/transport/server_endpoint.cpp shared/transport/server_handshake.cpp
              shared/transport/client_endpoint.cpp shared/transport/packet.cpp shared/transport/challenge_token.cpp
              shared/transport/connect_token.cpp
delta         client/delta_decoder.cpp shared/wire/delta.cpp shared/wire/entity_codec.cpp
entity        shared/wire/entity_codec.cpp shared/wire/row_codec.cpp shared/wire/field_words.cpp
              shared/wire/residual_code.cpp shared/wire/motion.cpp
event_batch   shared/wire/event_batch.cpp
http          server/admin/connection.cpp server/admin/live_connection.cpp server/admin/gate.cpp
              server/admin/router.cpp server/admin/same_machine.cpp server/admin/tokens.cpp
input         shared/wire/input.cpp
level_json    shared/resource/json.cpp shared/resource/compiler.cpp shared/resource/scene.cpp
              shared/resource/prefabs.cpp shared/resource/placements.cpp shared/resource/raw_parts.cpp
              shared/resource/sources.cpp shared/reflect/field_json.cpp shared/reflect/json_number.cpp
message       shared/wire/messages.cpp
pipe          shared/net/stream_connection.cpp shared/net/tcp_stream.cpp shared/net/websocket_stream.cpp
recording     client/recording.cpp client/replay.cpp
resource      shared/resource/resource.cpp shared/resource/verify.cpp shared/resource/spawner.cpp
              shared/resource/spawner_bind.cpp shared/resource/decompile.cpp shared/resource/component_json.cpp
              shared/resource/inspect.cpp
schema        shared/reflect/schema.cpp shared/reflect/declarations.cpp shared/reflect/attributes.cpp
              shared/reflect/describe.cpp
restore       server/server_store.cpp server/world.cpp server/level.cpp server/server_join.cpp
server        server/server.cpp server/server_sessions.cpp server/server_join.cpp server/server_verify.cpp
              server/session.cpp server/client_view.cpp server/client_view_verify.cpp server/command_buffer.cpp
              server/command_dispatch.cpp server/level_offer.cpp server/resource_transfer.cpp
session       shared/transport/session.cpp shared/transport/session_body.cpp shared/transport/reliable_receiver.cpp
              shared/transport/reliable_sender.cpp shared/transport/received_history.cpp
settings      shared/core/settings_file.cpp shared/core/setting.cpp
snapshot      shared/ecs/snapshot.cpp shared/ecs/snapshot_loader.cpp
store         server/store/world_file.cpp server/store/log_scan.cpp server/store/world_reader.cpp
              server/store/restorer.cpp server/store/component_table.cpp shared/reflect/migration.cpp
              shared/reflect/conversion.cpp shared/ecs/entity_pool_image.cpp shared/ecs/snapshot_loader.cpp
stream        shared/net/datagram_framing.cpp
text          shared/transport/conditions_text.cpp shared/core/base64.cpp shared/core/hex.cpp shared/core/key_file.cpp
              shared/net/resolve.cpp shared/net/destination.cpp shared/net/bearer_token.cpp
token         shared/transport/connect_token.cpp server/token_json.cpp
'

build=${1:?usage: tests/fuzz/coverage.sh BUILD FOUND [TARGET...]}
found=${2:?usage: tests/fuzz/coverage.sh BUILD FOUND [TARGET...]}
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$build/coverage
mkdir -p "$out"

declare -A sources
while IFS= read -r row; do
  [[ $row =~ ^([a-z_]+)\  ]] && target=${BASH_REMATCH[1]} && row=${row#"$target"}
  [[ ! $row ]] || sources[$target]="${sources[$target]-} $row"
done <<<"$decoders"

die() {
  printf 'coverage: %s\n' "$*" >&2
  exit 1
}

# Every input once.
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

# A row for each source: target, source, lines and regions, covered and all.
report() {
  local target=$1
  profile "$target"
  llvm-cov-19 show "$build/bin/fuzz_$target" -instr-profile="$out/$target.profdata" ${sources[$target]} >"$out/$target.txt"
  llvm-cov-19 report "$build/bin/fuzz_$target" -instr-profile="$out/$target.profdata" ${sources[$target]} |
    awk -v target="$target" -v sources="${sources[$target]}" '
      function ends_with(text, end) { return substr("/" text, length(text) - length(end) + 1) == "/" end }
      BEGIN { count = split(sources, path) }
      $1 ~ /[.][ch]pp$/ {  # by its path, or by so much of it as tells it from the others
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
  [[ ${sources[$target]-} ]] || die "which sources does fuzz_$target feed? Say so in tests/fuzz/coverage.sh"
  report "$target"
done
