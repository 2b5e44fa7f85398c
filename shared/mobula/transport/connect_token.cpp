#include <algorithm>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/transport/connect_token.hpp>

namespace mobula::transport {
namespace {

constexpr std::uint8_t ipv4 = 1;
constexpr std::uint8_t ipv6 = 2;

// Writer and Reader need no bounds checks: buffers have a fixed size, and the number of addresses is bounded.
class Writer {
 public:
  explicit Writer(core::MutableBytes out) : rest_(out) {}

  template <class T>
  void value(const T& value) {
    bytes(core::as_bytes(&value, 1));
  }
  void bytes(core::ByteView bytes) {
    std::copy(bytes.begin(), bytes.end(), rest_.begin());
    rest_ = rest_.subspan(bytes.size());
  }
  void address(const Address& address) {
    value(address.is_v4() ? ipv4 : ipv6);
    if (address.is_v4()) {
      bytes(core::as_bytes(address.ip.data() + 12, 4));
    } else {
      for (std::size_t i = 0; i < 16; i += 2) value(std::array{address.ip[i + 1], address.ip[i]});
    }
    value(address.port);
  }
  void addresses(const std::vector<Address>& addresses) {
    value(static_cast<std::uint32_t>(addresses.size()));
    for (const Address& each : addresses) address(each);
  }

 private:
  core::MutableBytes rest_;
};

class Reader {
 public:
  explicit Reader(core::ByteView bytes) : rest_(bytes) {}

  template <class T>
  void value(T& value) {
    value = core::load<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
  }
  // Returns false if the type is neither IPv4 nor IPv6.
  bool address(Address& address) {
    std::uint8_t type = 0;
    value(type);
    if (type != ipv4 && type != ipv6) return false;
    address = {};
    if (type == ipv4) {
      std::array<std::uint8_t, 4> ip{};
      value(ip);
      address = Address::v4(ip[0], ip[1], ip[2], ip[3], 0);
    } else {
      value(address.ip);
      for (std::size_t i = 0; i < 16; i += 2) std::swap(address.ip[i], address.ip[i + 1]);
    }
    value(address.port);
    return true;
  }

 private:
  core::ByteView rest_;
};

using TokenDomain = std::array<std::byte, version_bytes + 16>;
TokenDomain token_domain(std::uint64_t protocol_id, std::uint64_t expire_time) {
  TokenDomain domain{};
  Writer out(domain);
  out.bytes(netcode_version());
  out.value(protocol_id);
  out.value(expire_time);
  return domain;
}

using PrivateBytes = std::array<std::byte, private_token_bytes>;
PrivateBytes seal_private(const TokenRequest& request, const core::SecretKey& key, const TokenSecrets& secrets,
                          std::uint64_t expire_time) {
  PrivateBytes bytes{};
  Writer out(bytes);
  out.value(request.client_id);
  out.value(request.timeout_seconds);
  out.addresses(request.servers);
  out.value(secrets.client_to_server);
  out.value(secrets.server_to_client);
  out.value(request.user_data);
  core::seal(bytes, token_domain(request.protocol_id, expire_time), secrets.nonce, key);
  return bytes;
}

bool parse_private(core::ByteView bytes, PrivateToken& token) {
  Reader in(bytes);
  in.value(token.client_id);
  in.value(token.timeout_seconds);
  in.value(token.server_count);
  if (token.server_count == 0 || token.server_count > token_servers_max) return false;
  for (std::uint32_t i = 0; i < token.server_count; ++i) {
    if (!in.address(token.servers[i])) return false;
  }
  in.value(token.client_to_server);
  in.value(token.server_to_client);
  in.value(token.user_data);
  return true;
}

core::Error refused(const char* reason, const char* message) { return {reason, message}; }

}  // namespace

TokenSecrets random_token_secrets() {
  TokenSecrets secrets;
  core::random_bytes(secrets.nonce);
  core::random_bytes(secrets.client_to_server);
  core::random_bytes(secrets.server_to_client);
  return secrets;
}

core::Result<core::Bytes> mint_token(const TokenRequest& request, const core::SecretKey& key,
                                     const TokenSecrets& secrets, std::uint64_t unix_time) {
  if (request.servers.empty()) return refused("no servers", "a connect token must name a server");
  if (request.servers.size() > token_servers_max) {
    return refused("too many servers", "a connect token names at most 32 servers");
  }
  const std::uint64_t expire_time = unix_time + request.expire_seconds;
  return write_token({.protocol_id = request.protocol_id,
                      .create_time = unix_time,
                      .expire_time = expire_time,
                      .nonce = secrets.nonce,
                      .private_part = seal_private(request, key, secrets, expire_time),
                      .timeout_seconds = request.timeout_seconds,
                      .servers = request.servers,
                      .client_to_server = secrets.client_to_server,
                      .server_to_client = secrets.server_to_client});
}

core::Bytes write_token(const ConnectToken& token) {
  MOBULA_ASSERT(token.servers.size() <= token_servers_max, "a connect token names at most 32 servers");
  core::Bytes bytes(connect_token_bytes);
  Writer out(bytes);
  out.bytes(netcode_version());
  out.value(token.protocol_id);
  out.value(token.create_time);
  out.value(token.expire_time);
  out.value(token.nonce);
  out.value(token.private_part);
  out.value(token.timeout_seconds);
  out.addresses(token.servers);
  out.value(token.client_to_server);
  out.value(token.server_to_client);
  return bytes;
}

core::Result<ConnectToken> read_token(core::ByteView bytes) {
  if (bytes.size() != connect_token_bytes) return refused("wrong size", "a connect token has 2048 bytes");
  if (!std::equal(netcode_version().begin(), netcode_version().end(), bytes.begin())) {
    return refused("wrong version", "not a connect token of netcode 1.02");
  }
  ConnectToken token;
  Reader in(bytes.subspan(version_bytes));
  in.value(token.protocol_id);
  in.value(token.create_time);
  in.value(token.expire_time);
  if (token.create_time > token.expire_time) {
    return refused("expires before it is made", "the connect token expires before its creation time");
  }
  in.value(token.nonce);
  in.value(token.private_part);
  in.value(token.timeout_seconds);
  std::uint32_t count = 0;
  in.value(count);
  if (count == 0) return refused("no servers", "the connect token names no server");
  if (count > token_servers_max) return refused("too many servers", "the connect token names more than 32 servers");
  token.servers.resize(count);
  for (Address& server : token.servers) {
    if (!in.address(server)) return refused("wrong address type", "an address is neither IPv4 nor IPv6");
  }
  in.value(token.client_to_server);
  in.value(token.server_to_client);
  return token;
}

Drop open_private_token(const PacketDomain& domain, const ConnectRequest& request, const core::SecretKey& key,
                        PrivateToken& token) {
  PrivateBytes plain;
  if (!core::open(request.private_part, token_domain(domain.protocol_id(), request.expire_time), request.nonce, key,
                  plain)) {
    return Drop::token_forged;
  }
  const bool well_formed = parse_private(plain, token);
  core::wipe(plain);
  return well_formed ? Drop::none : Drop::token_malformed;
}

}  // namespace mobula::transport
