// A server with clients whose pipes a test can cut.
#pragma once

#include <gtest/gtest.h>

#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>
#include <vector>

namespace mobula::server {

using client::Connection;

// Refuses some identities, and records all that it is asked about.
class DoorkeeperGame : public test::TinyGame {
 public:
  core::Status authenticate(const Identity& identity) override {
    ids.push_back(identity.client_id);
    if (identity.user_data[0] == std::byte{13}) return core::Error{"banned", "not thirteen"};
    return core::Done{};
  }
  std::vector<std::uint64_t> ids;
};

class ServerSessions : public testing::Test {
 protected:
  using Client = test::Village::Client;

  Client& join_and_play(const std::string& name = "ada") {
    Client& client = village.join(name);
    EXPECT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
    village.ticks(5);  // it receives its rejoin tokens
    return client;
  }
  static bool closed(const Client& client) { return client.connection.state() == Connection::State::closed; }
  bool loses_connection(Client& client) {
    village.network.cut(client.port.from);
    const bool lost = village.tick_until([&] { return closed(client); });
    village.network.heal(client.port.from);
    return lost;
  }
  // Closes the pipe. Both sides notice it at once.
  void close_pipe(Client& client) {
    village.server->pipe_closed(client.port.from, village.now);
    client.connection.pipe_closed("cut", village.now);
  }
  bool reconnects(Client& client) {
    if (!client.connection.can_rejoin()) return false;
    client.connection.rejoin(village.now);
    const std::uint64_t ticks = client.connection.stats().ticks;
    const bool back =
        village.tick_until([&] { return client.connection.stats().ticks > ticks + 3 && village.mirrors(client); });
    village.ticks(5);
    return back;
  }
  [[nodiscard]] std::uint64_t rejoins() const { return village.server->stats().rejoins; }

  DoorkeeperGame game;
  test::Village village{game};
};

}  // namespace mobula::server
