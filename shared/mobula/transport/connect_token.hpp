// Connect tokens of netcode 1.02. A backend gives one to a client that has logged in. It admits the client to one of
// the servers named in it. Its private part is sealed with a key shared by backend and servers.
//
// Private part (1024 bytes; a tag of 16 at the end, zeros before it):
//
//   0   u64  client id
//   8   i32  timeout in seconds; 0 or less disables it
//   12  u32  server addresses, 1 to 32, each:
//       u8   1: four bytes of IPv4; 2: eight u16 of IPv6
//       u16  port
//       32   key from client to server
//       32   key from server to client
//       256  user data
//
// Token (2048 bytes, zeros at the end):
//
//   0     13    "NETCODE 1.02", zero
//   13    u64   protocol id
//   21    u64   creation time, unix seconds
//   29    u64   expiry time, unix seconds
//   37    24    nonce of the private part
//   61    1024  private part, sealed; associated data: version, protocol id, expiry time
//   1085  i32   timeout
//   1089  u32   server addresses, as above
//         32    key from client to server
//         32    key from server to client
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/packet.hpp>
#include <vector>

namespace mobula::transport {

/// "MOBULA" in ASCII, and a version.
inline constexpr std::uint64_t mobula_protocol_id = 0x0001'414c'5542'4f4d;

inline constexpr std::size_t connect_token_bytes = 2048;
inline constexpr std::size_t token_servers_max = 32;

/// Data from the backend to the server about the client, for example the account. Encrypted: the client cannot read it.
using UserData = std::array<std::byte, 256>;

/// Identity of a client, from its token.
struct Identity {
  std::uint64_t client_id = 0;
  UserData user_data{};
};

// --- Making one ----------------------------------------------------------------------------------------------------

/// Content of a token to create.
struct TokenRequest {
  std::uint64_t protocol_id = mobula_protocol_id;
  std::uint64_t client_id = 0;  // unique per log-in: two concurrent sessions never share one
  UserData user_data{};
  std::vector<Address> servers;  // tried in this order; the token does not carry their pipes
  std::uint32_t expire_seconds = 60;
  std::int32_t timeout_seconds = 10;  // without a packet, ends a session or handshake step; <= 0 disables it
};

/// Random nonce and session keys of a token.
struct TokenSecrets {
  core::WideNonce nonce{};
  core::SecretKey client_to_server{};
  core::SecretKey server_to_client{};
};
/// Returns secrets from the operating system's random source. Two tokens must never share secrets.
TokenSecrets random_token_secrets();

/// Creates a token of connect_token_bytes. Errors: "no servers", "too many servers".
core::Result<core::Bytes> mint_token(const TokenRequest& request, const core::SecretKey& key,
                                     const TokenSecrets& secrets, std::uint64_t unix_time);

// --- The client's side ---------------------------------------------------------------------------------------------

/// Connect token as a client sees it; the private part is sealed.
struct ConnectToken {
  std::uint64_t protocol_id = 0;
  std::uint64_t create_time = 0;  // unix seconds
  std::uint64_t expire_time = 0;
  core::WideNonce nonce{};
  std::array<std::byte, private_token_bytes> private_part{};
  std::int32_t timeout_seconds = 0;
  std::vector<Address> servers;
  core::SecretKey client_to_server{};
  core::SecretKey server_to_client{};
};

/// Parses a token. Errors: "wrong size", "wrong version", "no servers", "too many servers", "wrong address type",
/// "expires before it is made".
core::Result<ConnectToken> read_token(core::ByteView bytes);
/// Returns the connect_token_bytes that read_token() parses. The token must name at most token_servers_max servers.
core::Bytes write_token(const ConnectToken& token);

// --- The server's side ---------------------------------------------------------------------------------------------

/// Private part of a connect token, decrypted.
struct PrivateToken {
  std::uint64_t client_id = 0;
  std::int32_t timeout_seconds = 0;
  std::uint32_t server_count = 0;
  std::array<Address, token_servers_max> servers;
  core::SecretKey client_to_server{};
  core::SecretKey server_to_client{};
  UserData user_data{};
};

/// Decrypts the private part of a request. Returns none, token_forged or token_malformed.
Drop open_private_token(const PacketDomain& domain, const ConnectRequest& request, const core::SecretKey& key,
                        PrivateToken& token);

}  // namespace mobula::transport
