#include <mobula/schema/demo_commands_generated.h>

#include <algorithm>
#include <mobula/resource/compiler.hpp>
#include <mobula/schema/components.hpp>
#include <server/hamlet.hpp>
#include <stdexcept>

namespace mobula::test {
namespace {

std::shared_ptr<const resource::Resource> compile_hamlet() {
  const resource::Compiled compiled =
      resource::compile(MOBULA_SOURCE_DIR "/tests/server/levels/hamlet.json", *game_schema());
  std::string errors;
  for (const resource::CompileError& error : compiled.errors) errors += to_string(error) + "\n";
  if (!errors.empty()) throw std::runtime_error(errors);
  return *resource::Resource::from_bytes(compiled.bytes);
}

}  // namespace

const std::shared_ptr<const reflect::Schema>& game_schema() {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(demo::schema_bytes());
  return schema;
}

std::shared_ptr<const resource::Resource> hamlet() {
  static const std::shared_ptr<const resource::Resource> level = compile_hamlet();
  return level;
}

core::Bytes move_command(float x, float z) {
  flatbuffers::FlatBufferBuilder builder(128);
  const auto move = demo::commands::CreateMove(builder, x, z);
  builder.Finish(demo::commands::CreateCommand(builder, demo::commands::Body::Move, move.Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

Village::Village(server::Game& game, server::ServerConfig config, const transport::NetworkConditions& conditions,
                 std::uint64_t seed)
    : network(seed, conditions), server_port(*this, village_address) {
  config.transport.secret.fill(std::byte{0x5a});
  auto started = server::Server::start(std::move(config), game);
  if (!started) throw std::runtime_error(started.error().message);
  server = std::move(*started);
}

Village::Client& Village::join(const std::string& name, std::shared_ptr<const reflect::Schema> schema) {
  ++joined_;
  const auto address =
      transport::Address::v4(10, 1, static_cast<std::uint8_t>(joined_ >> 8), static_cast<std::uint8_t>(joined_), 5000);
  client::ConnectionConfig config;
  config.transport.server = village_address;
  config.transport.nonce = 0xabcdef00 + joined_;
  config.name = name;
  config.schema = std::move(schema);
  return *clients.emplace_back(std::make_unique<Client>(*this, address, config));
}

void Village::remove(const Client& client) {
  std::erase_if(clients, [&](const auto& kept) { return kept.get() == &client; });
}

void Village::tick() {
  network.deliver(now, [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
    if (to == village_address) return server->receive(from, datagram, now, server_port);
    for (const auto& client : clients)
      if (client->port.from == to) client->connection.receive(from, datagram, now);
  });
  for (const auto& client : clients)
    if (!client->mute) client->connection.update(now, client->port);
  server->tick(now, server_port);
  now += tick_length;
}

}  // namespace mobula::test
