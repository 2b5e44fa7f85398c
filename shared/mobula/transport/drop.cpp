#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/transport/drop.hpp>

namespace mobula::transport {

std::string_view to_string(Drop drop) {
  static constexpr std::array<std::string_view, static_cast<std::size_t>(Drop::count)> names{"none",
                                                                                             "too long",
                                                                                             "too short",
                                                                                             "wrong type",
                                                                                             "wrong sequence bytes",
                                                                                             "unknown address",
                                                                                             "replayed",
                                                                                             "forged",
                                                                                             "wrong size",
                                                                                             "wrong state",
                                                                                             "wrong version",
                                                                                             "wrong protocol",
                                                                                             "token expired",
                                                                                             "address limit",
                                                                                             "global limit",
                                                                                             "token forged",
                                                                                             "token malformed",
                                                                                             "other server",
                                                                                             "address in use",
                                                                                             "client in use",
                                                                                             "token used",
                                                                                             "used tokens full",
                                                                                             "server full",
                                                                                             "handshakes full",
                                                                                             "challenge forged",
                                                                                             "stale challenge",
                                                                                             "flood",
                                                                                             "ended"};
  MOBULA_ASSERT(drop < Drop::count, "not a drop reason");
  return names[static_cast<std::size_t>(drop)];
}

std::string describe_new(const DropCounters& now, const DropCounters& before) {
  std::string text;
  for (auto drop = static_cast<std::size_t>(Drop::too_long); drop < now.counts.size(); ++drop) {
    if (now.counts[drop] <= before.counts[drop]) continue;
    text += core::format("{}{} {}", text.empty() ? "" : ", ", to_string(static_cast<Drop>(drop)),
                         now.counts[drop] - before.counts[drop]);
  }
  return text;
}

}  // namespace mobula::transport
