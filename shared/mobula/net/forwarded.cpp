#include <algorithm>
#include <charconv>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/forwarded.hpp>
#include <mobula/net/ip_text.hpp>
#include <vector>

namespace mobula::net {
namespace {

using transport::Address;

constexpr std::size_t shown_node_bytes = 60;
constexpr std::string_view decimal_digits = "0123456789";
constexpr std::string_view letters_and_digits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

// Text of each proxy's "for", first to last. Empty if a proxy does not name its client.
using Nodes = std::vector<std::string>;

// A node's address, empty if it is hidden.
using NodeAddress = std::optional<Address>;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool consists_of(std::string_view text, std::string_view characters, std::string_view more = {}) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return characters.find(c) != std::string_view::npos || more.find(c) != std::string_view::npos;
  });
}

// Checks for "_" and letters, digits, ".", "_" or "-": a name that only its proxy understands.
bool is_obfuscated(std::string_view text) {
  return text.starts_with('_') && consists_of(text.substr(1), letters_and_digits, "._-");
}

// Parses a port; 0 if it is obfuscated.
std::optional<std::uint16_t> parse_node_port(std::string_view text) {
  if (is_obfuscated(text)) return std::uint16_t{0};
  std::uint16_t port = 0;
  if (!consists_of(text, decimal_digits)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() ? std::optional(port) : std::nullopt;
}

core::Error bad_node(std::string_view text) {
  return {"bad node", core::format("'{}' is not an address", core::shown(text, shown_node_bytes))};
}

// Parses "192.0.2.1", "[2001:db8::1]", "unknown" or "_hidden", each with or without a port.
core::Result<NodeAddress> parse_node(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos) return bad_node(text);
  const std::string_view name = bracketed ? text.substr(1, end - 1) : text.substr(0, end);
  const std::string_view after = text.substr(bracketed ? end + 1 : name.size());
  const std::optional<std::uint16_t> port = after.empty() ? std::uint16_t{0} : parse_node_port(after.substr(1));
  if ((!after.empty() && after[0] != ':') || !port) return bad_node(text);

  if (!bracketed && (equal_ignoring_case(name, "unknown") || is_obfuscated(name))) return NodeAddress();
  NodeAddress address = parse_ip(name);
  const bool v6 = name.find(':') != std::string_view::npos;
  if (!address || v6 != bracketed) return bad_node(text);
  address->port = *port;
  return address;
}

// Like parse_node(), and also "2001:db8::1".
core::Result<NodeAddress> parse_listed_node(std::string_view text) {
  if (const NodeAddress address = parse_ip(text)) return address;
  return parse_node(text);
}

// Reads elements of Forwarded: pairs separated by ";", elements by ",". Quoted values may contain both.
class ElementReader {
 public:
  explicit ElementReader(std::string_view text) : rest_(text) {}

  // Appends the node of each element. Empty elements are skipped. Returns false if the text is malformed.
  bool read(Nodes& nodes) {
    for (;;) {
      bool has_pairs = false;
      std::optional<std::string> node;
      do {
        skip_spaces();
        if (rest_.empty() || rest_[0] == ';' || rest_[0] == ',') continue;
        has_pairs = true;
        if (!read_pair(node)) return false;
      } while (take(';'));
      if (has_pairs) nodes.push_back(node.value_or(std::string()));
      if (rest_.empty()) return true;
      if (!take(',')) return false;
    }
  }

 private:
  // Reads name=value. The value of "for" goes to `node`, which an element has once.
  bool read_pair(std::optional<std::string>& node) {
    const std::string_view name = take_token();
    std::string value;
    if (name.empty() || !take('=') || !read_value(value)) return false;
    skip_spaces();
    if (!equal_ignoring_case(name, "for")) return true;
    if (node) return false;
    node = std::move(value);
    return true;
  }

  bool read_value(std::string& value) {
    if (take('"')) return read_quoted(value);
    value = take_token();
    return !value.empty();
  }

