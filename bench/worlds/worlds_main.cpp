// Memory, CPU time and punctuality of many empty worlds in one process.
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/host/worlds.hpp>

namespace {

using namespace mobula;

struct EmptyGame : server::Game {
  [[nodiscard]] core::ByteView schema() const override { return engine::schema_bytes(); }
  core::Result<ecs::Entity> join(server::World& world, const server::Player&) override {
    return world.registry().create();
  }
  void leave(server::World&, const server::Player&) override {}
};

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

std::string name_of(std::uint32_t world) { return "world-" + std::to_string(world); }

// Reports the worst of all worlds.
double late_p99_ms(server::Worlds& worlds) {
  std::uint64_t worst = 0;
  for (const auto& world : worlds.all())
    worst = std::max(worst, world->pacer().times().start_delay_ns.percentile(0.99));
  return core::in_ms(worst);
}

int measure(std::uint32_t count, double seconds) {
  server::Worlds worlds;
  EmptyGame game;
  server::HostConfig config;
  config.port = 0;
  config.tick_rate = 10;
  config.public_addresses = {"127.0.0.1:7777"};
  if (const auto first = worlds.open(name_of(0), config, game); !first) {
    std::cerr << "mobula-worlds: " << first.error().message << '\n';
    return 1;
  }
  const double before = resident_mb();
  for (std::uint32_t i = 1; i < count; ++i)
    if (const auto opened = worlds.open(name_of(i), config, game); !opened) {
      std::cerr << "mobula-worlds: " << opened.error().message << '\n';
      return 1;
    }
  process::print(core::format("{} worlds: {:.3f} MB each, {} open files\n", count, (resident_mb() - before) / count,
                              open_files()));
  const core::Nanoseconds begin = core::monotonic_now();
  const double cpu = cpu_seconds();
  worlds.on_tick([&] {
    const double passed = core::in_seconds(core::monotonic_now() - begin);
    if (passed < seconds || worlds.all().size() < count) return;
    process::print(core::format("{:.1f}% of a core, ticks begin at most {:.2f} ms late (p99)\n",
                                100 * (cpu_seconds() - cpu) / passed, late_p99_ms(worlds)));
    for (std::uint32_t i = 1; i < count; ++i) worlds.close(name_of(i));
    worlds.on_tick([&] { worlds.stop(); });
  });
  worlds.run();
  process::print(core::format("all closed: {:.1f} MB more than before\n", resident_mb() - before));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t count = 1000;
  double seconds = 10;
  CLI::App app("Measures many empty worlds at 10 ticks per second in one process.", "mobula-worlds");
  app.add_option("--worlds", count, "number of worlds")->check(CLI::Range(2, 10'000))->capture_default_str();
  app.add_option("--seconds", seconds, "time measured")->check(CLI::Range(0.1, 3600.0))->capture_default_str();
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  core::set_log_level(core::LogLevel::warn);
  return process::end_output("mobula-worlds", measure(count, seconds));
}
