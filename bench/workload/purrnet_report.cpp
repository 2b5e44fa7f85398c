#include <mobula/core/format.hpp>

#include "workload/purrnet.hpp"

namespace mobula::bench {
namespace {

constexpr std::uint64_t udp_ip_bytes = 8 + 20;
constexpr std::array phase_names{"receive", "game", "publish", "choose", "encode", "seal and send"};
static_assert(phase_names.size() == static_cast<std::size_t>(server::TickPhase::count));

// Figures for one object, or one client. An update is one object in one tick for one client.
struct Figures {
  double goodput = 0;  // bytes per update
  double wire = 0;
  double down_kb = 0;  // per client and second
  double up_kb = 0;
  double up_datagrams = 0;  // per client and tick
  double us = 0;            // per client and tick
  std::array<double, phase_names.size()> phases_us{};
};

Figures figures_of(const ServerUse& use, const PurrnetOptions& options) {
  if (use.ticks == 0) return {};
  const double client_ticks = static_cast<double>(use.ticks) * options.clients;
  const auto wire = [&](std::uint64_t bytes, std::uint64_t datagrams) {
    return static_cast<double>(bytes + datagrams * udp_ip_bytes) / client_ticks;
  };
  const double down = wire(use.bytes_down, use.datagrams_down);
  Figures figures{.goodput = static_cast<double>(use.delta_bytes) / client_ticks / options.objects,
                  .wire = down / options.objects,
                  .down_kb = down * options.ticks_per_second / 1e3,
                  .up_kb = wire(use.bytes_up, use.datagrams_up) * options.ticks_per_second / 1e3,
                  .up_datagrams = static_cast<double>(use.datagrams_up) / client_ticks,
                  .us = static_cast<double>(use.cpu) / 1e3 / client_ticks,
                  .phases_us = {}};
  for (std::size_t i = 0; i < use.phases.size(); ++i)
    figures.phases_us[i] = static_cast<double>(use.phases[i]) / 1e3 / client_ticks;
  return figures;
}

}  // namespace

std::string to_json(const PurrnetReport& report, const PurrnetOptions& options) {
  const Figures figures = figures_of(report.server, options);
  return core::format(R"({{"wire_bytes_per_update":{:.3f},"goodput_bytes_per_update":{:.3f},)"
                      R"("kB_per_client_and_second":{:.3f},"kB_up_per_client_and_second":{:.3f},)"
                      R"("server_us_per_client_and_tick":{:.2f},"worst_position_error":{:.6f},)"
                      R"("worst_rotation_error":{:.6f},"compared":{},"missing":{},"mismatches":{}}})",
                      figures.wire, figures.goodput, figures.down_kb, figures.up_kb, figures.us, report.worst.position,
                      report.worst.rotation, report.compared, report.missing, report.mismatched_ticks);
}

std::string to_table(const PurrnetReport& report, const PurrnetOptions& options) {
  const Figures figures = figures_of(report.server, options);
  std::string text =
      core::format("{} clients, {} objects that {}, {} ticks per second, {} each way, {} ticks measured\n\n",
                   options.clients, options.objects, options.motion == Motion::wander ? "wander" : "move up and down",
                   options.ticks_per_second, options.latency, report.server.ticks);
  text += core::format("bytes per update        mean\n");
  text += core::format("goodput              {:7.3f}    deltas with their headers\n", figures.goodput);
  text += core::format("wire                 {:7.3f}    datagrams, with headers of UDP and IP too\n\n", figures.wire);
  text += core::format("kB per client and second: {:.2f} down, {:.2f} up in {:.2f} datagrams per tick\n",
                       figures.down_kb, figures.up_kb, figures.up_datagrams);
  text +=
      core::format("server: {:.2f} us of CPU time per client and tick; wall time of the tick's phases:\n ", figures.us);
  for (std::size_t i = 0; i < phase_names.size(); ++i)
    text += core::format(" {} {:.2f}", phase_names[i], figures.phases_us[i]);
  text += "\n\n";
  text += core::format(
      "worst errors: {:.6f} m of a coordinate, {:.6f} of a part of a rotation, in {} poses\n{} missing, {} ticks "
      "verified by hashes, {} mismatches\n",
      report.worst.position, report.worst.rotation, report.compared, report.missing, report.verified_ticks,
      report.mismatched_ticks);
  return text;
}

}  // namespace mobula::bench
