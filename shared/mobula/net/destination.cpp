#include <algorithm>
#include <array>
#include <mobula/core/format.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/net/resolve.hpp>

namespace mobula::net {
namespace {

struct Prefix {
  std::string_view text;
  transport::Pipe pipe;
  bool secure;
};
constexpr std::array prefixes{
    Prefix{"udp:", transport::Pipe::udp, false},
    Prefix{"tcp:", transport::Pipe::tcp, false},
    Prefix{"ws:", transport::Pipe::websocket, false},
    Prefix{"wss:", transport::Pipe::websocket, true},
};

// Returns letters before a colon and a HOST:PORT, for example "upd" in "upd:localhost:7777". Otherwise empty.
std::string_view unknown_prefix(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool prefixed = colon != std::string_view::npos && colon > 0 && text.find(':', colon + 1) != text.npos &&
                        std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), is_letter);
  return prefixed ? text.substr(0, colon) : std::string_view();
}

std::string host_in(std::string_view host_and_port) {
  std::string_view host = host_and_port.substr(0, host_and_port.rfind(':'));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return std::string(host);
}

}  // namespace

// A host may be named "tcp": "tcp:7777" is a host and a port.
core::Result<Destination> parse_destination(std::string_view text) {
  Destination destination;
  for (const Prefix& prefix : prefixes) {
    if (!text.starts_with(prefix.text) || text.find(':', prefix.text.size()) == std::string_view::npos) continue;
    text.remove_prefix(prefix.text.size());
    destination.address.pipe = prefix.pipe;
    destination.secure = prefix.secure;
    break;
  }
  if (const std::string_view other = unknown_prefix(text); !other.empty())
    return core::Error{"bad address", core::format("unknown pipe '{}'; known: udp, tcp, ws, wss", other)};
  const core::Result<transport::Address> found = resolve(text);
  if (!found) return found.error();
  destination.address.ip = found->ip;
  destination.address.port = found->port;
  destination.host = host_in(text);
  destination.host_and_port = text;
  return destination;
}

Destination destination_of(const transport::Address& address) {
  transport::Address bare = address;
  bare.pipe = transport::Pipe::udp;  // no prefix
  const std::string text = to_string(bare);
  return {address, false, host_in(text), text};
}

}  // namespace mobula::net