  // Reads up to the closing quote. A backslash stands before a character that is taken as it is.
  bool read_quoted(std::string& value) {
    while (!take('"')) {
      take('\\');
      if (rest_.empty()) return false;
      value += rest_[0];
      rest_.remove_prefix(1);
    }
    return true;
  }

  std::string_view take_token() {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";  // RFC 9110, 5.6.2
    std::size_t size = 0;
    while (size < rest_.size() && consists_of(rest_.substr(size, 1), letters_and_digits, marks)) ++size;
    const std::string_view token = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return token;
  }

  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void skip_spaces() {
    while (take(' ') || take('\t')) continue;
  }

  std::string_view rest_;
};

Nodes split_list(std::string_view text) {
  Nodes nodes;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view node = core::trimmed(text.substr(0, comma));
    if (!node.empty()) nodes.emplace_back(node);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return nodes;
}

using ParseNode = core::Result<NodeAddress> (*)(std::string_view text);

// Follows the proxies from the last node to the client, as far as they are trusted.
core::Result<Address> follow(const Address& peer, const Nodes& nodes, ParseNode parse,
                             std::span<const AddressRange> trusted) {
  Address client = peer;
  for (auto node = nodes.rbegin(); node != nodes.rend() && contains(trusted, client); ++node) {
    if (node->empty()) break;
    const core::Result<NodeAddress> named = parse(*node);
    if (!named) return named.error();
    const NodeAddress& address = *named;
    if (!address) break;
    client.ip = address->ip;
    client.port = address->port != 0 ? address->port : peer.port;
  }
  return client;
}

core::Error refusal(const char* reason, std::string_view header, std::string_view message) {
  return {reason, core::format("{}: {}", header, message)};
}

core::Result<Address> follow_forwarded(const Address& peer, std::string_view text,
                                       std::span<const AddressRange> trusted) {
  Nodes nodes;
  if (!ElementReader(text).read(nodes)) return refusal("bad Forwarded", forwarded_header, "expected name=value pairs");
  core::Result<Address> client = follow(peer, nodes, parse_node, trusted);
  return client ? client : refusal("bad Forwarded", forwarded_header, client.error().message);
}

core::Result<Address> follow_x_forwarded_for(const Address& peer, std::string_view text,
                                             std::span<const AddressRange> trusted) {
  core::Result<Address> client = follow(peer, split_list(text), parse_listed_node, trusted);
  return client ? client : refusal("bad X-Forwarded-For", x_forwarded_for_header, client.error().message);
}

}  // namespace

core::Result<Address> client_of_request(const Address& peer, const ForwardedHeaders& headers,
                                        std::span<const AddressRange> trusted) {
  const bool forwarded = !core::trimmed(headers.forwarded).empty();
  const bool x_forwarded_for = !core::trimmed(headers.x_forwarded_for).empty();
  if (!contains(trusted, peer) || (!forwarded && !x_forwarded_for)) return peer;
  if (!forwarded) return follow_x_forwarded_for(peer, headers.x_forwarded_for, trusted);
  core::Result<Address> client = follow_forwarded(peer, headers.forwarded, trusted);
  if (!client || !x_forwarded_for) return client;
  const core::Result<Address> other = follow_x_forwarded_for(peer, headers.x_forwarded_for, trusted);
  if (!other) return other.error();
  if (other->ip == client->ip) return client;
  return core::Error{"two clients",
                     "Forwarded and X-Forwarded-For name different clients; the proxy must remove the one it does not "
                     "append to"};
}

std::string_view host_of_request(const Address& peer, std::string_view host, std::string_view x_forwarded_host,
                                 std::span<const AddressRange> trusted) {
  const std::string_view first = core::trimmed(x_forwarded_host.substr(0, x_forwarded_host.find(',')));
  return first.empty() || !contains(trusted, peer) ? host : first;
}

}  // namespace mobula::net
