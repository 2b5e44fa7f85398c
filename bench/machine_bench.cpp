// Calibration: what this machine does at present, to compare tables of different days. Ratios are compared first.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "ecs_world.hpp"

namespace mobula::bench {
namespace {

constexpr std::size_t entity_bytes = 48;

// Copies range(0) entities of 48 bytes: the reference for benchmarks that move full worlds.
void copy_48_bytes(benchmark::State& state) {
  const std::vector<char> from(entity_bytes * static_cast<std::size_t>(state.range(0)), 1);
  std::vector<char> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  report(state);
}

// Enters the kernel and returns.
void system_call(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(::syscall(SYS_getppid));
}

BENCHMARK(copy_48_bytes)->Name("machine/copy_48_bytes")->Arg(100'000);
BENCHMARK(system_call)->Name("machine/system_call");

}  // namespace
}  // namespace mobula::bench
