#!/usr/bin/env bash
# Runs suites of the C# tests beside a server with 1,000 entities that move: run.sh BUILD_DIR COMPILER SUITE…
# "Example" is the example program. A library with assertions must end the process of BusyTest. In a build with
# AddressSanitizer its runtime is preloaded into mono. Status 77 with other sanitizers, and without mono.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIR COMPILER SUITE…}
compiler=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../..
source "$root/tests/serve.sh"
command -v mono >/dev/null && [[ -e $build/csharp/Mobula.Client.dll ]] || exit 77
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
fail() {
  echo "$1" >&2
  exit 1
}

library=$build/lib/libmobula-client.so
mono_options=(env LD_LIBRARY_PATH="$build/lib" TEST_FOLDER="$dir")
undefined=$(nm -D --undefined-only "$library")
if grep -q __asan_ <<<"$undefined"; then
  asan=$("$compiler" -print-file-name="libclang_rt.asan-$(uname -m).so")
  [[ -e $asan ]] || exit 77
  # mono handles the signals of null references itself.
  mono_options+=(LD_PRELOAD="$asan"
                 ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigfpe=0:use_sigaltstack=0)
elif grep -qE '__(tsan|msan|ubsan|sancov)_' <<<"$undefined"; then
  exit 77
fi

cp "$build/schema/mobula_schema_demo_commands/demo_commands.bfbs" "$dir"
echo '{"body_type": "WalkTo", "body": {"x": 0, "z": 30}}' >"$dir/walk.json"
flatc --binary -o "$dir" "$root/schema/demo_commands.fbs" "$dir/walk.json"
"$build/bin/mobula-compile" "$here/crowd.json" -o "$dir/crowd.level" >/dev/null
serve "$dir/server.log" "$build/bin/mobula-server" --level "$dir/crowd.level" --port 0 --admin-port 0 --tick-rate 60
[[ $admin ]] || fail "the server did not start: $(cat "$dir/server.log")"

tests=("${mono_options[@]}" TEST_ADMIN="$admin" mono --debug "$build/csharp/csharp_tests.exe")
busy='two threads use one Mobula client at the same time'  # the text of the assertion
status=0
if [[ $3 == BusyTest ]] && grep -qF "$busy" "$library"; then
  # Mono leaves a report of the crash where it runs, and commands of a debugger in /tmp unless that is off.
  if (cd "$dir" && ulimit -c 0 && MONO_DEBUG=no-gdb-backtrace "${tests[@]}" BusyTest) >"$dir/out" 2>&1 || ! grep -qF "$busy" "$dir/out"; then
    cat "$dir/out"
    status=1
  fi
elif [[ $3 == Example ]]; then
  "${mono_options[@]}" mono "$build/csharp/Example.exe" "$admin" "$dir/demo_commands.bfbs" 3 | tee "$dir/out" || status=1
  # Three lines, and x grows.
  sed -nE 's/^tick [0-9]+: [0-9]+ entities, I am at \((-?[0-9.]+), -?[0-9.]+, -?[0-9.]+\)$/\1/p' "$dir/out" |
    awk 'NR > 1 && $1 <= before { still = 1 } { before = $1 } END { exit still || NR != 3 }' || status=1
else
  "${tests[@]}" "${@:3}" || status=1
fi
((status == 0)) || tail -n 20 "$dir/server.log" >&2
exit $status
