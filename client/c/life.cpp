#include <c/handles.hpp>
#include <c/second.hpp>
#include <c/written.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/wire/player_name.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

constexpr std::uint32_t known_flags = MOBULA_SPECTATE | MOBULA_NO_VERIFY | MOBULA_NO_MIRROR | MOBULA_LEVELS;
// Size of the struct in the first version of the library. It does not grow with the struct.
constexpr std::size_t options_bytes_min = offsetof(mobula_client_options, schema_size) + sizeof(std::uint64_t);

mobula_result read_name(const char* name, std::string& to) {
  if (name == nullptr) return MOBULA_OK;
  const std::string_view given(name, strnlen(name, client::player_name_bytes_max + 1));
  if (wire::player_name(given) != given)
    return fail(MOBULA_ERROR_INVALID_ARGUMENT,
                core::format("the name is not printable UTF-8 of at most {} bytes", client::player_name_bytes_max));
  to = given;
  return MOBULA_OK;
}

mobula_result read_schema(const void* bytes, std::uint64_t size, std::shared_ptr<const reflect::Schema>& to) {
  if (bytes == nullptr) return MOBULA_OK;
  if (size > reflect::Limits::schema_bytes)
    return fail(MOBULA_ERROR_BAD_SCHEMA,
                core::format("the schema has {} bytes; at most {} are allowed", size, reflect::Limits::schema_bytes));
  core::Result<std::shared_ptr<const reflect::Schema>> schema =
      reflect::Schema::load({static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)});
  if (!schema) return fail(MOBULA_ERROR_BAD_SCHEMA, schema.error());
  to = std::move(*schema);
  return MOBULA_OK;
}

mobula_result read_options(const mobula_client_options& options, client::ConnectionConfig& config) {
  if ((options.flags & ~known_flags) != 0)
    return fail(MOBULA_ERROR_INVALID_ARGUMENT,
                core::format("flags {:#x} are not known to this library", options.flags));
  config.spectate = (options.flags & MOBULA_SPECTATE) != 0;
  config.verify = (options.flags & MOBULA_NO_VERIFY) == 0;
  config.decode = (options.flags & MOBULA_NO_MIRROR) == 0;
  mobula_result read = read_name(options.name, config.name);
  if (read == MOBULA_OK) read = read_token(options.token, options.token_size, config.transport.token);
  if (read == MOBULA_OK) read = read_schema(options.schema, options.schema_size, config.schema);
  return read;
}

mobula_status status_of(const Client& client) {
  const client::Connection& connection = *client.connection;
  mobula_status status{};
  const bool joins_zone = connection.state() == client::Connection::State::closed && is_on_the_way(client);
  status.state = static_cast<std::uint32_t>(joins_zone ? client::Connection::State::joining : connection.state());
  status.can_rejoin = connection.can_rejoin();
  status.rejoin_tokens = static_cast<std::uint32_t>(connection.rejoin_tokens());
  status.can_reconnect = connection.can_reconnect() || rejoins_in_vain(client);
  status.ticks_per_second = connection.ticks_per_second();
  status.player = to_c(connection.player_entity());
  status.closing_seconds = ~0u;
  if (client.closes_at)
    status.closing_seconds =
        static_cast<std::uint32_t>(std::max<core::Nanoseconds>(*client.closes_at - client.now, 0) / core::second);
  const std::vector<transport::Address>& all = servers(client);
  status.server = static_cast<std::uint32_t>(std::ranges::find(all, connection.server()) - all.begin());
  const client::Mirror* const mirror = connection.mirror();
  if (mirror == nullptr) return status;
  status.tick = mirror->tick();
  status.complete = connection.complete();
  status.mirror = connection.mirror_number();
  status.entities = mirror->size();
  status.mirror_hash = mirror->hash();
  return status;
}

static_assert(static_cast<int>(client::Connection::State::connecting) == MOBULA_CONNECTING);
static_assert(static_cast<int>(client::Connection::State::joining) == MOBULA_JOINING);
static_assert(static_cast<int>(client::Connection::State::playing) == MOBULA_PLAYING);
static_assert(static_cast<int>(client::Connection::State::closed) == MOBULA_CLOSED);
static_assert(static_cast<int>(transport::ReasonCode::other_protocol) == MOBULA_REASON_OTHER_PROTOCOL);
static_assert(static_cast<int>(transport::ReasonCode::count) == MOBULA_REASON_MOVED + 1);

}  // namespace

uint32_t mobula_version(void) { return MOBULA_CLIENT_VERSION; }

uint32_t mobula_protocol_version(void) { return wire::protocol_version; }

int64_t mobula_now(void) { return core::monotonic_now(); }

mobula_result mobula_client_create(const mobula_client_options* options, int64_t now, mobula_client* client) {
  if (client == nullptr) return refuse_null("the client");
  *client = {0, 0};
  mobula_client_options known;
  if (const mobula_result read = read_struct(options, options_bytes_min, known); read != MOBULA_OK) return read;
  client::ConnectionConfig config;
  if (const mobula_result read = read_options(known, config); read != MOBULA_OK) return read;
  if (const mobula_result checked = check_time(now); checked != MOBULA_OK) return checked;
  *client = add_client(std::make_unique<Client>(std::move(config), (known.flags & MOBULA_LEVELS) != 0, now));
  if (client->generation == 0)
    return fail(MOBULA_ERROR_TOO_MANY_CLIENTS, core::format("the process has {} clients", int{MOBULA_CLIENTS_MAX}));
  return MOBULA_OK;
}

mobula_result mobula_client_destroy(mobula_client client) {
  const Removed removed = remove_client(client);
  const bool leaves = removed.client != nullptr && !removed.is_copy && !removed.client->host_has_socket();
  if (!leaves) return removed.result;
  leave_second(*removed.client);
  removed.client->connection->close(removed.client->pipe->socket);
  return removed.result;
}

mobula_result mobula_client_leave(mobula_client client) {
  return with_client(client, [](Client& c) {
    c.started = true;
    leave_second(c);
    c.connection->close(output(c));
    return MOBULA_OK;
  });
}

mobula_result mobula_client_status(mobula_client client, mobula_status* status) {
  return with_client(client, [&](const Client& c) { return write_struct(status_of(c), status); });
}

mobula_result mobula_client_reason(mobula_client client, int32_t* code, char* text, uint32_t capacity,
                                   uint32_t* length) {
  return with_client(client, [&](const Client& c) -> mobula_result {
    const client::Connection& connection = *c.connection;
    if (code == nullptr) return refuse_null("the code");
    if (connection.state() != client::Connection::State::closed || is_on_the_way(c)) return MOBULA_NOTHING;
    *code = static_cast<std::int32_t>(connection.reason().code);
    return write_text(reason_text(c), {text, capacity, length});
  });
}
