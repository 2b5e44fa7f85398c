// Test fixture: a game whose players have accounts, and clients that log in with them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>
#include <string>
#include <utility>
#include <vector>

namespace mobula::test {

// Keeps the entities of players that have left, and admits spectators.
class KeepingGame : public TinyGame {
 public:
  core::Status start(server::World& world) override {
    for (int i = 0; i < 3; ++i) sleepers.push_back(world.registry().create());
    return core::Done{};
  }
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override {
    if (!player.entity) return TinyGame::join(world, player);
    players.push_back(player);
    if (refuse_former) return core::Error{"asleep", "not woken"};
    return player.entity;
  }
  core::Status spectate(server::World& world, const server::Player& player) override {
    watchers.push_back(player);
    EXPECT_NE(world.try_viewer(player.id), nullptr);
    return core::Done{};
  }
  void leave(server::World& world, const server::Player& player) override {
    gone.push_back(player);
    if (on_leave) on_leave(world, player);
    if (keep || !player.entity) return;
    TinyGame::leave(world, player);
  }
  void tick(server::World& world) override {
    TinyGame::tick(world);
    if (on_tick) std::exchange(on_tick, nullptr)(world);
  }

  std::vector<ecs::Entity> sleepers;
  std::vector<server::Player> watchers;
  std::vector<server::Player> gone;
  std::function<void(server::World&)> on_tick;
  std::function<void(server::World&, const server::Player&)> on_leave;
  bool keep = false;
  bool refuse_former = false;
};

class ServerAccounts : public testing::Test {
 protected:
  using Client = Village::Client;

  void serve(server::ServerConfig config = {}) { village.emplace(game, std::move(config)); }
  Client& join(const std::string& account, bool spectate = false) {
    client::ConnectionConfig config;
    config.name = account;
    config.spectate = spectate;
    config.follows = follows;
    config.awaits_player = awaits_player;
    transport::UserData user_data{};
    std::ranges::copy(core::as_bytes(account.data(), account.size()), user_data.begin());
    config.transport.token = test_token(++log_ins, user_data);
    return village->join(config);
  }
  Client& join_and_play(const std::string& account) {
    Client& client = join(account);
    EXPECT_TRUE(village->tick_until([&] { return village->mirrors(client); })) << to_string(client.connection.reason());
    village->ticks(5);  // it receives its rejoin tokens
    return client;
  }
  // A player joins and leaves a game that keeps the entities of its players. Returns the entity.
  ecs::Entity play_and_leave(const std::string& account) {
    game.keep = true;
    serve();
    Client& client = join_and_play(account);
    const ecs::Entity own = client.connection.player_entity();
    client.connection.close(client.port);
    village->ticks(5);
    return own;
  }
  Client& watch(const std::string& account) {
    Client& client = join(account, true);
    EXPECT_TRUE(village->tick_until([&] { return client.connection.stats().ticks > 3; }));
    return client;
  }
  static bool closed(const Client& client) { return client.connection.state() == client::Connection::State::closed; }
  const transport::Reason& end_of(Client& client) {
    EXPECT_TRUE(village->tick_until([&] { return closed(client); }));
    village->ticks(2);
    return client.connection.reason();
  }
  void lose(Client& client) {
    village->server->pipe_closed(client.port.from, village->now);
    client.connection.pipe_closed("cut", village->now);
    village->tick();
  }
  server::Server& server() { return *village->server; }

  KeepingGame game;
  std::optional<Village> village;
  std::uint64_t log_ins = 0;
  bool follows = false;        // clients follow their players to other zones
  bool awaits_player = false;  // clients wait for their players
};

}  // namespace mobula::test
