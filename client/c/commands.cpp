#include <c/command_json.hpp>
#include <c/handles.hpp>
#include <mobula/core/format.hpp>
#include <mobula/wire/input.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

mobula_result set_command(Client& client, core::ByteView command) {
  client::Connection& connection = *client.connection;
  if (command.size() > wire::command_bytes_max)
    return fail(MOBULA_ERROR_TOO_LARGE, core::format("the command has {} bytes; at most {} are allowed", command.size(),
                                                     wire::command_bytes_max));
  if (command.empty()) return fail(MOBULA_ERROR_INVALID_ARGUMENT, "a command has at least one byte");
  if (connection.config().spectate) return fail(MOBULA_ERROR_WRONG_STATE, "a spectator gives no commands");
  if (connection.state() == client::Connection::State::closed) return fail_closed(client);
  connection.set_command(command);
  return MOBULA_OK;
}

}  // namespace

mobula_result mobula_client_set_command(mobula_client client, const void* command, uint32_t size) {
  return with_client(client, [&](Client& c) {
    if (command == nullptr) return refuse_null("the command");
    return set_command(c, {static_cast<const std::byte*>(command), size});
  });
}

mobula_result mobula_client_set_command_schema(mobula_client client, const void* bfbs, uint64_t size) {
  return with_client(client, [&](Client& c) -> mobula_result {
    if (bfbs == nullptr) return refuse_null("the schema");
    core::Result<CommandSchema> schema =
        CommandSchema::load({static_cast<const std::byte*>(bfbs), static_cast<std::size_t>(size)});
    if (!schema) return fail(MOBULA_ERROR_BAD_SCHEMA, schema.error());
    c.commands = std::move(*schema);
    return MOBULA_OK;
  });
}

mobula_result mobula_client_set_command_json(mobula_client client, const char* json) {
  return with_client(client, [&](Client& c) -> mobula_result {
    if (json == nullptr) return refuse_null("the command");
    if (!c.commands) return fail(MOBULA_ERROR_BAD_SCHEMA, "the client has no schema of commands");
    const core::Result<core::Bytes> command = write_command(*c.commands, json);
    if (command) return set_command(c, *command);
    const bool large = command.error().reason == std::string_view("too large");
    return fail(large ? MOBULA_ERROR_TOO_LARGE : MOBULA_ERROR_BAD_JSON, command.error());
  });
}
