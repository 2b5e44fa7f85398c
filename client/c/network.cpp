// A host that has the socket: datagrams and the time go in, datagrams come out.
#include <c/prediction_call.hpp>
#include <c/written.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

// Calls function(Client&) for a client whose host has the socket, with a time that has been checked. The function notes
// the time when nothing can fail any more.
template <class Function>
mobula_result with_host(mobula_client handle, std::int64_t now, Function&& function) {
  return with_client(handle, [&](Client& client) -> mobula_result {
    if (!client.host_has_socket())
      return fail(MOBULA_ERROR_WRONG_STATE, "the library has the socket of this client; call mobula_client_poll");
    if (is_predicting(client)) return in_update();
    const mobula_result checked = check_time(client, now);
    return checked == MOBULA_OK ? function(client) : checked;
  });
}

mobula_statistics statistics_of(const Client& client) {
  const client::Connection& connection = *client.connection;
  const client::ConnectionStats& stats = connection.stats();
  const transport::SessionStats& path = connection.session().stats();
  mobula_statistics all{};
  all.loss_permille = path.loss_permille;
  all.rtt = path.rtt;
  all.rtt_variation = path.rtt_variation;
  all.jitter = path.arrival_jitter;
  all.bytes_received = stats.bytes_received;
  all.bytes_sent = client.outbox.sent_bytes() + (client.pipe != nullptr ? client.pipe->socket.sent_bytes() : 0);
  all.datagrams_received = client.datagrams_received;
  all.datagrams_sent = client.outbox.sent() + (client.pipe != nullptr ? client.pipe->socket.sent() : 0);
  all.deltas = stats.deltas;
  all.late_deltas = stats.late_deltas;
  all.lost_deltas = stats.lost_deltas;
  all.verified_ticks = stats.verified_ticks;
  all.mismatched_ticks = stats.mismatched_ticks;
  all.corrections = stats.corrections;
  all.events = stats.events;
  all.refused_commands = stats.refused_commands;
  all.rejoins = stats.rejoins;
  all.zone_changes = client.pipe != nullptr ? client.pipe->zone_changes : 0;
  return all;
}

}  // namespace

mobula_result mobula_client_server_address(mobula_client client, uint32_t at, char* text, uint32_t capacity,
                                           uint32_t* length) {
  return with_client(client, [&](const Client& c) -> mobula_result {
    const std::vector<transport::Address>& all = servers(c);
    if (at >= all.size()) return MOBULA_NOTHING;
    return write_text(to_string(all[at]), {text, capacity, length});
  });
}

mobula_result mobula_client_receive(mobula_client client, const void* datagram, uint32_t size, int64_t now) {
  return with_host(client, now, [&](Client& c) -> mobula_result {
    if (datagram == nullptr) return refuse_null("the datagram");
    note_time(c, now);
    const transport::Address from = c.connection->server();  // a copy: the connection may turn to the next server
    receive(c, *c.connection, from, {static_cast<const std::byte*>(datagram), size});
    return MOBULA_OK;
  });
}

mobula_result mobula_client_update(mobula_client client, int64_t now) {
  return with_host(client, now, [&](Client& c) -> mobula_result {
    note_time(c, now);
    step(c, c.outbox);
    return c.connection->state() == client::Connection::State::closed ? fail_closed(c) : MOBULA_OK;
  });
}

mobula_result mobula_client_next_datagram(mobula_client client, void* buffer, uint32_t capacity, uint32_t* size) {
  return with_client(client, [&](Client& c) -> mobula_result {
    if (const mobula_result checked = check_array(buffer != nullptr, capacity, size); checked != MOBULA_OK)
      return checked;
    if (c.outbox.empty()) return MOBULA_NOTHING;
    const core::ByteView datagram = c.outbox.front();
    if (capacity > 0) std::memcpy(buffer, datagram.data(), std::min<std::size_t>(datagram.size(), capacity));
    const mobula_result ended = end_array(datagram.size(), capacity, size);
    if (ended == MOBULA_OK) c.outbox.pop();
    return ended;
  });
}

mobula_result mobula_client_next_wakeup(mobula_client client, int64_t now, int64_t* at) {
  return with_host(client, now, [&](Client& c) -> mobula_result {
    if (at == nullptr) return refuse_null("the time");
    note_time(c, now);
    *at = c.wakeup;
    return MOBULA_OK;
  });
}

mobula_result mobula_client_pipe_closed(mobula_client client, const char* why, int64_t now) {
  return with_host(client, now, [&](Client& c) -> mobula_result {
    c.started = true;
    note_time(c, now);
    c.connection->pipe_closed(core::shown(why == nullptr ? "" : why, transport::reason_text_bytes_max), c.now);
    return MOBULA_OK;
  });
}

mobula_result mobula_client_rejoin(mobula_client client, int64_t now) {
  return with_host(client, now, [&](Client& c) -> mobula_result {
    if (!c.connection->can_rejoin())
      return fail(MOBULA_ERROR_WRONG_STATE, "the connection was not lost, or no rejoin token of the server is left");
    note_time(c, now);
    rejoin(c);
    return MOBULA_OK;
  });
}

mobula_result mobula_client_statistics(mobula_client client, mobula_statistics* statistics) {
  return with_client(client, [&](const Client& c) { return write_struct(statistics_of(c), statistics); });
}
