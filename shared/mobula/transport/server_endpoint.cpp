#include <algorithm>
#include <mobula/transport/server_endpoint.hpp>

namespace mobula::transport {
namespace {

constexpr PacketTypes accepted_from_clients = only(PacketType::response) | only(PacketType::keep_alive) |
                                              only(PacketType::payload) | only(PacketType::disconnect);
constexpr std::uint64_t first_global_sequence = std::uint64_t{1} << 63;
// Interval of keep-alives until the client has confirmed its session; a client repeats its response as often.
constexpr core::Nanoseconds unconfirmed_interval = 100 * core::millisecond;
constexpr core::Nanoseconds late_answer_interval = 100 * core::millisecond;
// Drops further apart than this do not belong to the same flood.
constexpr core::Nanoseconds flood_pause = core::second;
// Number of updates in which each table is swept once for expired entries.
constexpr std::uint32_t sweep_updates = 16;

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

double seconds(core::Nanoseconds time) { return static_cast<double>(time) / core::second; }

template <class Table>
std::uint32_t share_of(const Table& table) {
  return table.slots() / sweep_updates + 1;
}

}  // namespace

ServerEndpoint::ServerEndpoint(const ServerEndpointConfig& config)
    : config_(config),
      domain_(config.protocol_id),
      session_pace_(config.datagrams_per_session),
      limits_(config.handshakes, config.handshakes_per_address, config.table_seed),
      global_sequence_(first_global_sequence),
      slots_(config.sessions_max, config.table_seed),
      generations_(config.sessions_max),
      slot_of_id_(config.sessions_max, config.table_seed),
      handshakes_(config.handshakes_max, config.table_seed),
      used_tokens_(config.used_tokens_max, config.table_seed),
      closed_sessions_(config.sessions_max, config.table_seed) {
  MOBULA_ASSERT(!config.public_addresses.empty(), "the server needs a public address that tokens can name");
  connected_.reserve(config.sessions_max);
}

// --- Receiving -----------------------------------------------------------------------------------------------------

void ServerEndpoint::receive(const Address& from, core::ByteView datagram, core::Nanoseconds now, Output& output) {
  ++counters_.datagrams;
  Drop drop = Drop::too_long;
  if (datagram.size() <= datagram_bytes_max) {
    const bool request = !datagram.empty() && datagram[0] == std::byte{0};
    drop = request ? receive_request(from, datagram, now, output) : receive_sealed(from, datagram, now, output);
  }
  counters_.dropped.count(drop);
}

Drop ServerEndpoint::receive_sealed(const Address& from, core::ByteView datagram, core::Nanoseconds now,
                                    Output& output) {
  PacketHead head;
  if (const Drop drop = read_head(datagram, accepted_from_clients, head); drop != Drop::none) return drop;
  if (head.type == PacketType::response) return receive_response(from, head, datagram, now, output);
  if (const std::uint32_t slot = slots_.find(from); slot != slots_.none) {
    return receive_from_session(slot, head, datagram, now, output);
  }
  return receive_late(from, head, datagram, now, output);
}

// Only authenticated packets are charged to the session's limit, so that nobody can exhaust it for the client.
Drop ServerEndpoint::receive_from_session(std::uint32_t at, const PacketHead& head, core::ByteView datagram,
                                          core::Nanoseconds now, Output& output) {
  Slot& slot = slots_[at];
  if (!slot.limiter.open(session_pace_, now)) return note_flood(at, now, output);
  slot.session->prefetch(datagram.size());
  core::ByteView body;
  const Channel& keys = slot.channel;
  if (const Drop drop = open_body(domain_, keys.receive_key, head, datagram, slot.channel.received, opened_, body);
      drop != Drop::none)
    return drop;
  slot.limiter.charge(session_pace_, now);
  if (head.type == PacketType::disconnect) {
    close_by_client(at, {ReasonCode::left, ""}, output);
    return Drop::none;
  }
  slot.last_received = now;
  slot.confirmed = true;
  if (head.type != PacketType::payload) return Drop::none;
  slot.session->receive(body, now);
  // Copied: closing destroys the session and its reason.
  if (const std::optional<Reason>& reason = slot.session->disconnect_reason(); reason)
    close_by_client(at, Reason(*reason), output);
  return Drop::none;
}

Drop ServerEndpoint::note_flood(std::uint32_t at, core::Nanoseconds now, Output& output) {
  Slot& slot = slots_[at];
  if (slot.flood_began == 0 || now - slot.flood_last > flood_pause) slot.flood_began = now;
  slot.flood_last = now;
  if (now - slot.flood_began >= config_.flood_patience) {
    const std::string text = core::format("datagrams above {} per second for {:g} s: the client must send fewer",
                                          config_.datagrams_per_session.per_second, seconds(config_.flood_patience));
    disconnect(id_of(at), {ReasonCode::flooding, text}, now, output);
  }
  return Drop::flood;
}

Drop ServerEndpoint::receive_late(const Address& from, const PacketHead& head, core::ByteView datagram,
                                  core::Nanoseconds now, Output& output) {
  const std::uint32_t at = closed_sessions_.find(from);
  if (at == closed_sessions_.none || closed_sessions_[at].ends <= now) return Drop::unknown_address;
  ClosedSession& closed = closed_sessions_[at];
  core::ByteView body;
  const Channel& keys = closed.channel;
  if (const Drop drop = open_body(domain_, keys.receive_key, head, datagram, closed.channel.received, opened_, body);
      drop != Drop::none)
    return drop;
  if (head.type != PacketType::disconnect && now >= closed.next_answer) {
    closed.next_answer = now + late_answer_interval;
    send_disconnect(closed.channel, from, closed.reason, 1, output);
  }
  return Drop::ended;
}

// --- The ends of sessions ------------------------------------------------------------------------------------------

void ServerEndpoint::close(std::uint32_t at, const Reason& reason) {
  Slot& slot = slots_[at];
  events_.push_back({ServerEvent::Kind::disconnected, id_of(at), slots_.key(at), reason, {}});
  connected_[slot.position] = connected_.back();
  slots_[connected_[slot.position].index].position = slot.position;
  connected_.pop_back();
  slot_of_id_.erase(slot_of_id_.find(slot.identity.client_id));
  add(closed_stats_, slot.session->stats());
  slots_.erase(at);
  ++generations_[at];
}

void ServerEndpoint::close_by_client(std::uint32_t at, const Reason& reason, Output& output) {
  const Address address = slots_.key(at);
  close(at, reason);
  output.finished(address);
}

bool ServerEndpoint::disconnect(SessionId id, const Reason& reason, core::Nanoseconds now, Output& output) {
  const std::uint32_t at = slot_of(id);
  if (at == slots_.none) return false;
  const Address address = slots_.key(at);
  Channel channel = slots_[at].channel;
  close(at, reason);
  send_disconnect(channel, address, reason, disconnect_copies, output);
  if (closed_sessions_.full()) {
    output.finished(address);
  } else {
    closed_sessions_[closed_sessions_.insert(address)] = {channel, reason, now + config_.linger,
                                                          now + late_answer_interval};
  }
  core::wipe(std::as_writable_bytes(std::span(&channel, 1)));
  return true;
}

void ServerEndpoint::disconnect_all(const Reason& reason, core::Nanoseconds now, Output& output) {
  while (!connected_.empty()) disconnect(SessionId(connected_.back()), reason, now, output);
}

void ServerEndpoint::send_disconnect(Channel& channel, const Address& to, const Reason& reason, int copies,
                                     Output& output) {
  PacketBuffer packet;
  for (int copy = 0; copy < copies; ++copy) {
    const std::size_t size = Session::write_disconnect(reason, packet.body());
    send_packet(channel, to, PacketType::payload, packet, size, output);
  }
}

void ServerEndpoint::pipe_closed(const Address& address, core::Nanoseconds /*now*/) {
  if (const std::uint32_t at = slots_.find(address); at != slots_.none) {
    close(at, {ReasonCode::pipe_lost, "the connection was closed"});
  }
  if (const std::uint32_t at = handshakes_.find(address); at != handshakes_.none) handshakes_.erase(at);
  if (const std::uint32_t at = closed_sessions_.find(address); at != closed_sessions_.none) closed_sessions_.erase(at);
}

// --- The owner's side ----------------------------------------------------------------------------------------------

void ServerEndpoint::update(core::Nanoseconds now, Output& output) {
  expire_tables(now, output);
  // Backwards: a closed session's position is filled with one already visited.
  for (std::size_t position = connected_.size(); position-- > 0;) {
    close_if_over(connected_[position].index, now, output);
  }
  flush_sessions(now, output);
}

void ServerEndpoint::expire_tables(core::Nanoseconds now, Output& output) {
  // A wall clock that is set back would make an expired token valid again: its lifetime must have passed as well.
  used_tokens_.sweep(share_of(used_tokens_), [&](const TokenTag&, const UsedToken& token) {
    return token.expire_time <= unix_time_ && token.kept_until <= now;
  });
  handshakes_.sweep(share_of(handshakes_), [&](const Address& address, const Handshake& handshake) {
    if (handshake.expires > now) return false;
    if (!slots_.contains(address) && !closed_sessions_.contains(address)) output.finished(address);
    return true;
  });
  closed_sessions_.sweep(share_of(closed_sessions_), [&](const Address& address, const ClosedSession& closed) {
    if (closed.ends > now) return false;
    if (!handshakes_.contains(address)) output.finished(address);
    return true;
  });
}

void ServerEndpoint::close_if_over(std::uint32_t at, core::Nanoseconds now, Output& output) {
  const Slot& slot = slots_[at];
  if (slot.session->failed()) {
    disconnect(id_of(at), {ReasonCode::protocol_error, message_too_large(config_.session.reliable_receive_bytes_max)},
               now, output);
  } else if (slot.session->path_shrank()) {
    disconnect(id_of(at), {ReasonCode::timed_out, path_shrank_text}, now, output);
  } else if (slot.timeout > 0 && now - slot.last_received >= slot.timeout) {
    const std::string text = core::format(
        "no packet from the client for {:g} s, the timeout of its connect token: "
        "check the network, or issue tokens with a longer timeout",
        seconds(slot.timeout));
    disconnect(id_of(at), {ReasonCode::timed_out, text}, now, output);
  }
}

// Starts with another session each time: on a shared path, the datagrams sent last wait longest.
void ServerEndpoint::flush_sessions(core::Nanoseconds now, Output& output) {
  const std::size_t count = connected_.size();
  if (count == 0) return;
  first_flushed_ = (first_flushed_ + 1) % count;
  for (std::size_t turn = 0; turn < count; ++turn) {
    const std::size_t position = first_flushed_ + turn;
    const std::uint32_t at = connected_[position < count ? position : position - count].index;
    if (output.ready(slots_.key(at))) flush(at, now, output);
  }
}

void ServerEndpoint::flush(SessionId id, core::Nanoseconds now, Output& output) {
  const std::uint32_t at = slot_of(id);
  if (at != slots_.none && output.ready(slots_.key(at))) flush(at, now, output);
}

void ServerEndpoint::flush(std::uint32_t at, core::Nanoseconds now, Output& output) {
  PacketBuffer packet;
  Slot& slot = slots_[at];
  slot.session->begin_flush(now);
  while (const std::size_t size = slot.session->write_datagram(packet.body())) {
    if (!slot.confirmed) send_keep_alive(at, now, output);
    send_packet(slot.channel, slots_.key(at), PacketType::payload, packet, size, output);
    slot.last_sent = now;
  }
  const core::Nanoseconds interval = slot.confirmed ? config_.keepalive_interval : unconfirmed_interval;
  if (now - slot.last_sent >= interval) send_keep_alive(at, now, output);
}

void ServerEndpoint::send_keep_alive(std::uint32_t at, core::Nanoseconds now, Output& output) {
  PacketBuffer packet;
  Slot& slot = slots_[at];
  core::store(packet.body().data(), at);
  core::store(packet.body().data() + 4, config_.sessions_max);
  send_packet(slot.channel, slots_.key(at), PacketType::keep_alive, packet, keep_alive_body_bytes, output);
  slot.last_sent = now;
}

void ServerEndpoint::send_packet(Channel& channel, const Address& to, PacketType type, PacketBuffer& packet,
                                 std::size_t body_bytes, Output& output) {
  output.send(to, seal_packet(domain_, channel.send_key, type, channel.next_sequence++, packet, body_bytes));
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

std::uint32_t ServerEndpoint::slot_of(SessionId id) const {
  return slots_.used(id.index) && generations_[id.index] == id.generation ? id.index : slots_.none;
}

Session* ServerEndpoint::find(SessionId id) {
  const std::uint32_t at = slot_of(id);
  return at == slots_.none ? nullptr : slots_[at].session.get();
}

const Address& ServerEndpoint::address(SessionId id) const {
  MOBULA_ASSERT(slot_of(id) != slots_.none, "no such session");
  return slots_.key(id.index);
}

const Identity& ServerEndpoint::identity(SessionId id) const {
  MOBULA_ASSERT(slot_of(id) != slots_.none, "no such session");
  return slots_[id.index].identity;
}

SessionStats ServerEndpoint::total_stats() const {
  SessionStats sum = closed_stats_;
  for (const SessionId id : connected_) add(sum, slots_[id.index].session->stats());
  return sum;
}

void ServerEndpoint::check() const {
  MOBULA_ASSERT(connected_.size() == slots_.size() && slot_of_id_.size() == slots_.size(), "sessions are miscounted");
  for (std::uint32_t position = 0; position < connected_.size(); ++position) {
    [[maybe_unused]] const std::uint32_t at = slot_of(connected_[position]);
    MOBULA_ASSERT(at != slots_.none && slots_.find(slots_.key(at)) == at, "a session is not in the table");
    MOBULA_ASSERT(slots_[at].position == position && slots_[at].session != nullptr, "a session is not in the list");
    [[maybe_unused]] const std::uint32_t id = slot_of_id_.find(slots_[at].identity.client_id);
    MOBULA_ASSERT(id != slot_of_id_.none && slot_of_id_[id] == at, "a client id is not in the table");
  }
}

}  // namespace mobula::transport
