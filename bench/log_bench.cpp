// Log lines that are not written: what a flood of them costs.
#include <benchmark/benchmark.h>

#include <mobula/core/log.hpp>
#include <mobula/core/log_repeats.hpp>

namespace mobula::bench {
namespace {

void drop(const core::LogRecord& record) { benchmark::DoNotOptimize(&record); }

// A line below its level; range(0) is whether a module has a level of its own.
void log_below_level(benchmark::State& state) {
  core::set_log_output(drop);
  core::LogLevels levels;
  if (state.range(0) != 0) levels.modules.emplace_back("net", core::LogLevel::debug);
  core::set_log_levels(std::move(levels));
  for (auto _ : state) core::log_debug("server", "tick {} of {}", 1, 2);
  core::set_log_levels({});
}

// A line that repeats others of this second, after range(0) other kinds of lines.
void log_repeat(benchmark::State& state) {
  core::set_log_output(drop);
  core::restart_log_repeats();
  for (std::int64_t kind = 0; kind < state.range(0); ++kind)
    core::log_formatted(core::LogLevel::warn, "server", core::format("line {} of another kind", kind), {});
  for (auto _ : state) core::log_warn("net", "dropped a datagram of {} from {}: {}", 1200, "192.0.2.1", "replayed");
}

BENCHMARK(log_below_level)->Name("log/below_level")->ArgName("module_levels")->Arg(0)->Arg(1);
BENCHMARK(log_repeat)->Name("log/repeat")->ArgName("other_kinds")->Arg(0)->Arg(30)->Arg(200);

}  // namespace
}  // namespace mobula::bench
