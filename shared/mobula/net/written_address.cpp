#include <algorithm>
#include <array>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/written_address.hpp>

namespace mobula::net {
namespace {

using transport::Pipe;

struct Scheme {
  std::string_view name;
  Pipe pipe;
  bool secure;
  std::uint16_t port;  // default; 0 for that of the game
};
constexpr std::array schemes{
    Scheme{"udp", Pipe::udp, false, 0},
    Scheme{"tcp", Pipe::tcp, false, 0},
    Scheme{"ws", Pipe::websocket, false, 80},
    Scheme{"wss", Pipe::websocket, true, 443},
};
constexpr std::size_t name_bytes_max = 20;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

const Scheme* find_scheme(std::string_view name) {
  const auto found = std::ranges::find_if(
      schemes, [&](const Scheme& each) { return std::ranges::equal(each.name, name, {}, small, small); });
  return found == schemes.end() ? nullptr : &*found;
}

core::Error unknown_scheme(std::string_view text, std::string_view name) {
  return bad_address(text,
                     core::format("unknown scheme '{}'; known: udp, tcp, ws, wss", core::shown(name, name_bytes_max)));
}

// Returns letters before a colon and a HOST:PORT, for example "upd" in "upd:localhost:7777". Otherwise empty.
std::string_view unknown_prefix(std::string_view text, std::size_t colon) {
  const bool prefixed = colon != std::string_view::npos && colon > 0 && text.find(':', colon + 1) != text.npos &&
                        std::ranges::all_of(text.substr(0, colon), is_letter);
  return prefixed ? text.substr(0, colon) : std::string_view();
}

core::Result<WrittenAddress> with_host(const Scheme& scheme, std::string_view host_and_port, std::string_view whole,
                                       std::uint16_t game_port) {
  core::Result<HostPort> at = parse_remote(host_and_port, whole, scheme.port == 0 ? game_port : scheme.port);
  if (!at) return at.error();
  return WrittenAddress{scheme.pipe, scheme.secure, std::move(*at)};
}

// Returns what is wrong with a URL apart from host and port; empty if nothing is. `rest` is authority and path.
std::string_view problem_of_url(const Scheme& scheme, std::string_view rest, std::size_t slash) {
  const std::string_view path = rest.substr(slash);
  if (rest.find('?') != rest.npos) return "a query ('?') is not supported; leave it out";
  if (rest.find('#') != rest.npos) return "a fragment ('#') is not supported; leave it out";
  if (rest.find('@') < slash) return "user info ('@') is not supported; a connect token identifies the client";
  if (scheme.pipe != Pipe::websocket && path.size() > 1) return "only ws and wss have a path; leave it out";
  if (std::ranges::any_of(path, [](char c) { return c <= ' ' || c >= 0x7f; }))
    return "the path has a character that a URL writes in percent-encoding, such as %20";
  return {};
}

core::Result<WrittenAddress> parse_url(std::string_view text, std::size_t colon, std::uint16_t game_port) {
  const Scheme* scheme = find_scheme(text.substr(0, colon));
  if (scheme == nullptr) return unknown_scheme(text, text.substr(0, colon));
  const std::string_view rest = text.substr(colon + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (const std::string_view problem = problem_of_url(*scheme, rest, slash); !problem.empty())
    return bad_address(text, problem);
  core::Result<WrittenAddress> address = with_host(*scheme, rest.substr(0, slash), text, game_port);
  if (address && slash < rest.size()) address->path = rest.substr(slash);
  return address;
}

}  // namespace

// A host may be named "tcp": "tcp:7777" is a host and a port.
core::Result<WrittenAddress> parse_address(std::string_view text, std::uint16_t game_port) {
  if (text.size() > written_address_bytes_max)
    return bad_address(text,
                       core::format("it has {} bytes; the maximum is {}", text.size(), written_address_bytes_max));
  const std::size_t colon = text.find(':');
  if (colon != text.npos && text.substr(colon).starts_with("://")) return parse_url(text, colon, game_port);
  if (text.find('/') != text.npos) return bad_address(text, "a path needs a URL, such as ws://HOST:PORT/PATH");
  const Scheme* scheme = colon == text.npos ? nullptr : find_scheme(text.substr(0, colon));
  const bool prefixed = scheme != nullptr && text.find_first_not_of("0123456789", colon + 1) != text.npos;
  if (prefixed) return with_host(*scheme, text.substr(colon + 1), text, game_port);
  if (const std::string_view name = unknown_prefix(text, colon); !name.empty()) return unknown_scheme(text, name);
  return with_host(schemes.front(), text, text, game_port);
}

std::string host_header(const WrittenAddress& address) {
  const std::string host = address.at.bracketed ? '[' + address.at.host + ']' : address.at.host;
  const bool is_default = std::ranges::any_of(schemes, [&](const Scheme& scheme) {
    return scheme.pipe == address.pipe && scheme.secure == address.secure && scheme.port == address.at.port;
  });
  return is_default ? host : core::format("{}:{}", host, address.at.port.value_or(0));
}

}  // namespace mobula::net
