#include <c/client.hpp>
#include <mobula/core/base64.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>

namespace mobula::c {
namespace {

constexpr std::size_t token_text_bytes_max = 4096;
// Time without a datagram after which a program without a picture updates, as those of PipeClient do.
constexpr core::Nanoseconds update_interval = 25 * core::millisecond;

void note_closing(Client& client) {
  const std::optional<wire::Closing>& closing = client.connection->closing();
  if (!closing) {
    client.closes_at.reset();
  } else if (!client.closes_at) {
    client.closes_at = client.now + closing->seconds * core::second;
  }
}

// A token that has expired or was used is the most frequent cause of no answer, and the server does not report it.
std::string_view cause_of_no_answer(const client::Connection& connection) {
  if (connection.reason().code != transport::ReasonCode::no_answer) return "";
  return connection.config().transport.token.expire_time <= core::unix_now()
             ? " (the connect token has expired, by the clock of this machine; if it is younger, synchronise the "
               "clocks of both machines by NTP)"
             : " (is the connect token used up? It opens one session. Do the clocks of both machines agree? If not, "
               "synchronise them by NTP)";
}

void end_session(Client& client) {
  client.outbox.clear();
  client.closes_at.reset();
}

}  // namespace

Client::Client(client::ConnectionConfig config, bool has_levels, core::Nanoseconds created) : now(created) {
  if (has_levels) levels = std::make_unique<client::ResourceMemory>();
  config.resources = levels.get();
  connection = std::make_unique<client::Connection>(config, created);
}

mobula_result no_mirror(const Client& client) {
  return fail(MOBULA_ERROR_NO_MIRROR, client.connection->config().decode
                                          ? "the server has not accepted the client yet"
                                          : "the client was created with MOBULA_NO_MIRROR");
}

mobula_result check_time(std::int64_t now) {
  if (now >= 0 && now <= time_max) return MOBULA_OK;
  return fail(MOBULA_ERROR_INVALID_ARGUMENT, core::format("time {} is not within 0 to {}", now, time_max));
}

// A time that is far ahead would stop the clock of a client that also reads it itself.
mobula_result check_time(const Client& client, std::int64_t now) {
  if (const mobula_result checked = check_time(now); checked != MOBULA_OK) return checked;
  if (!client.host_has_socket() && now > core::monotonic_now() + core::second)
    return fail(MOBULA_ERROR_INVALID_ARGUMENT, core::format("time {} is not one of mobula_now", now));
  return MOBULA_OK;
}

void note_time(Client& client, std::int64_t now) { client.now = std::max(client.now, now); }

void receive(Client& client, client::Connection& connection, const transport::Address& from, core::ByteView datagram) {
  client.started = true;
  ++client.datagrams_received;
  connection.receive(from, datagram, client.now);
  note_closing(client);
}

void step(Client& client, transport::Output& output) {
  client.started = true;
  client.wakeup = client.now + update_interval;
  client.connection->update(client.now, output);
}

void rejoin(Client& client) {
  end_session(client);
  client.connection->rejoin(client.now);
}

void reconnect(Client& client, const transport::ConnectToken& token) {
  end_session(client);
  client.connection->reconnect(token, client.now);
}

std::string reason_text(const Client& client) {
  return to_string(client.connection->reason()) + std::string(cause_of_no_answer(*client.connection));
}

mobula_result fail_closed(const Client& client) { return fail(MOBULA_ERROR_CLOSED, reason_text(client)); }

transport::Output& output(Client& client) {
  if (client.host_has_socket()) return client.outbox;
  return client.pipe->socket;
}

mobula_result read_token(const void* bytes, std::uint64_t size, transport::ConnectToken& token) {
  if (bytes == nullptr) return refuse_null("the token");
  if (size > token_text_bytes_max)
    return fail(MOBULA_ERROR_BAD_TOKEN, core::format("{} bytes are no connect token; it has {}, or base64 text of them",
                                                     size, transport::connect_token_bytes));
  core::ByteView view{static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)};
  std::optional<core::Bytes> decoded;
  if (size != transport::connect_token_bytes) {
    decoded = core::from_base64(core::trimmed({static_cast<const char*>(bytes), static_cast<std::size_t>(size)}));
    if (!decoded)
      return fail(MOBULA_ERROR_BAD_TOKEN,
                  core::format("{} bytes are no connect token: neither {} bytes nor base64 text", size,
                               transport::connect_token_bytes));
    view = *decoded;
  }
  core::Result<transport::ConnectToken> read = transport::read_token(view);
  if (!read) return fail(MOBULA_ERROR_BAD_TOKEN, read.error());
  token = std::move(*read);
  return MOBULA_OK;
}

const std::vector<transport::Address>& servers(const Client& client) {
  const transport::ClientEndpointConfig& config = client.connection->config().transport;
  return config.servers.empty() ? config.token.servers : config.servers;
}

}  // namespace mobula::c
