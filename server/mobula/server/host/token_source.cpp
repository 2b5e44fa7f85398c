#include <algorithm>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/random.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/server/host/token_source.hpp>

namespace mobula::server {
namespace {

void copy_text(std::string_view text, transport::UserData& user_data) {
  const core::ByteView bytes = core::as_bytes(text.data(), std::min(text.size(), user_data.size()));
  std::copy(bytes.begin(), bytes.end(), user_data.begin());
}

}  // namespace

admin::TokenSource token_source(const TokenIssuer& issuer) {
  return issuer.shared ? admin::TokenSource() : own_tokens(issuer);
}

admin::TokenSource own_tokens(const TokenIssuer& issuer) {
  return [issuer](std::uint32_t count, std::string_view user_data) -> core::Result<std::vector<core::Bytes>> {
    std::vector<core::Bytes> tokens;
    for (std::uint32_t i = 0; i < count; ++i) {
      transport::Identity identity;
      core::random_bytes(std::as_writable_bytes(std::span(&identity.client_id, 1)));
      copy_text(user_data, identity.user_data);
      core::Result<core::Bytes> token = make_token(issuer, identity);
      if (!token) return token.error();
      tokens.push_back(std::move(*token));
    }
    return tokens;
  };
}

}  // namespace mobula::server
