#include <array>
#include <mobula/core/assert.hpp>
#include <mobula/transport/reason.hpp>

namespace mobula::transport {

std::string_view to_string(ReasonCode code) {
  static constexpr std::array<std::string_view, static_cast<std::size_t>(ReasonCode::count)> names{
      "none",      "other protocol version", "server full",    "refused",  "timed out",     "left",
      "kicked",    "shutting down",          "protocol error", "replaced", "token expired", "invalid token",
      "no answer", "handshake timed out",    "pipe lost",      "flooding", "moved"};
  MOBULA_ASSERT(code < ReasonCode::count, "not a reason code");
  return names[static_cast<std::size_t>(code)];
}

std::string to_string(const Reason& reason) {
  std::string text(to_string(reason.code));
  if (!reason.text.empty()) text.append(": ").append(reason.text);
  return text;
}

}  // namespace mobula::transport
