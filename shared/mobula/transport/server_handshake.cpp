// Handshakes of ServerEndpoint: connection requests and responses, with the checks in the order of the netcode
// standard.
#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/transport/server_endpoint.hpp>

namespace mobula::transport {
namespace {

// Minimum interval of `refused` events. The counters count every denial.
constexpr core::Nanoseconds refused_event_interval = 100 * core::millisecond;

constexpr std::uint64_t lifetime_seconds_max = 100ull * 365 * 86'400;  // upper limit for any token

bool is_same_server(const Address& a, const Address& b) { return a.ip == b.ip && a.port == b.port; }

}  // namespace

Drop ServerEndpoint::receive_request(const Address& from, core::ByteView datagram, core::Nanoseconds now,
                                     Output& output) {
  ConnectRequest request;
  if (const Drop drop = read_request(datagram, config_.protocol_id, request); drop != Drop::none) return drop;
  const bool expired = request.expire_time <= unix_time_;
  if (const Drop drop = limits_.pass(from, now); drop != Drop::none) return expired ? Drop::token_expired : drop;
  PrivateToken token;
  if (const Drop drop = open_private_token(domain_, request, config_.private_key, token); drop != Drop::none)
    return drop;
  if (expired) {
    counters_.expired_by = unix_time_ - request.expire_time;
    return Drop::token_expired;
  }
  if (!names_this_server(token)) return Drop::other_server;
  if (slots_.contains(from)) return Drop::address_in_use;
  if (slot_of_id_.contains(token.client_id)) return Drop::client_in_use;
  const auto tag = core::load<TokenTag>(request.private_part.last(core::seal_bytes).data());
  if (const Drop drop = use_token(tag, from, request.expire_time, now); drop != Drop::none) return drop;
  if (slots_.full()) return deny(from, token.server_to_client, now, output);
  if (const Drop drop = begin_handshake(tag, token, from, now); drop != Drop::none) return drop;
  challenge(from, token, output);
  return Drop::none;
}

bool ServerEndpoint::names_this_server(const PrivateToken& token) const {
  const std::span named(token.servers.data(), token.server_count);
  return std::any_of(named.begin(), named.end(), [&](const Address& server) {
    return std::any_of(config_.public_addresses.begin(), config_.public_addresses.end(),
                       [&](const Address& own) { return is_same_server(own, server); });
  });
}

Drop ServerEndpoint::use_token(const TokenTag& tag, const Address& from, std::uint64_t expire_time,
                               core::Nanoseconds now) {
  if (const std::uint32_t used = used_tokens_.find(tag); used != used_tokens_.none) {
    const UsedToken& token = used_tokens_[used];
    return token.address == from && !token.spent ? Drop::none : Drop::token_used;
  }
  if (used_tokens_.full()) return Drop::used_tokens_full;
  const std::uint64_t seconds = std::min(expire_time - unix_time_, lifetime_seconds_max);
  used_tokens_[used_tokens_.insert(tag)] = {.address = from,
                                            .expire_time = expire_time,
                                            .kept_until = now + static_cast<core::Nanoseconds>(seconds) * core::second};
  return Drop::none;
}

// A handshake keeps its keys until it ends: another token from the same address is refused until then.
Drop ServerEndpoint::begin_handshake(const TokenTag& tag, const PrivateToken& token, const Address& from,
                                     core::Nanoseconds now) {
  std::uint32_t at = handshakes_.find(from);
  if (at != handshakes_.none && handshakes_[at].expires <= now) {
    handshakes_.erase(at);
    at = handshakes_.none;
  }
  if (at == handshakes_.none) {
    if (handshakes_.full()) return Drop::handshakes_full;
    at = handshakes_.insert(from);
    handshakes_[at] = {.send_key = token.server_to_client,
                       .receive_key = token.client_to_server,
                       .token = tag,
                       .client_id = token.client_id,
                       .first_challenge = challenge_sequence_,
                       .timeout_seconds = token.timeout_seconds};
  } else if (handshakes_[at].token != tag) {
    return Drop::address_in_use;
  }
  const core::Nanoseconds timeout =
      token.timeout_seconds > 0 ? token.timeout_seconds * core::second : config_.handshake_timeout;
  handshakes_[at].expires = now + std::min(timeout, config_.handshake_timeout);
  return Drop::none;
}

Drop ServerEndpoint::deny(const Address& to, const core::SecretKey& key, core::Nanoseconds now, Output& output) {
  PacketBuffer packet;
  send_global(PacketType::denied, to, key, packet, 0, output);
  output.finished(to);
  if (now >= next_refused_event_) {
    next_refused_event_ = now + refused_event_interval;
    events_.push_back({ServerEvent::Kind::refused,
                       {},
                       to,
                       {ReasonCode::server_full, core::format("all {} sessions are taken", config_.sessions_max)}});
  }
  return Drop::server_full;
}

void ServerEndpoint::challenge(const Address& to, const PrivateToken& token, Output& output) {
  ++counters_.challenges;
  PacketBuffer packet;
  const core::MutableBytes body = packet.body();
  core::store(body.data(), challenge_sequence_);
  seal_challenge({token.client_id, token.user_data}, challenge_sequence_, config_.challenge_key,
                 body.subspan(8, challenge_token_bytes));
  ++challenge_sequence_;
  send_global(PacketType::challenge, to, token.server_to_client, packet, challenge_body_bytes, output);
}

// Packets sealed before the session use sequences from 2^63 on, which no session reaches.
void ServerEndpoint::send_global(PacketType type, const Address& to, const core::SecretKey& key, PacketBuffer& packet,
                                 std::size_t body_bytes, Output& output) {
  output.send(to, seal_packet(domain_, key, type, global_sequence_++, packet, body_bytes));
}

Drop ServerEndpoint::receive_response(const Address& from, const PacketHead& head, core::ByteView datagram,
                                      core::Nanoseconds now, Output& output) {
  const std::uint32_t at = handshakes_.find(from);
  if (at == handshakes_.none) return slots_.contains(from) ? Drop::address_in_use : Drop::unknown_address;
  const Handshake& handshake = handshakes_[at];
  if (handshake.expires <= now) return Drop::unknown_address;
  ReplayWindow responses_may_repeat;
  core::ByteView body;
  if (const Drop drop = open_body(domain_, handshake.receive_key, head, datagram, responses_may_repeat, opened_, body);
      drop != Drop::none)
    return drop;
  ChallengeToken token;
  if (const Drop drop = check_response(handshake, body, token); drop != Drop::none) return drop;
  if (slots_.contains(from)) return Drop::address_in_use;
  if (slot_of_id_.contains(token.client_id)) return Drop::client_in_use;
  if (slots_.full()) {
    const core::SecretKey key = handshake.send_key;
    handshakes_.erase(at);
    return deny(from, key, now, output);
  }
  connect(from, at, token, now, output);
  return Drop::none;
}

Drop ServerEndpoint::check_response(const Handshake& handshake, core::ByteView body, ChallengeToken& token) const {
  const auto sequence = core::load<std::uint64_t>(body.data());
  if (!open_challenge(body.subspan(8), sequence, config_.challenge_key, token)) return Drop::challenge_forged;
  const bool own = sequence >= handshake.first_challenge && token.client_id == handshake.client_id;
  return own ? Drop::none : Drop::stale_challenge;
}

void ServerEndpoint::connect(const Address& from, std::uint32_t handshake, const ChallengeToken& token,
                             core::Nanoseconds now, Output& output) {
  const Handshake& keys = handshakes_[handshake];
  const std::uint32_t at = slots_.insert(from);
  Slot& slot = slots_[at];
  slot.channel.send_key = keys.send_key;
  slot.channel.receive_key = keys.receive_key;
  slot.timeout = keys.timeout_seconds > 0 ? keys.timeout_seconds * core::second : 0;
  slot.last_received = now;
  slot.session = std::make_unique<Session>(config_.session, now);
  slot.identity = {token.client_id, token.user_data};
  slot.position = static_cast<std::uint32_t>(connected_.size());
  connected_.push_back(id_of(at));
  slot_of_id_[slot_of_id_.insert(token.client_id)] = at;
  if (const std::uint32_t used = used_tokens_.find(keys.token); used != used_tokens_.none) {
    used_tokens_[used].spent = true;
  }
  handshakes_.erase(handshake);
  if (const std::uint32_t old = closed_sessions_.find(from); old != closed_sessions_.none) closed_sessions_.erase(old);
  ServerEvent& event = events_.emplace_back();
  event.kind = ServerEvent::Kind::connected;
  event.session = id_of(at);
  event.address = from;
  event.identity = slot.identity;
  send_keep_alive(at, now, output);
}

}  // namespace mobula::transport
