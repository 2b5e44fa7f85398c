#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/transport/challenge_token.hpp>

namespace mobula::transport {

void seal_challenge(const ChallengeToken& token, std::uint64_t sequence, const core::SecretKey& key,
                    core::MutableBytes out) {
  MOBULA_ASSERT(out.size() == challenge_token_bytes, "a challenge token has 300 bytes");
  std::fill(out.begin(), out.end(), std::byte{0});
  core::store(out.data(), token.client_id);
  core::store(out.data() + 8, token.user_data);
  core::seal(out, {}, sequence, key);
}

bool open_challenge(core::ByteView sealed, std::uint64_t sequence, const core::SecretKey& key, ChallengeToken& token) {
  MOBULA_ASSERT(sealed.size() == challenge_token_bytes, "a challenge token has 300 bytes");
  std::array<std::byte, challenge_token_bytes - core::seal_bytes> plain;
  if (!core::open(sealed, {}, sequence, key, plain)) return false;
  token.client_id = core::load<std::uint64_t>(plain.data());
  token.user_data = core::load<UserData>(plain.data() + 8);
  return true;
}

}  // namespace mobula::transport
