#include <array>
#include <headless/event_lines.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/process/standard_output.hpp>

namespace mobula::client {

std::string event_line(const ReceivedEvent& event) {
  constexpr std::size_t shown_max = 64;
  const core::ByteView shown = core::ByteView(event.bytes).first(std::min(event.bytes.size(), shown_max));
  constexpr std::array<const char*, 3> notes{"", " (removed)", " (unknown)"};  // by Presence
  const std::string about =
      event.about ? " about " + to_string(event.about) + notes[static_cast<std::size_t>(event.presence)] : "";
  std::string line = core::format("event of tick {}{}: {} bytes", event.tick, about, event.bytes.size());
  if (!shown.empty()) line += " " + core::to_hex(shown);
  return shown.size() < event.bytes.size() ? line + "…" : line;
}

void EventLines::print(const Connection& connection, core::Nanoseconds now) {
  if (std::exchange(printed_, connection.stats().events) == connection.stats().events) return;
  for (const ReceivedEvent& event : connection.events())
    if (limit_.admit(now)) process::print(event_line(event) + limit_.more() + '\n');
}

}  // namespace mobula::client
