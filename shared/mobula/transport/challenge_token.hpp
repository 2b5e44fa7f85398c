// The server's question to a client that showed a connect token: only who receives at the address it came from can give
// this token back. The server keeps its content out of its own memory; nobody else can read or make one.
//
//   0    u64  client id
//   8    256  user data
//   264  20   zeros
//   284  16   tag
//
// Sealed with a key that the server makes at its start, and with a sequence that no other challenge token has.
#pragma once

#include <mobula/transport/connect_token.hpp>

namespace mobula::transport {

struct ChallengeToken {
  std::uint64_t client_id = 0;
  UserData user_data{};
};

// Into exactly challenge_token_bytes.
void seal_challenge(const ChallengeToken& token, std::uint64_t sequence, const core::SecretKey& key,
                    core::MutableBytes out);
// From exactly challenge_token_bytes. False: not made by who has the key.
bool open_challenge(core::ByteView sealed, std::uint64_t sequence, const core::SecretKey& key, ChallengeToken& token);

}  // namespace mobula::transport
