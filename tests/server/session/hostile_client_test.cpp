// Messages that no honest client sends gain nothing and harm no other client.
#include <gtest/gtest.h>

#include <server/raw_client.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

using test::RawClient;

class HostileClient : public testing::Test {
 protected:
  HostileClient() {
    ServerConfig config{.level = test::hamlet()};
    config.transport = test::test_transport();
    config.token_servers = config.transport.public_addresses;
    config.rejoin_grace = core::second;
    server = std::move(*Server::start(std::move(config), game));
    server->set_unix_time(test::test_unix_time);
  }
  void join(RawClient& client, bool resume = false) {
    client.connect();
    client.send_message(wire::Hello{.schema_fingerprint = {}, .name = "eve", .verify = true, .resume = resume});
    client.ticks(5);
    ASSERT_EQ(server->players(), 1u);
  }
  // Sends the maximum number of commands, for the farthest allowed tick.
  void fill_up_with_commands(RawClient& client) {
    const ecs::Tick tick = server->world().tick() + CommandBuffer::ahead_max;
    wire::InputDatagram input{.ack = 1, .words = 1, .received = {}, .first_command = 1, .commands = {}};
    for (std::uint32_t i = 0; i < wire::commands_held_max; i += wire::input_commands_max) {
      input.commands.assign(wire::input_commands_max, {tick, tick, 0, {}});
      input.first_command = i + 1;
      client.send_input(input);
      ++input.ack;
    }
  }

  test::TinyGame game;
  std::unique_ptr<Server> server;
};

TEST_F(HostileClient, RefusedCommandsEndADisconnectedSession) {
  game.refuse_commands = true;
  RawClient client(*server, 1);
  join(client);
  client.ticks(5);
  fill_up_with_commands(client);
  client.ticks(CommandBuffer::ahead_max - 8);
  for (std::uint32_t i = 0; i < ClientSession::refusals_per_second_max - 4; ++i) {
    client.send_input(core::Bytes(3));
    if (i % 12 == 11) client.tick();
  }
  client.tick();
  client.cut_pipe();
  client.ticks(60);
  EXPECT_GT(server->stats().refusals.at("malformed command"), 0u);
  EXPECT_EQ(server->players(), 0u);
  EXPECT_EQ(game.left, 1);
}

}  // namespace
}  // namespace mobula::server
