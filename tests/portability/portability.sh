#!/usr/bin/env bash
# Builds the client core, its C interface and their suites for other platforms, and runs them: portability.sh PLATFORM…
#
#   gcc      this machine, g++ 12
#   libcxx   this machine, clang 19 with libc++
#   mingw    Windows on x86-64, mingw-w64, run by wine
#   arm64    Linux on arm64, g++ 12, run by qemu
#   server   everything, by clang 19 with libc++, and its tests
#   quick    what CI runs
#   all      all but quick
#
# Prints "PLATFORM: N passed, N failed, N skipped" for each. Status 1 if a test fails or a platform does not build.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
jobs=$(nproc)
every_suite='core ecs reflect hierarchy index wire transport demo_rules vectors vectors_c'

# A Windows of our own, without questions about its browser and its .NET. Its own files do not count as a test's.
export WINEPREFIX=$PWD/build/portability/mingw/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
unset DISPLAY

# Options of CMake, the libraries that Debian has no binary of, and what runs the programs.
toolchains=-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains
declare -A option=([gcc]=-DCMAKE_CXX_COMPILER=g++ [libcxx]=$toolchains/libcxx.cmake
                   [mingw]=$toolchains/x86_64-w64-mingw32.cmake [arm64]=$toolchains/aarch64-linux-gnu.cmake)
foreign='headers libsodium googletest fmt flatbuffers nlohmann-json'
declare -A libraries=([gcc]='' [libcxx]='googletest flatbuffers' [mingw]=$foreign [arm64]=$foreign)
declare -A emulator=([gcc]='' [libcxx]='' [mingw]="env TMPDIR=$WINEPREFIX wine" [arm64]='qemu-aarch64 -L /usr/aarch64-linux-gnu')
declare -A suffix=([mingw]=.exe)
declare -A c_compiler=([gcc]=gcc [libcxx]=clang-19 [mingw]=x86_64-w64-mingw32-gcc-posix [arm64]=aarch64-linux-gnu-gcc)

optimise=-O3
batch=12  # sources that are compiled as one; 0 means all of a target
# configure FOLDER OPTION…: suites are compiled together and not optimised, libraries as they are shipped.
configure() {
  cmake -S . -B "build/portability/$1/build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_PREFIX_PATH="$PWD/build/portability/$1/prefix" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=$batch \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" "${@:2}" >/dev/null
}

configure_client() {
  configure "$1" "${option[$1]}" "-DCMAKE_CXX_FLAGS_DEBUG=$optimise -g1" \
    -DMOBULA_CLIENT_ONLY=ON -DMOBULA_CLIENT_SUITES=ON "${@:2}"
}

# build PLATFORM SUITE…
build() {
  local targets=() suite tool=build/release/bin/mobula-schema-gen
  tests/portability/libraries.sh "$1" "build/portability/$1/prefix" ${libraries[$1]} || return 1
  if [[ ${emulator[$1]} ]]; then  # the program that generates code from schemas runs here, so it is built for here
    ./dev build release mobula-schema-gen || return 1
    configure_client "$1" -DMOBULA_SCHEMA_GEN="$PWD/$tool" || return 1
  else
    configure_client "$1" || return 1
  fi
  for suite in "${@:2}"; do targets+=("${suite}_tests"); done
  cmake --build "build/portability/$1/build" -j "$jobs" --target "${targets[@]}"
}

# run_c_host PLATFORM: a host in C99 with the shared library.
run_c_host() {
  local dir=build/portability/$1/build said
  local program=$dir/bin/c_host${suffix[$1]-}
  ${c_compiler[$1]} -std=c99 -Wall -Wextra -Wpedantic -Werror -Iclient/c tests/client/c/library.c -o "$program" \
    "-L$dir/lib" -lmobula-client "-Wl,-rpath,$PWD/$dir/lib" || return 1
  said=$($TEST_EMULATOR "$program" | tr -d '\r')
  [[ $said =~ ^[0-9]+[.][0-9]+[.][0-9]+' not a connect token'$ ]] || { echo "a host in C printed '$said'"; return 1; }
}

# run PLATFORM SUITE…: writes the counts of each suite to its folder.
run() {
  local suite status=0 bin=build/portability/$1/build/bin
  export TEST_EMULATOR=${emulator[$1]} TEST_COUNTS_FILE=$PWD/build/portability/$1/counts
  : >"$TEST_COUNTS_FILE"
  for suite in "${@:2}"; do
    echo "$1: $suite"
    tests/run_suite.sh "$bin/${suite}_tests${suffix[$1]-}" '*' 900 || status=1
    [[ $suite == vectors_c ]] || continue
    run_c_host "$1" && echo 'c_host 1 0 0' >>"$TEST_COUNTS_FILE" && continue
    echo 'c_host 0 1 0' >>"$TEST_COUNTS_FILE"
    status=1
  done
  [[ $1 != mingw ]] || wineserver -k  # else it lives on for seconds
  return $status
}

# client PLATFORM SUITE…: builds and runs them.
client() {
  build "$@" || { echo "$1: does not build"; return 1; }
  local status=0
  run "$@" || status=1
  awk -v platform="$1" '{ passed += $2; failed += $3; skipped += $4 }
    END { printf "%s: %d passed, %d failed, %d skipped\n", platform, passed, failed, skipped }' \
    "build/portability/$1/counts"
  return $status
}

# Everything: servers and programs too. Its C++ libraries are built with libc++ as well.
server() {
  tests/portability/libraries.sh libcxx build/portability/server/prefix fmt spdlog googletest flatbuffers prometheus-cpp &&
    configure server "${option[libcxx]}" -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DMOBULA_BENCH=OFF &&
    cmake --build build/portability/server/build -j "$jobs" --target quick || { echo "server: does not build"; return 1; }
  local counts=$PWD/build/portability/server/counts log=$PWD/build/portability/server/ctest.log status=0
  : >"$counts"
  # A C compiler links the static library with libstdc++ alone.
  TEST_COUNTS_FILE=$counts ctest --test-dir build/portability/server/build --output-on-failure -j "$jobs" -LE long \
    -E '^(package|docs|mutation|guarantees|inspector|client_core)/|client_c/libraries_serve' --output-log "$log" >/dev/null || status=1
  echo "server: $(tests/count.sh "$counts" "$log")" || status=1
  return $status
}

# Minutes instead of an hour of a processor: sessions that use most of the client core, where library and machine differ
# most from those of the tests. By clang, which takes less than half of g++'s time.
quick() {
  local status=0 optimise=-O1 batch=0 platform
  for platform in mingw arm64; do option[$platform]=${option[$platform]%.cmake}-clang.cmake; done
  client mingw demo_rules vectors vectors_c || status=1
  client arm64 demo_rules vectors vectors_c || status=1
  return $status
}

failed=0
(($#)) || set -- all
[[ $* != all ]] || set -- gcc libcxx mingw arm64 server
for platform in "$@"; do
  case $platform in
    gcc | libcxx | mingw | arm64) client "$platform" $every_suite || failed=1 ;;
    server | quick) "$platform" || failed=1 ;;
    *)
      echo "portability.sh: no platform '$platform'; there are: gcc libcxx mingw arm64 server quick all" >&2
      exit 2
      ;;
  esac
done
exit $failed
