#include <headless/mirror_report.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {

std::string summary_line(const Connection& connection, const ConnectionStats& before) {
  const ConnectionStats& now = connection.stats();
  if (connection.mirror() == nullptr) return "connecting\n";
  return core::format("tick {}: {} entities, {} ticks and {:.1f} KB in the last second, {} verified, {} mismatched\n",
                      connection.mirror()->tick(), connection.mirror()->size(), now.ticks - before.ticks,
                      static_cast<double>(now.bytes_received - before.bytes_received) / 1000, now.verified_ticks,
                      now.mismatched_ticks);
}

std::string final_line(const Connection& connection, std::string_view more) {
  const ConnectionStats& stats = connection.stats();
  const Mirror* mirror = connection.mirror();
  return core::format(
      R"({{"ticks":{},"entities":{},"verified_ticks":{},"mismatched_ticks":{},"bytes_received":{},"state_hash":"{:016x}"{}}})"
      "\n",
      stats.ticks, mirror == nullptr ? 0 : mirror->size(), stats.verified_ticks, stats.mismatched_ticks,
      stats.bytes_received, mirror == nullptr ? 0 : mirror->hash(), more);
}

bool verified(const ConnectionStats& stats) { return stats.verified_ticks > 0 && stats.mismatched_ticks == 0; }

bool has_ticks(const ConnectionStats& stats, std::uint64_t wanted) {
  const bool checked = stats.verified_ticks + stats.mismatched_ticks > 0;
  return wanted != 0 && stats.ticks >= wanted && checked;
}

bool has_reached(const Connection& connection, ecs::Tick wanted) {
  return wanted != 0 && connection.mirror() != nullptr && connection.mirror()->tick() >= wanted;
}

}  // namespace mobula::client
