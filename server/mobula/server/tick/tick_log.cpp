#include <mobula/server/tick/tick_log.hpp>

namespace mobula::server {

std::string_view to_string(TickPhase phase) {
  static constexpr std::array<std::string_view, tick_phase_count> names{"receive", "game",   "publish",
                                                                        "choose",  "encode", "seal"};
  return names[static_cast<std::size_t>(phase)];
}

void TickLog::add(const TickRow& row) {
  rows_[end_++ % rows_max] = row;
  for (std::size_t phase = 0; phase < tick_phase_count; ++phase) phases_[phase].add(row.phases[phase]);
}

}  // namespace mobula::server
