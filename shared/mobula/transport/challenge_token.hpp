// Challenge token: sent by the server to the address of a connection request, and returned by the client.
// Only a client that receives at that address can return it. The token carries the handshake's state, so the server
// need not store it; only the server can read or create one.
//
//   0    u64  client id
//   8    256  user data
//   264  20   zeros
//   284  16   tag
//
// Sealed with a key generated when the server starts, and with a sequence that is unique per challenge token.
#pragma once

#include <mobula/transport/connect_token.hpp>

namespace mobula::transport {

/// Content of a challenge token.
struct ChallengeToken {
  std::uint64_t client_id = 0;
  UserData user_data{};
};

/// Writes a sealed token. `out` has exactly challenge_token_bytes.
void seal_challenge(const ChallengeToken& token, std::uint64_t sequence, const core::SecretKey& key,
                    core::MutableBytes out);
/// Reads a sealed token of exactly challenge_token_bytes. Returns false if it was not sealed with this key.
bool open_challenge(core::ByteView sealed, std::uint64_t sequence, const core::SecretKey& key, ChallengeToken& token);

}  // namespace mobula::transport
