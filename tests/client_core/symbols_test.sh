#!/usr/bin/env bash
# Tests that symbols.sh names every kind of forbidden symbol, and accepts others: symbols_test.sh COMPILER
# Each case is an archive of one small source.
set -uo pipefail
compiler=${1:?usage: symbols_test.sh COMPILER}
checker=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/symbols.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect STATUS LIBRARY SOURCE [OPTION]: the archive of a source has this status, and the library is named.
expect() {
  local output status
  printf '%b\n' "$3" >"$dir/case.cpp"
  "$compiler" -std=c++20 -O1 -c "$dir/case.cpp" -o "$dir/case.o" || exit 1
  rm -f "$dir/libcase.a"
  ar rcs "$dir/libcase.a" "$dir/case.o"
  output=$("$checker" ${4:-} "$dir/libcase.a")
  status=$?
  if [[ $status != "$1" || ($2 && $output != *"libcase.a: $2: "*) ]]; then
    printf 'FAILED: %b\n  expected %s %s\n  got      %s %s\n' "$3" "$1" "$2" "$status" "$output" >&2
    failed=1
  fi
}

expect 0 '' '#include <string>\nstd::string twice(const std::string& text) { return text + text; }'
expect 0 '' '#include <memory>\nstd::shared_ptr<int> share(const std::shared_ptr<int>& one) { return one; }'
expect 0 '' '#include <stdexcept>\nvoid fail() { throw std::runtime_error("no"); }'
expect 1 exceptions '#include <stdexcept>\nvoid fail() { throw std::runtime_error("no"); }' --no-exceptions
expect 1 threads '#include <thread>\nvoid run(void (*code)()) { std::thread(code).detach(); }'
expect 1 threads '#include <mutex>\nvoid lock(std::mutex& mutex) { mutex.lock(); }'
expect 1 threads '#include <condition_variable>\nvoid wake(std::condition_variable& all) { all.notify_all(); }'
expect 1 files '#include <cstdio>\nvoid* file(const char* path) { return std::fopen(path, "r"); }'
expect 1 files '#include <fcntl.h>\nint file(const char* path) { return ::open(path, O_RDONLY); }'
expect 1 files '#include <filesystem>\nbool is(const char* path) { return std::filesystem::exists(path); }'
expect 1 files '#include <fstream>\nint first(const char* path) { return std::ifstream(path).get(); }'
expect 1 streams '#include <iostream>\nvoid print() { std::cout << 1; }'
expect 1 sockets '#include <sys/socket.h>\nint open_socket() { return ::socket(AF_INET, SOCK_DGRAM, 0); }'
expect 1 randomness '#include <random>\nunsigned random_number() { return std::random_device()(); }'
expect 1 clocks '#include <chrono>\nauto now() { return std::chrono::steady_clock::now(); }'
for library in boost spdlog CLI flatbuffers; do
  declare -A names=([boost]=Boost [spdlog]=spdlog [CLI]=CLI11 [flatbuffers]=FlatBuffers)
  expect 1 "${names[$library]}" "namespace $library { void call(); }\nvoid use() { $library::call(); }"
done
expect 1 OpenSSL 'extern "C" void SSL_new();\nvoid use() { SSL_new(); }'

"$checker" "$dir/missing.a" 2>/dev/null
[[ $? == 2 ]] || { echo "FAILED: a missing archive is not reported" >&2; failed=1; }
((failed)) || echo "symbols.sh names forbidden symbols"
exit $failed
