#include <algorithm>
#include <charconv>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/ip_text.hpp>
#include <mobula/net/origin.hpp>

namespace mobula::net {
namespace {

constexpr std::size_t origin_bytes_max = 300;  // a name has at most 253

struct Scheme {
  std::string_view begin;
  std::string_view default_port;
};
constexpr Scheme http{"http://", ":80"};
constexpr Scheme https{"https://", ":443"};

std::string lowered(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

bool is_host(std::string_view text) {
  const bool v6 = text.starts_with('[') && text.ends_with(']');
  if (v6) text = text.substr(1, text.size() - 2);
  return !text.empty() && std::ranges::all_of(text, [v6](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || (v6 ? c == ':' : c == '-' || c == '_');
  });
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535 && text[0] != '0';
}

// Returns the host of "HOST[:PORT]" in lower case. Empty if it is malformed.
std::string_view host_part(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && !text.ends_with(']');
  if (has_port && !is_port(text.substr(colon + 1))) return {};
  const std::string_view host = has_port ? text.substr(0, colon) : text;
  return is_host(host) ? host : std::string_view();
}

// Returns the host of an origin in lower case. Empty if it is malformed, as "null" is.
std::string_view host_of_origin(std::string_view text) {
  const Scheme& own = text.starts_with(https.begin) ? https : http;
  if (!text.starts_with(own.begin) || text.ends_with(own.default_port) || text.size() > origin_bytes_max) return {};
  return host_part(text.substr(own.begin.size()));
}

}  // namespace

core::Status check_origin(std::string_view text) {
  if (!host_of_origin(text).empty()) return core::Done{};
  return core::Error{
      "bad origin",
      core::format("'{}' is not an origin; expected http://HOST[:PORT] or https://HOST[:PORT] as browsers "
                   "send it: in lower case, without a path and without the default port",
                   core::shown(text, 80))};
}

core::Status check_allowed_origin(std::string_view text) {
  return text == every_origin ? core::Status(core::Done{}) : check_origin(text);
}

core::Status check_local_origin(std::string_view text) {
  if (is_local_origin(text)) return core::Done{};
  return core::Error{"bad origin", core::format("'{}' is not an origin of this machine; expected http://HOST[:PORT] or "
                                                "https://HOST[:PORT] with HOST localhost, 127.0.0.1 or [::1]",
                                                core::shown(text, 80))};
}

bool is_local_origin(std::string_view origin) {
  std::string_view host = host_of_origin(origin);
  if (host == "localhost") return true;
  if (host.starts_with('[')) return host == "[::1]";
  const std::optional<transport::Address> ip = parse_ip(host);
  return ip && ip->is_v4() && ip->ip[12] == 127;
}

std::string host_without_port(std::string_view text) {
  const std::string small = lowered(text.substr(0, origin_bytes_max));
  return std::string(host_part(small));
}

bool OriginPolicy::permits(const std::optional<std::string>& origin, std::string_view host) const {
  if (!origin) return true;
  const std::string small = lowered(*origin);
  const auto allows = [&](const std::string& each) { return each == every_origin || each == small; };
  if (std::ranges::any_of(allowed, allows)) return true;
  const std::string_view page_host = host_of_origin(small);
  return !page_host.empty() && page_host == host_without_port(host);
}

}  // namespace mobula::net
