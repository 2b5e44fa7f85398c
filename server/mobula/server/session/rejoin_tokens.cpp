#include <mobula/core/log.hpp>
#include <mobula/server/session/rejoin_tokens.hpp>
#include <mobula/transport/connect_token.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {
namespace {

// A token stays valid for two intervals, and for the grace period after them.
constexpr core::Nanoseconds rejoin_token_interval = 300 * core::second;
constexpr std::uint32_t rejoin_token_seconds = 600;

transport::TokenSecrets next_secrets(core::SecretStream& stream) {
  transport::TokenSecrets secrets;
  stream.fill(secrets.nonce);
  stream.fill(secrets.client_to_server);
  stream.fill(secrets.server_to_client);
  return secrets;
}

}  // namespace

void RejoinTokenIssuer::send(ClientSession& session, transport::Session& connection, core::Nanoseconds now,
                             std::uint64_t unix_seconds) {
  static_assert(RejoinIds::per_session <= wire::max_rejoin_tokens);
  if (session.rejoin_number == 0) sessions_.set_rejoin_number(session, ids_.next_session());
  session.next_rejoin_tokens = now + rejoin_token_interval;
  const auto expire_seconds = rejoin_token_seconds + static_cast<std::uint32_t>(config_.rejoin_grace / core::second);
  wire::RejoinTokens message{.tokens = {},
                             .grace_seconds = static_cast<std::uint32_t>(config_.rejoin_grace / core::second)};
  for (std::uint32_t which = 0; which < RejoinIds::per_session; ++which) {
    const transport::TokenRequest request{.protocol_id = config_.transport.protocol_id,
                                          .client_id = ids_.make(session.rejoin_number, which),
                                          .user_data = session.player.identity.user_data,
                                          .servers = config_.token_servers,
                                          .expire_seconds = expire_seconds};
    // Two connections never have the same client id at a time, so the current connection's id is left out.
    if (request.client_id == endpoint_.identity(session.transport_id).client_id) continue;
    const core::Result<core::Bytes> token =
        transport::mint_token(request, config_.transport.private_key, next_secrets(secrets_), unix_seconds);
    if (!token) return core::log_error("server", "cannot make rejoin tokens: {}", token.error().message);
    message.tokens.insert(message.tokens.end(), token->begin(), token->end());
  }
  static_cast<void>(connection.send_reliable(wire::encode(message)));  // if the lane is full, the tokens matter least
}

}  // namespace mobula::server
