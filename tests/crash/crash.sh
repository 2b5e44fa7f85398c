#!/usr/bin/env bash
# Kills a server under load repeatedly and checks its saved world: tests/crash/crash.sh BIN_DIR [ROUNDS] [SEED]
# Keeps the folder with world and logs if a round fails.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$(cd "${1:?usage: tests/crash/crash.sh BIN_DIR [ROUNDS] [SEED]}" && pwd)
dir=$(mktemp -d)
"$bin/mobula-compile" "$root/server/examples/demo/level/village.json" -o "$dir/village.level" >/dev/null
if "$bin/mobula-crash" "$bin" "$dir/village.level" "$dir" "${@:2}"; then
  rm -rf "$dir"
else
  echo "the world is in $dir"
  exit 1
fi
