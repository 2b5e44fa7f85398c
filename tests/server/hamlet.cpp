#include <algorithm>
#include <examples/demo/compilers.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <mobula/schema/components.hpp>
#include <server/hamlet.hpp>
#include <server/interest/reference_interest.hpp>
#include <stdexcept>

namespace mobula::test {
namespace {

std::shared_ptr<const resource::Resource> compile_level(const std::string& path) {
  resource::CompileOptions options;
  options.compilers = demo::component_compilers();
  const resource::Compiled compiled = resource::compile(MOBULA_SOURCE_DIR + path, *game_schema(), options);
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
  static const std::shared_ptr<const resource::Resource> level = compile_level("/tests/server/levels/hamlet.json");
  return level;
}

std::shared_ptr<const resource::Resource> rebuilt_hamlet() {
  static const std::shared_ptr<const resource::Resource> level =
      compile_level("/tests/server/levels/hamlet_rebuilt.json");
  return level;
}

std::shared_ptr<const resource::Resource> village() {
  static const std::shared_ptr<const resource::Resource> level =
      compile_level("/server/examples/demo/level/village.json");
  return level;
}

transport::ServerEndpointConfig test_transport() {
  transport::ServerEndpointConfig config;
  config.private_key.fill(std::byte{0x5a});
  config.challenge_key.fill(std::byte{0x5c});
  config.table_seed = 1;
  config.public_addresses = {village_address};
  return config;
}

transport::ConnectToken test_token(std::uint64_t client_id, const transport::UserData& user_data) {
  return test_token(
      {.client_id = client_id, .user_data = user_data, .servers = {village_address}, .expire_seconds = 3600},
      test_transport().private_key, test_unix_time);
}

transport::ConnectToken test_token(const transport::TokenRequest& request, const core::SecretKey& key,
                                   std::uint64_t unix_time) {
  core::SecretKey seed{};
  core::store(seed.data(), request.client_id);
  core::SecretStream stream(seed);
  transport::TokenSecrets secrets;
  stream.fill(secrets.nonce);
  stream.fill(secrets.client_to_server);
  stream.fill(secrets.server_to_client);
  const core::Result<core::Bytes> bytes = transport::mint_token(request, key, secrets, unix_time);
  return transport::read_token(*bytes).value();
}

server::ServerConfig at_village(server::ServerConfig config) {
  const std::uint32_t sessions_max = config.transport.sessions_max;
  config.transport = test_transport();
  config.transport.sessions_max = sessions_max;
  config.token_servers = config.transport.public_addresses;
  return config;
}

Village::Village(server::Game& game, server::ServerConfig config, const transport::NetworkConditions& conditions,
                 std::uint64_t seed)
    : network(seed, conditions), server_port(*this, village_address), game_(game) {
  config.secret.fill(std::byte{0x5b});
  auto started = server::Server::start(at_village(std::move(config)), game);
  if (!started) throw std::runtime_error(started.error().message);
  server = std::move(*started);
  server->set_unix_time(test_unix_time);
}

Village::Client& Village::join(const std::string& name, std::shared_ptr<const reflect::Schema> schema) {
  client::ConnectionConfig config;
  config.name = name;
  config.schema = std::move(schema);
  return join(std::move(config));
}

Village::Client& Village::join(client::ConnectionConfig config) {
  ++joined_;
  const auto address =
      transport::Address::v4(10, 1, static_cast<std::uint8_t>(joined_ >> 8), static_cast<std::uint8_t>(joined_), 5000);
  if (config.transport.token.servers.empty()) config.transport.token = test_token(joined_);
  return *clients.emplace_back(std::make_unique<Client>(*this, address, config));
}

void Village::remove(const Client& client) {
  std::erase_if(clients, [&](const auto& kept) { return kept.get() == &client; });
}

const server::Viewer* Village::viewer_of(ecs::Entity entity) {
  for (std::uint32_t player = 1; player < server->next_player(); ++player) {
    const server::Viewer* viewer = server->world().try_viewer(player);
    if (viewer != nullptr && viewer->entity() == entity) return viewer;
  }
  return nullptr;
}

bool Village::mirrors(const Client& client) {
  const client::Mirror* mirror = client.connection.mirror();
  const ecs::Entity own = client.connection.player_entity();
  if (mirror == nullptr || !own) return false;
  auto interest = server::test::ReferenceInterest::of(*server, game_.layers(), game_.interest_rule());
  if (interest.layers.empty()) interest.layers = {{"all"}};
  const server::Published& published = server->published();
  const server::Viewer* viewer = viewer_of(own);
  if (viewer == nullptr) return false;
  std::uint64_t hash = 0;
  const auto in_view = [&](std::uint32_t index) { return mirror->tick_of(published.entity(index).entity) != 0; };
  for (const std::uint32_t index : interest.relevant(*viewer, in_view)) {
    const server::PublishedEntity& entity = published.entity(index);
    const bool owner = interest.relevance(entity.entity).owner == viewer->player();
    hash += entity.hash + (owner ? entity.owner_hash : 0);
  }
  return mirror->hash() == hash;
}

void Village::tick() {
  network.deliver(now, [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
    if (to == village_address) return server->receive(from, datagram, now, server_port);
    for (const auto& client : clients)
      if (client->port.from == to) client->input->receive(from, datagram, now);
  });
  for (const auto& client : clients)
    if (!client->mute) client->input->update(now, client->port);
  server->tick(now, server_port);
  now += tick_length;
}

}  // namespace mobula::test
