#!/usr/bin/env bash
# Runs mobula-sim and tests of random worlds with new seeds, on all cores: tests/soak/worlds.sh BIN_DIR OUT_DIR MINUTES
# "worlds.sh programs" prints the programs that it needs. Prints the seeds and ticks that it ran. Logs of failed runs stay in
# OUT_DIR, as LOG.failed, with the command that repeats it. Status 0 if nothing has failed.
set -euo pipefail
# Programs, and those of their tests that run whichever seeds they are given (tests/seeds.hpp).
tests="server_tests:ClientView.EveryMirrored*:ClientView.EntitiesThatLeave*:ClientView.AClientThatLies*:Events.RandomEventsMatchTheReferenceModel
  interest_tests:InterestModel.*
  mirror_tests:*FlippedWords*"
if [[ ${1:-} == programs ]]; then
  for each in $tests mobula-sim; do echo "${each%%:*}"; done
  exit
fi
usage="usage: worlds.sh BIN_DIR OUT_DIR MINUTES"
bin=${1:?$usage}
out=${2:?$usage}
end=$((SECONDS + ${3:?$usage} * 60))
mkdir -p "$out"
find "$out" -maxdepth 1 -type f -delete

# COUNTS LOG COMMAND…
run_once() {
  local counts=$1 log=$2
  if nice "${@:3}" >"$log" 2>&1; then
    grep -oE '[0-9]+ seeds, [0-9]+ ticks' "$log" >>"$counts" || true
    rm -f "$log" "$log.trace"
  else
    mv "$log" "$log.failed"
    echo "failed: $log.failed"
  fi
}

run_on_one_core() {
  local counts=$out/$1.counts first each log
  while ((SECONDS < end)); do
    first=$(od -An -N5 -tu8 /dev/urandom | tr -d ' ')
    log=$out/mobula-sim.$first
    # Short plans find what needs a young world.
    run_once "$counts" "$log" "$bin/mobula-sim" --seed "$first" --seeds 20 --at-once 1 --ticks $((100 + first % 2400)) \
      --trace "$log.trace"
    for each in $tests; do
      run_once "$counts" "$out/${each%%:*}.$first" env MOBULA_SOAK_SEEDS=$first..$((first + 49)) \
        "$bin/${each%%:*}" --gtest_filter="${each#*:}"
    done
  done
}

for ((core = 0; core < $(nproc); ++core)); do run_on_one_core "$core" & done
wait
{ cat "$out"/*.counts 2>/dev/null || true; } | awk '{ seeds += $1; ticks += $3 } END { print seeds + 0 " seeds, " ticks + 0 " ticks" }'
failed=$(find "$out" -maxdepth 1 -name '*.failed' | wc -l)
((failed == 0)) && exit
echo "soak: $failed runs failed; their last words, and how to repeat them, are in $out" >&2
exit 1
