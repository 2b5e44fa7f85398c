#include <algorithm>
#include <array>
#include <mobula/process/service_links.hpp>

namespace mobula::process {
namespace {

constexpr std::array protocols{"TCP", "UDP", "SCTP"};

bool is_url(std::string_view value) {
  return value.starts_with("tcp://") || value.starts_with("udp://") || value.starts_with("sctp://");
}

// Removes a suffix; false if the text does not end with it.
bool cut(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "NAME_PORT_80_TCP"
bool names_a_port(std::string_view name) {
  const bool has_protocol =
      std::ranges::any_of(protocols, [&](const char* protocol) { return cut(name, protocol) && cut(name, "_"); });
  const std::size_t digits = name.size() - std::min(name.find_last_not_of("0123456789") + 1, name.size());
  name.remove_suffix(digits);
  return has_protocol && digits > 0 && name.ends_with("_PORT_");
}

}  // namespace

bool is_service_link(std::string_view name, std::string_view value) {
  if (name.ends_with("_SERVICE_HOST") || name.ends_with("_SERVICE_PORT")) return true;
  if (name.find("_SERVICE_PORT_") != std::string_view::npos) return true;
  if (name.ends_with("_PORT") && is_url(value)) return true;
  if (names_a_port(name)) return is_url(value);
  return (cut(name, "_PROTO") || cut(name, "_PORT") || cut(name, "_ADDR")) && names_a_port(name);
}

}  // namespace mobula::process
