#include <algorithm>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/transport/server_endpoint.hpp>

namespace mobula::transport {
namespace {

// Refusals may come from forged addresses: the owner hears of so many at most, the counters of all.
constexpr core::Nanoseconds refused_event_interval = 100 * core::millisecond;
// Closed sessions linger in slots of their own, so that as many again can connect at once.
constexpr std::uint32_t slots_per_session = 2;

void add(SessionStats& sum, const SessionStats& stats) {
  sum.datagrams_sent += stats.datagrams_sent;
  sum.bytes_sent += stats.bytes_sent;
  sum.datagrams_received += stats.datagrams_received;
  sum.bytes_received += stats.bytes_received;
  sum.datagrams_acked += stats.datagrams_acked;
  sum.datagrams_lost += stats.datagrams_lost;
  sum.chunks_repeated += stats.chunks_repeated;
  sum.malformed += stats.malformed;
  sum.duplicates += stats.duplicates;
  sum.stale += stats.stale;
  sum.inbox_full += stats.inbox_full;
  sum.unreliable_dropped += stats.unreliable_dropped;
}

}  // namespace

ServerEndpoint::ServerEndpoint(const ServerConfig& config)
    : config_(config),
      cookies_(config.secret),
      table_(slots_per_session * config.sessions_max, cookies_.table_seed()),
      slots_(std::size_t{slots_per_session} * config.sessions_max) {
  free_.reserve(slots_.size());
  connected_.reserve(config.sessions_max);
  for (auto index = static_cast<std::uint32_t>(slots_.size()); index-- > 0;) free_.push_back(index);
}

// --- Receiving -----------------------------------------------------------------------------------------------------

void ServerEndpoint::receive(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output) {
  ++counters_.datagrams;
  if (datagram.size() > datagram_bytes_max) {
    ++counters_.too_long;
    return;
  }
  switch (kind_of(datagram)) {
    case DatagramKind::hello: return receive_hello(from, datagram, now, output);
    case DatagramKind::proof: return receive_proof(from, datagram, now, output);
    case DatagramKind::payload: return receive_payload(from, datagram, now, output);
    case DatagramKind::disconnect: return receive_disconnect(from, datagram, now);
    default: ++counters_.unknown_kind;
  }
}

void ServerEndpoint::receive_hello(const Address& from, core::ByteView datagram, core::Nanoseconds now,
                                   Output& output) {
  const std::optional<Hello> hello = decode_hello(datagram);
  if (!hello) {
    ++counters_.malformed;
    return;
  }
  if (speaks_our_protocol(from, *hello, now, output)) challenge(from, hello->nonce, now, output);
}

bool ServerEndpoint::speaks_our_protocol(const Address& from, const Hello& hello, core::Nanoseconds now,
                                         Output& output) {
  if (hello.protocol_version == config_.protocol_version) return true;
  ++counters_.other_protocol;
  refuse(from, hello.nonce,
         {ReasonCode::other_protocol, core::format("the server speaks version {}, the client version {}",
                                                   config_.protocol_version, hello.protocol_version)},
         now, output);
  return false;
}

void ServerEndpoint::challenge(const Address& to, std::uint64_t nonce, core::Nanoseconds now, Output& output) {
  ++counters_.challenges;
  Datagram reply;
  encode(Challenge{nonce, cookies_.make(to, nonce, now)}, reply);
  output.send(to, reply.view());
}

void ServerEndpoint::refuse(const Address& to, std::uint64_t nonce, const Reason& reason, core::Nanoseconds now,
                            Output& output) {
  Datagram reply;
  encode(Refused{nonce, reason}, reply);
  output.send(to, reply.view());
  if (now < next_refused_event_) return;
  next_refused_event_ = now + refused_event_interval;
  events_.push_back({ServerEvent::Kind::refused, {}, to, reason});
}

void ServerEndpoint::accept(const Slot& slot, Output& output) {
  Datagram reply;
  encode(Accepted{slot.nonce, slot.connection}, reply);
  output.send(slot.address, reply.view());
}

void ServerEndpoint::receive_proof(const Address& from, core::ByteView datagram, core::Nanoseconds now,
                                   Output& output) {
  const std::optional<Proof> proof = decode_proof(datagram);
  if (!proof) {
    ++counters_.malformed;
    return;
  }
  const std::uint64_t nonce = proof->hello.nonce;
  if (!speaks_our_protocol(from, proof->hello, now, output)) return;
  if (!cookies_.good(proof->cookie, from, nonce, now)) {
    // An honest client's cookie has grown old; a forger learns nothing from another one.
    ++counters_.bad_cookie;
    return challenge(from, nonce, now, output);
  }
  if (const std::uint32_t index = table_.find(from); index != AddressTable::none) {
    Slot& slot = slots_[index];
    const bool same = slot.nonce == nonce && slot.state != SlotState::lingering;
    if (same) return accept(slot, output);  // our reply got lost
    if (slot.nonce == nonce || !may_replace(slot, now)) {
      ++counters_.address_in_use;
      return;
    }
    close(slot, {ReasonCode::replaced, "the client connected anew"}, now);
    free_slot(slot);
  }
  if (Slot* slot = open_slot(from, nonce, now)) return accept(*slot, output);
  ++counters_.server_full;
  refuse(from, nonce, {ReasonCode::server_full, core::format("all {} sessions are taken", config_.sessions_max)}, now,
         output);
}

// A late copy of an old proof must not end a session that lives.
bool ServerEndpoint::may_replace(const Slot& slot, core::Nanoseconds now) const {
  return slot.state == SlotState::lingering || now - slot.last_heard >= config_.replace_after;
}

ServerEndpoint::Slot* ServerEndpoint::slot_with_connection(const Address& from, ConnectionId connection) {
  const std::uint32_t index = table_.find(from);
  if (index == AddressTable::none) {
    ++counters_.unknown_address;
    return nullptr;
  }
  if (!(slots_[index].connection == connection)) {
    ++counters_.wrong_connection;
    return nullptr;
  }
  return &slots_[index];
}

void ServerEndpoint::receive_payload(const Address& from, core::ByteView datagram, core::Nanoseconds now,
                                     Output& output) {
  const std::optional<Payload> payload = decode_payload(datagram);
  if (!payload) {
    ++counters_.malformed;
    return;
  }
  Slot* slot = slot_with_connection(from, payload->connection);
  if (slot == nullptr) return;
  if (slot->state == SlotState::lingering) return send_disconnect(*slot, output);
  if (slot->state == SlotState::proved) connect(*slot, now);
  slot->last_heard = now;
  slot->session->receive(payload->body, now);
}

void ServerEndpoint::receive_disconnect(const Address& from, core::ByteView datagram, core::Nanoseconds now) {
  const std::optional<Disconnect> disconnect = decode_disconnect(datagram);
  if (!disconnect) {
    ++counters_.malformed;
    return;
  }
  Slot* slot = slot_with_connection(from, disconnect->connection);
  if (slot != nullptr && slot->state != SlotState::lingering) close(*slot, disconnect->reason, now);
}

// --- Slots ---------------------------------------------------------------------------------------------------------

// There is one whenever no slot is free and not all sessions are taken.
ServerEndpoint::Slot& ServerEndpoint::longest_lingering() {
  const auto age = [](const Slot& slot) {
    return slot.state == SlotState::lingering ? slot.last_heard : std::numeric_limits<core::Nanoseconds>::max();
  };
  return *std::min_element(slots_.begin(), slots_.end(), [&](const Slot& a, const Slot& b) { return age(a) < age(b); });
}

ServerEndpoint::Slot* ServerEndpoint::open_slot(const Address& from, std::uint64_t nonce, core::Nanoseconds now) {
  if (live_ == config_.sessions_max) return nullptr;
  if (free_.empty()) free_slot(longest_lingering());
  Slot& slot = slots_[free_.back()];
  table_.insert(from, free_.back());
  free_.pop_back();
  ++live_;
  slot.state = SlotState::proved;
  slot.address = from;
  slot.nonce = nonce;
  slot.connection = cookies_.connection(from, nonce, ++connections_made_);
  slot.last_heard = now;
  return &slot;
}

void ServerEndpoint::connect(Slot& slot, core::Nanoseconds now) {
  slot.state = SlotState::connected;
  slot.session = std::make_unique<Session>(config_.session, now);
  slot.position = static_cast<std::uint32_t>(connected_.size());
  connected_.push_back(id_of(slot));
  events_.push_back({ServerEvent::Kind::connected, id_of(slot), slot.address, {}});
}

// Connected or proved becomes lingering; a lingering slot stays what it is.
void ServerEndpoint::close(Slot& slot, const Reason& reason, core::Nanoseconds now) {
  if (slot.state == SlotState::lingering) return;
  if (slot.state == SlotState::connected) {
    events_.push_back({ServerEvent::Kind::disconnected, id_of(slot), slot.address, reason});
    connected_[slot.position] = connected_.back();
    slots_[connected_[slot.position].index].position = slot.position;
    connected_.pop_back();
    add(closed_stats_, slot.session->stats());
    slot.session.reset();
  }
  slot.state = SlotState::lingering;
  slot.reason = reason;
  slot.last_heard = now;
  --live_;
}

void ServerEndpoint::free_slot(Slot& slot) {
  MOBULA_ASSERT(slot.state == SlotState::lingering, "only a closed slot is freed");
  table_.erase(slot.address);
  slot.state = SlotState::free;
  ++slot.generation;
  free_.push_back(index_of(slot));
}

void ServerEndpoint::send_disconnect(const Slot& slot, Output& output) {
  Datagram datagram;
  encode(Disconnect{slot.connection, slot.reason}, datagram);
  output.send(slot.address, datagram.view());
}

std::uint32_t ServerEndpoint::index_of(const Slot& slot) const {
  return static_cast<std::uint32_t>(&slot - slots_.data());
}
SessionId ServerEndpoint::id_of(const Slot& slot) const { return {index_of(slot), slot.generation}; }

// --- The owner's side ----------------------------------------------------------------------------------------------

void ServerEndpoint::update(core::Nanoseconds now, Output& output) {
  for (Slot& slot : slots_) {
    if (slot.state == SlotState::free) continue;
    expire(slot, now, output);
    if (slot.state == SlotState::connected) flush(slot, now, output);
  }
}

void ServerEndpoint::expire(Slot& slot, core::Nanoseconds now, Output& output) {
  const core::Nanoseconds silence = now - slot.last_heard;
  switch (slot.state) {
    case SlotState::connected:
      if (slot.session->failed()) {
        disconnect(id_of(slot), {ReasonCode::protocol_error, "a reliable message is too large"}, now, output);
      } else if (silence >= config_.timeout) {
        disconnect(id_of(slot), {ReasonCode::timed_out, "nothing was heard of the client"}, now, output);
      }
      break;
    case SlotState::proved:
      if (silence >= config_.handshake_timeout) {
        close(slot, {ReasonCode::timed_out, "the handshake was not completed"}, now);
        free_slot(slot);
      }
      break;
    case SlotState::lingering:
      if (silence >= config_.linger) free_slot(slot);
      break;
    case SlotState::free: break;
  }
}

void ServerEndpoint::flush(Slot& slot, core::Nanoseconds now, Output& output) {
  Datagram datagram;
  const core::MutableBytes body = core::MutableBytes(datagram.bytes).subspan(envelope_bytes);
  slot.session->begin_flush(now);
  while (const std::size_t size = slot.session->write_datagram(body)) {
    datagram.size = envelope_bytes + size;
    encode_envelope(slot.connection, datagram.bytes);
    output.send(slot.address, datagram.view());
  }
}

bool ServerEndpoint::poll_event(ServerEvent& event) {
  if (next_event_ == events_.size()) {
    events_.clear();
    next_event_ = 0;
    return false;
  }
  event = std::move(events_[next_event_++]);
  return true;
}

Session* ServerEndpoint::find(SessionId id) {
  if (id.index >= slots_.size()) return nullptr;
  Slot& slot = slots_[id.index];
  return slot.state == SlotState::connected && slot.generation == id.generation ? slot.session.get() : nullptr;
}

const Address& ServerEndpoint::address(SessionId id) const {
  MOBULA_ASSERT(id.index < slots_.size() && slots_[id.index].generation == id.generation, "no such session");
  return slots_[id.index].address;
}

bool ServerEndpoint::disconnect(SessionId id, const Reason& reason, core::Nanoseconds now, Output& output) {
  if (find(id) == nullptr) return false;
  Slot& slot = slots_[id.index];
  close(slot, reason, now);
  for (int copy = 0; copy < disconnect_copies; ++copy) send_disconnect(slot, output);
  return true;
}

void ServerEndpoint::disconnect_all(const Reason& reason, core::Nanoseconds now, Output& output) {
  while (!connected_.empty()) disconnect(SessionId(connected_.back()), reason, now, output);
}

SessionStats ServerEndpoint::total_stats() const {
  SessionStats sum = closed_stats_;
  for (const SessionId id : connected_) add(sum, slots_[id.index].session->stats());
  return sum;
}

void ServerEndpoint::check() const {
  [[maybe_unused]] std::uint32_t used = 0;
  [[maybe_unused]] std::uint32_t live = 0;
  for (const Slot& slot : slots_) {
    [[maybe_unused]] const bool connected = slot.state == SlotState::connected;
    MOBULA_ASSERT(connected == (slot.session != nullptr), "a session without a connection, or the reverse");
    MOBULA_ASSERT(!connected || connected_[slot.position] == id_of(slot), "a connected slot is not in the list");
    if (slot.state == SlotState::free) continue;
    MOBULA_ASSERT(table_.find(slot.address) == index_of(slot), "a slot is not in the address table");
    ++used;
    if (slot.state != SlotState::lingering) ++live;
  }
  MOBULA_ASSERT(used == table_.size() && used + free_.size() == slots_.size(), "slots are lost");
  MOBULA_ASSERT(live == live_ && connected_.size() <= live_, "live sessions are miscounted");
}

}  // namespace mobula::transport
