// Arbitrary messages and inputs of a client to a server of the demo with the hamlet. The server keeps running, and
// after the rejoin grace nothing of the disconnected client is left. Input: steps.
//   0 u16 length, bytes   a reliable message      1 u16 length, bytes   an unreliable one
//   2                     a tick                  3                     the connection is lost and the client rejoins
//   4                     an entity of the level is changed
#include <examples/demo/demo_game.hpp>
#include <fuzz/fuzz.hpp>
#include <fuzz/small_server.hpp>
#include <mobula/core/log.hpp>
#include <server/raw_client.hpp>

namespace fuzz_server {

using namespace mobula;

namespace {

constexpr std::size_t steps_max = 400;

void step(fuzz::Input& input, server::Server& server, test::RawClient& client) {
  const std::uint8_t kind = input.byte() % 5;
  if (kind == 0) return client.send_bytes(input.bytes(input.word()));
  if (kind == 1) return client.send_input(input.bytes(input.word()));
  if (kind == 3) {
    client.cut_pipe();
    if (!client.rejoin_tokens.empty()) return client.connect(transport::ConnectToken(client.rejoin_tokens.back()));
  }
  if (kind == 4) {
    ecs::Registry& registry = server.world().registry();
    const ecs::Entity entity = server.world().level_range().at(input.byte() % server.world().level_range().count);
    if (engine::Transform* transform = registry.valid(entity) ? registry.try_get<engine::Transform>(entity) : nullptr)
      transform->position.x += 1;
  }
  client.tick();
}

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  demo::DemoGame game;
  server::ServerConfig config = fuzz::small_server();
  config.rejoin_grace = core::second / 2;
  const std::unique_ptr<server::Server> server = std::move(*server::Server::start(std::move(config), game));
  server->set_unix_time(test::test_unix_time);
  test::RawClient client(*server, 1);
  client.connect();
  fuzz::Input input(fuzz::view(data, size));
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) step(input, *server, client);
  client.cut_pipe();
  for (int i = 0; i < 12; ++i) client.tick();
  fuzz::require(server->players() == 0, "a disconnected player is removed");
  server->published().check();
  return 0;
}

const mobula::fuzz::Target target("server", run_target);

}  // namespace
}  // namespace fuzz_server
