#include <algorithm>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <utility>

namespace mobula::transport {
namespace {

constexpr PacketTypes accepted_from_servers = only(PacketType::denied) | only(PacketType::challenge) |
                                              only(PacketType::keep_alive) | only(PacketType::payload) |
                                              only(PacketType::disconnect);

// Tokens come from outside, and not always through read_token().
bool well_formed(const ConnectToken& token) {
  return !token.servers.empty() && token.servers.size() <= token_servers_max && token.create_time <= token.expire_time;
}

}  // namespace

ClientEndpoint::ClientEndpoint(const ClientEndpointConfig& config, core::Nanoseconds now)
    : config_(config),
      domain_(config.token.protocol_id),
      started_(now),
      last_call_(now),
      session_(config.session, now) {
  if (config_.servers.empty()) config_.servers = config_.token.servers;
  if (config_.servers.empty()) config_.servers.emplace_back();  // server() needs an element
  channel_.send_key = config_.token.client_to_server;
  channel_.receive_key = config_.token.server_to_client;
  begin(now);
  if (!well_formed(config_.token)) {
    end({ReasonCode::invalid_token, "the connect token is inconsistent: no server, too many servers, or bad times"});
  }
}

// The send sequence is not reset: the keys are the same at the next server, and a nonce must not repeat.
void ClientEndpoint::begin(core::Nanoseconds now) {
  step_ = Step::requesting;
  channel_.received = {};
  last_received_ = now;
  next_step_ = now;
}

// --- Receiving -----------------------------------------------------------------------------------------------------

// A client that was stopped for as long as the timeout is lost, as the server has seen it. Datagrams that have waited
// in its socket since then are too old to be of use.
void ClientEndpoint::note_pause(core::Nanoseconds now) {
  const core::Nanoseconds pause = now - std::exchange(last_call_, now);
  if (step_ == Step::connected && timeout() > 0 && pause >= timeout()) pause_ = pause;
}

void ClientEndpoint::receive(const Address& from, core::ByteView datagram, core::Nanoseconds now) {
  note_pause(now);
  dropped_.count(handle(from, datagram, now));
}

Drop ClientEndpoint::handle(const Address& from, core::ByteView datagram, core::Nanoseconds now) {
  if (step_ == Step::closed || pause_ > 0) return Drop::ended;
  if (!(from == server())) return Drop::unknown_address;
  if (datagram.size() > datagram_bytes_max) return Drop::too_long;
  PacketHead head;
  if (const Drop drop = read_head(datagram, accepted_from_servers, head); drop != Drop::none) return drop;
  core::ByteView body;
  if (const Drop drop = open_body(domain_, channel_.receive_key, head, datagram, channel_.received, opened_, body);
      drop != Drop::none)
    return drop;
  answered_ = true;
  switch (head.type) {
    case PacketType::denied: return on_denied(now);
    case PacketType::challenge: return on_challenge(body, now);
    case PacketType::keep_alive: return on_keep_alive(body, now);
    case PacketType::payload: return on_payload(body, now);
    case PacketType::disconnect: return on_disconnect();
    default: return Drop::wrong_type;
  }
}

Drop ClientEndpoint::on_denied(core::Nanoseconds now) {
  if (step_ == Step::connected) return Drop::wrong_state;
  try_next({ReasonCode::server_full, core::format("{} is full", to_string(server()))}, now);
  return Drop::none;
}

Drop ClientEndpoint::on_challenge(core::ByteView body, core::Nanoseconds now) {
  if (step_ != Step::requesting) return Drop::wrong_state;
  std::copy(body.begin(), body.end(), challenge_.begin());
  step_ = Step::responding;
  last_received_ = now;
  next_step_ = now;
  return Drop::none;
}

Drop ClientEndpoint::on_keep_alive(core::ByteView body, core::Nanoseconds now) {
  if (step_ == Step::requesting) return Drop::wrong_state;
  if (step_ == Step::responding) {
    client_index_ = core::load<std::uint32_t>(body.data());
    clients_max_ = core::load<std::uint32_t>(body.data() + 4);
    step_ = Step::connected;
    last_sent_ = now - config_.keepalive_interval;  // due now: the server waits for a first packet of the session
  }
  last_received_ = now;
  return Drop::none;
}

Drop ClientEndpoint::on_payload(core::ByteView body, core::Nanoseconds now) {
  if (step_ != Step::connected) return Drop::wrong_state;
  last_received_ = now;
  session_.receive(body, now);
  if (const std::optional<Reason>& reason = session_.disconnect_reason(); reason) end(*reason);
  return Drop::none;
}

Drop ClientEndpoint::on_disconnect() {
  if (step_ != Step::connected) return Drop::wrong_state;
  end({ReasonCode::left, "the server closed the connection"});
  return Drop::none;
}

// --- The owner's side ----------------------------------------------------------------------------------------------

void ClientEndpoint::update(core::Nanoseconds now, Output& output) {
  note_pause(now);
  if (step_ == Step::connected) return update_session(now, output);
  if (step_ != Step::closed) update_handshake(now, output);
}

void ClientEndpoint::update_handshake(core::Nanoseconds now, Output& output) {
  if (token_expired(now)) return end({ReasonCode::token_expired, "the connect token expired during the handshake"});
  if (timed_out(now)) {
    const bool requesting = step_ == Step::requesting;
    try_next(requesting ? Reason{ReasonCode::no_answer, to_string(server())}
                        : Reason{ReasonCode::handshake_timed_out, to_string(server())},
             now);
    if (step_ == Step::closed) return;
  }
  if (now < next_step_ || !output.ready(server())) return;
  next_step_ = now + config_.handshake_interval;
  if (step_ == Step::requesting) {
    send_request(output);
  } else {
    send_response(output);
  }
}

void ClientEndpoint::update_session(core::Nanoseconds now, Output& output) {
  if (pause_ > 0)
    return close({ReasonCode::timed_out, core::format("this client was stopped for {} s", pause_ / core::second)},
                 output);
  if (session_.failed())
    return close({ReasonCode::protocol_error, message_too_large(config_.session.reliable_receive_bytes_max)}, output);
  if (session_.path_shrank()) return close({ReasonCode::timed_out, path_shrank_text}, output);
  if (timed_out(now))
    return close({ReasonCode::timed_out, core::format("no packet from the server for {} s, the timeout of the connect "
                                                      "token: check the network, or use a token with a longer one",
                                                      config_.token.timeout_seconds)},
                 output);
  if (!output.ready(server())) return;
  PacketBuffer packet;
  session_.begin_flush(now);
  while (const std::size_t size = session_.write_datagram(packet.body())) {
    send_packet(PacketType::payload, packet, size, output);
    last_sent_ = now;
  }
  if (now - last_sent_ >= config_.keepalive_interval) send_keep_alive(now, output);
}

void ClientEndpoint::send_request(Output& output) {
  std::array<std::byte, request_bytes> packet;
  write_request(config_.token.protocol_id,
                {config_.token.expire_time, config_.token.nonce, core::ByteView(config_.token.private_part)}, packet);
  output.send(server(), packet);
}

void ClientEndpoint::send_response(Output& output) {
  PacketBuffer packet;
  std::copy(challenge_.begin(), challenge_.end(), packet.body().begin());
  send_packet(PacketType::response, packet, challenge_.size(), output);
}

void ClientEndpoint::send_keep_alive(core::Nanoseconds now, Output& output) {
  PacketBuffer packet;
  std::fill_n(packet.body().begin(), keep_alive_body_bytes, std::byte{0});
  send_packet(PacketType::keep_alive, packet, keep_alive_body_bytes, output);
  last_sent_ = now;
}

void ClientEndpoint::send_packet(PacketType type, PacketBuffer& packet, std::size_t body_bytes, Output& output) {
  output.send(server(), seal_packet(domain_, channel_.send_key, type, channel_.next_sequence++, packet, body_bytes));
}

core::Nanoseconds ClientEndpoint::timeout() const {
  return std::max<std::int32_t>(config_.token.timeout_seconds, 0) * core::second;
}

bool ClientEndpoint::timed_out(core::Nanoseconds now) const {
  return timeout() > 0 && now - last_received_ >= timeout();
}

// Compares the token's lifetime with the time since the start, not with the wall clock: a client's clock may be wrong.
bool ClientEndpoint::token_expired(core::Nanoseconds now) const {
  constexpr auto seconds_max = static_cast<std::uint64_t>(std::numeric_limits<core::Nanoseconds>::max() / core::second);
  const std::uint64_t seconds = config_.token.expire_time - config_.token.create_time;
  return seconds < seconds_max && now - started_ >= static_cast<core::Nanoseconds>(seconds) * core::second;
}

// --- The end -------------------------------------------------------------------------------------------------------

void ClientEndpoint::try_next(const Reason& reason, core::Nanoseconds now) {
  if (server_ + 1 == config_.servers.size()) return end(reason);
  ++server_;
  begin(now);
}

void ClientEndpoint::pipe_closed(std::string_view why, core::Nanoseconds now) {
  const Reason reason{ReasonCode::pipe_lost, core::format("{}: {}", to_string(server()), why)};
  if (step_ == Step::connected) {
    end(reason);
  } else if (step_ != Step::closed) {
    try_next(reason, now);
  }
}

// A client that still waits for its acceptance also sends the disconnect: the server may already have a session for it.
void ClientEndpoint::close(const Reason& reason, Output& output) {
  if (step_ == Step::closed) return;
  PacketBuffer packet;
  for (int copy = 0; copy < disconnect_copies && step_ != Step::requesting; ++copy) {
    send_packet(PacketType::payload, packet, Session::write_disconnect(reason, packet.body()), output);
  }
  end(reason);
}

void ClientEndpoint::end(const Reason& reason) {
  step_ = Step::closed;
  reason_ = reason;
}

}  // namespace mobula::transport
