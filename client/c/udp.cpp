// The library's UDP socket. A lost connection is resumed as PipeClient does: with the rejoin tokens of the server, over
// a new socket, once per second. A player that goes to another zone is followed there.
#include <algorithm>
#include <array>
#include <c/prediction_call.hpp>
#include <c/second.hpp>
#include <mobula/core/format.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

using State = client::Connection::State;

constexpr core::Nanoseconds resume_within_least = 60 * core::second;
constexpr core::Nanoseconds try_interval = core::second;
constexpr int datagrams_per_poll_max = 256;  // so that a flood of datagrams cannot keep a poll from its end

// Returns whether a datagram was there.
bool receive_all(Client& client, UdpSocket& socket, client::Connection& connection) {
  std::array<std::byte, transport::datagram_bytes_max + 1> buffer;  // one more, so that a cut datagram is too long
  transport::Address from;
  int received = 0;
  for (; received < datagrams_per_poll_max; ++received) {
    const std::size_t size = socket.receive(from, buffer);
    if (size == 0) break;
    note_time(client, core::monotonic_now());
    receive(client, connection, from, core::ByteView(buffer).first(size));
  }
  return received > 0;
}

bool receive_all(Client& client) {
  UdpPipe& pipe = *client.pipe;
  const bool present = receive_all(client, pipe.socket, *client.connection);
  const bool second = pipe.second != nullptr && receive_all(client, pipe.second_socket, *pipe.second);
  return present || second;
}

// Returns whether the connection is open, or resumed, or will be.
bool keep_alive(Client& client) {
  UdpPipe& pipe = *client.pipe;
  client::Connection& connection = *client.connection;
  if (connection.state() == State::playing) pipe.lost_at = 0;
  if (connection.state() != State::closed) return true;
  const bool elsewhere = !connection.moved_to().empty() &&
                         pipe.follower.on_moved(connection.moved_to()) == client::ZoneFollower::Step::drop;
  if (elsewhere) drop_second(client);
  if (is_on_the_way(client)) return true;
  pipe.in_vain = pipe.lost_at != 0 && !connection.answered();
  if (pipe.lost_at == 0) pipe.lost_at = client.now;
  const core::Nanoseconds patience = std::max(resume_within_least, connection.rejoin_grace());
  if (!connection.can_rejoin() || client.now - pipe.lost_at > patience) return false;
  if (client.now < pipe.next_try) return true;
  pipe.next_try = client.now + try_interval;
  // The socket may be that of a network that is no longer there. Without a new one the next try is in a second.
  if (!pipe.socket.open().ok()) return true;
  pipe.tried_at = client.now;
  rejoin(client);
  return true;
}

mobula_result poll(Client& client, std::uint32_t timeout_ms) {
  note_time(client, core::monotonic_now());
  const core::Nanoseconds timeout = timeout_ms * core::millisecond;
  const bool open = keep_alive(client);
  if (open && !receive_all(client) && client.now < client.wakeup) {
    client.pipe->socket.wait(std::min(timeout, client.wakeup - client.now));
    receive_all(client);
  }
  note_time(client, core::monotonic_now());
  take_over(client);
  step(client, client.pipe->socket);
  update_second(client);
  return keep_alive(client) ? MOBULA_OK : fail_closed(client);
}

}  // namespace

// Each address is tried for the token's timeout.
bool c::rejoins_in_vain(const Client& client) {
  const client::Connection& connection = *client.connection;
  if (client.host_has_socket() || client.pipe->lost_at == 0) return false;
  if (connection.state() != State::connecting || connection.answered()) return false;
  const core::Nanoseconds timeout = connection.config().transport.token.timeout_seconds * core::second;
  return client.pipe->in_vain || client.now - client.pipe->tried_at >= timeout;
}

mobula_result mobula_client_connect_udp(mobula_client client, const char* address) {
  return with_client(client, [&](Client& c) -> mobula_result {
    if (!c.host_has_socket()) return fail(MOBULA_ERROR_WRONG_STATE, "the socket is open");
    if (c.started) return fail(MOBULA_ERROR_WRONG_STATE, "the host has given this client datagrams or updates");
    client::ConnectionConfig config = c.connection->config();
    if (address != nullptr) {
      core::Result<std::vector<transport::Address>> found = resolve(address);
      if (!found) return fail(MOBULA_ERROR_BAD_ADDRESS, found.error());
      config.transport.servers = std::move(*found);
    }
    auto pipe = std::make_unique<UdpPipe>();
    if (const core::Status opened = pipe->socket.open(); !opened) return fail(MOBULA_ERROR_SOCKET, opened.error());
    c.pipe = std::move(pipe);
    config.follows = true;
    c.now = core::monotonic_now();
    auto connection = std::make_unique<client::Connection>(config, c.now);
    connection->set_command(c.connection->command());
    c.connection.swap(connection);
    if (c.prediction != nullptr) c.prediction->connect(*c.connection);
    return MOBULA_OK;
  });
}

mobula_result mobula_client_poll(mobula_client client, uint32_t timeout_ms) {
  return with_client(client, [&](Client& c) -> mobula_result {
    if (c.host_has_socket())
      return fail(MOBULA_ERROR_WRONG_STATE,
                  "the library has no socket for this client; call mobula_client_connect_udp");
    if (is_predicting(c)) return in_update();
    return poll(c, timeout_ms);
  });
}

mobula_result mobula_client_reconnect(mobula_client client, const void* token, uint64_t token_size, int64_t now) {
  return with_client(client, [&](Client& c) -> mobula_result {
    if (is_predicting(c)) return in_update();
    const bool is_closed = c.connection->state() == State::closed;
    if (!is_closed && !rejoins_in_vain(c)) return fail(MOBULA_ERROR_WRONG_STATE, "the connection is open; leave first");
    transport::ConnectToken read;
    if (const mobula_result result = read_token(token, token_size, read); result != MOBULA_OK) return result;
    if (const mobula_result checked = check_time(c, now); checked != MOBULA_OK) return checked;
    if (!c.host_has_socket()) {
      if (const core::Status opened = c.pipe->socket.open(); !opened) return fail(MOBULA_ERROR_SOCKET, opened.error());
      c.pipe->lost_at = 0;
    }
    note_time(c, now);
    drop_second(c);
    if (!is_closed) c.connection->close(output(c));
    reconnect(c, read);
    return MOBULA_OK;
  });
}
