#include <algorithm>
#include <charconv>
#include <mobula/core/format.hpp>
#include <mobula/net/ip_text.hpp>
#include <mobula/net/proxy_header.hpp>

namespace mobula::net {
namespace {

using State = ProxyHeader::State;
using transport::Address;

constexpr std::string_view signature_v1 = "PROXY ";
constexpr std::string_view signature_v2("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t head_bytes_v2 = 16;

constexpr unsigned version_2 = 2;
constexpr unsigned command_local = 0;
constexpr unsigned command_proxy = 1;

struct Family {
  unsigned code;
  std::size_t ip_bytes;
};
constexpr std::array families{Family{0x11, 4}, Family{0x21, 16}};
constexpr unsigned family_unknown = 0;

ProxyHeader complete(std::size_t size, std::optional<Address> client = {}) { return {State::complete, size, client}; }

// Whether one of the two texts begins with the other.
bool agree(std::string_view a, std::string_view b) {
  const std::size_t both = std::min(a.size(), b.size());
  return a.substr(0, both) == b.substr(0, both);
}

// Removes the first word and the space after it. All of the text is a word if it has no space.
std::string_view take_word(std::string_view& text) {
  const std::size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  return word;
}

std::optional<std::uint16_t> parse_header_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool zero_first = text.size() > 1 && text[0] == '0';  // could be taken for octal
  if (error != std::errc() || end != text.data() + text.size() || zero_first) return std::nullopt;
  return port;
}

// Returns nothing if the address is not of the family, as of "TCP4" and "::1".
std::optional<Address> parse_ip_of(std::string_view family, std::string_view text) {
  const bool v6 = text.find(':') != std::string_view::npos;
  return v6 == (family == "TCP6") ? parse_ip(text) : std::nullopt;
}

const core::Error bad_line{"bad line", "expected PROXY, TCP4 or TCP6, two addresses, two ports; or PROXY UNKNOWN"};

// Reads what follows the signature, up to the end of the line.
core::Result<ProxyHeader> parse_line(std::string_view line, std::size_t size) {
  const std::string_view family = take_word(line);
  if (family == "UNKNOWN") return complete(size);
  if (family != "TCP4" && family != "TCP6") return bad_line;
  std::optional<Address> source = parse_ip_of(family, take_word(line));
  const bool has_destination = parse_ip_of(family, take_word(line)).has_value();
  const std::optional<std::uint16_t> port = parse_header_port(take_word(line));
  const bool has_destination_port = parse_header_port(line).has_value();  // the last word: no space may follow
  if (!source || !has_destination || !port || !has_destination_port) return bad_line;
  source->port = *port;
  return complete(size, source);
}

core::Result<ProxyHeader> parse_v1(std::string_view text) {
  const std::size_t end = text.substr(0, proxy_header_v1_bytes_max).find("\r\n");
  if (end != std::string_view::npos)
    return parse_line(text.substr(signature_v1.size(), end - signature_v1.size()), end + 2);
  if (text.size() < proxy_header_v1_bytes_max) return ProxyHeader{.state = State::incomplete};
  return core::Error{"too long", core::format("a line has at most {} bytes", proxy_header_v1_bytes_max)};
}

std::uint16_t big_endian(std::string_view bytes) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[0]) << 8 | static_cast<unsigned char>(bytes[1]));
}

Address source_of(std::string_view addresses, std::size_t ip_bytes) {
  Address source;
  if (ip_bytes == 4) source.ip[10] = source.ip[11] = 0xff;
  std::copy_n(addresses.begin(), ip_bytes, source.ip.end() - static_cast<std::ptrdiff_t>(ip_bytes));
  source.port = big_endian(addresses.substr(2 * ip_bytes));
  return source;
}

core::Result<ProxyHeader> parse_v2(std::string_view text) {
  if (text.size() < head_bytes_v2) return ProxyHeader{.state = State::incomplete};
  const auto byte = [&](std::size_t at) { return unsigned{static_cast<unsigned char>(text[at])}; };
  if (byte(12) >> 4 != version_2) return core::Error{"bad version", core::format("version {} is not 2", byte(12) >> 4)};
  const unsigned command = byte(12) & 0xf;
  if (command > command_proxy) return core::Error{"bad command", core::format("{} is neither 0 nor 1", command)};
  const std::size_t size = head_bytes_v2 + big_endian(text.substr(14));
  if (size > proxy_header_bytes_max)
    return core::Error{"too long", core::format("{} bytes; at most {}", size, proxy_header_bytes_max)};

  const bool names_client = command != command_local && byte(13) != family_unknown;
  const auto family = std::ranges::find(families, byte(13), &Family::code);
  if (names_client && family == families.end())
    return core::Error{"bad family", core::format("{:#x} is neither TCP over IPv4 nor over IPv6", byte(13))};
  if (names_client && size < head_bytes_v2 + 2 * family->ip_bytes + 4)
    return core::Error{"too short", core::format("{} bytes are too few for addresses and ports", size)};
  if (text.size() < size) return ProxyHeader{.state = State::incomplete};
  if (!names_client) return complete(size);
  return complete(size, source_of(text.substr(head_bytes_v2), family->ip_bytes));
}

}  // namespace

core::Result<ProxyHeader> parse_proxy_header(core::ByteView begin) {
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  const bool v1 = agree(text, signature_v1);
  if (!v1 && !agree(text, signature_v2)) return ProxyHeader{};
  if (text.size() < (v1 ? signature_v1 : signature_v2).size()) return ProxyHeader{.state = State::incomplete};
  return v1 ? parse_v1(text) : parse_v2(text);
}

}  // namespace mobula::net
