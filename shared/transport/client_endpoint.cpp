#include <mobula/core/format.hpp>
#include <mobula/transport/client_endpoint.hpp>

namespace mobula::transport {

ClientEndpoint::ClientEndpoint(const ClientConfig& config, core::Nanoseconds now)
    : config_(config), started_(now), next_hello_(now), session_(config.session, now) {}

void ClientEndpoint::receive(const Address& from, core::ByteView datagram, core::Nanoseconds now) {
  bool taken = false;
  if (from == config_.server && datagram.size() <= datagram_bytes_max && state_ != State::closed) {
    switch (kind_of(datagram)) {
      case DatagramKind::challenge: taken = receive_challenge(datagram, now); break;
      case DatagramKind::accepted: taken = receive_accepted(datagram, now); break;
      case DatagramKind::refused: taken = receive_refused(datagram); break;
      case DatagramKind::payload: taken = receive_payload(datagram, now); break;
      case DatagramKind::disconnect: taken = receive_disconnect(datagram); break;
      default: break;
    }
  }
  if (!taken) ++ignored_;
}

bool ClientEndpoint::receive_challenge(core::ByteView datagram, core::Nanoseconds now) {
  const std::optional<Challenge> challenge = decode_challenge(datagram);
  if (!challenge || state_ != State::connecting || challenge->nonce != config_.nonce) return false;
  // The proof goes out with the next update. A newer cookie replaces one that has grown old.
  if (!has_cookie_) next_hello_ = now;
  answered_ = true;
  has_cookie_ = true;
  cookie_ = challenge->cookie;
  return true;
}

bool ClientEndpoint::receive_accepted(core::ByteView datagram, core::Nanoseconds now) {
  const std::optional<Accepted> accepted = decode_accepted(datagram);
  if (!accepted || state_ != State::connecting || accepted->nonce != config_.nonce) return false;
  answered_ = true;
  state_ = State::connected;
  connection_ = accepted->connection;
  last_heard_ = now;
  return true;
}

bool ClientEndpoint::receive_refused(core::ByteView datagram) {
  const std::optional<Refused> refused = decode_refused(datagram);
  if (!refused || state_ != State::connecting || refused->nonce != config_.nonce) return false;
  answered_ = true;
  end(refused->reason);
  return true;
}

bool ClientEndpoint::receive_payload(core::ByteView datagram, core::Nanoseconds now) {
  const std::optional<Payload> payload = decode_payload(datagram);
  if (!payload || state_ != State::connected || !(payload->connection == connection_)) return false;
  last_heard_ = now;
  session_.receive(payload->body, now);
  return true;
}

bool ClientEndpoint::receive_disconnect(core::ByteView datagram) {
  const std::optional<Disconnect> disconnect = decode_disconnect(datagram);
  if (!disconnect || state_ != State::connected || !(disconnect->connection == connection_)) return false;
  end(disconnect->reason);
  return true;
}

void ClientEndpoint::update(core::Nanoseconds now, Output& output) {
  if (state_ == State::connecting) return update_handshake(now, output);
  if (state_ != State::connected) return;
  if (session_.failed()) return close({ReasonCode::protocol_error, "a reliable message is too large"}, output);
  if (now - last_heard_ >= config_.timeout) {
    return close({ReasonCode::timed_out, "nothing was heard of the server"}, output);
  }
  Datagram datagram;
  const core::MutableBytes body = core::MutableBytes(datagram.bytes).subspan(envelope_bytes);
  session_.begin_flush(now);
  while (const std::size_t size = session_.write_datagram(body)) {
    datagram.size = envelope_bytes + size;
    encode_envelope(connection_, datagram.bytes);
    output.send(config_.server, datagram.view());
  }
}

void ClientEndpoint::update_handshake(core::Nanoseconds now, Output& output) {
  if (now - started_ >= config_.connect_timeout) {
    return end({ReasonCode::timed_out, answered_ ? "the server answered, but did not complete the handshake"
                                                 : core::format("no answer from {}", to_string(config_.server))});
  }
  if (now < next_hello_) return;
  next_hello_ = now + config_.hello_interval;
  const Hello hello{config_.protocol_version, config_.nonce};
  Datagram datagram;
  if (has_cookie_) {
    encode(Proof{hello, cookie_}, datagram);
  } else {
    encode(hello, datagram);
  }
  output.send(config_.server, datagram.view());
}

void ClientEndpoint::close(const Reason& reason, Output& output) {
  if (state_ == State::connected) {
    Datagram datagram;
    encode(Disconnect{connection_, reason}, datagram);
    for (int copy = 0; copy < disconnect_copies; ++copy) output.send(config_.server, datagram.view());
  }
  if (state_ != State::closed) end(reason);
}

void ClientEndpoint::end(const Reason& reason) {
  state_ = State::closed;
  reason_ = reason;
}

}  // namespace mobula::transport
