// Test fixture: a game whose players leave for other worlds, and arrive.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/schema/components.hpp>
#include <server/session/server_accounts.hpp>
#include <stdexcept>

namespace mobula::server::player_crossing_test {

using transport::Reason;
using transport::ReasonCode;

class PortalGame : public test::KeepingGame {
 public:
  core::Status may_leave(World& world, const Player& player, std::string_view target) override {
    if (on_may_leave) on_may_leave(world, player);
    if (closed) return core::Error{"portal closed", "the portal to " + std::string(target) + " is closed"};
    EXPECT_TRUE(player.entity);
    return core::Done{};
  }
  core::Bytes pack(World&, const Player&) override { return core::Bytes(3, std::byte{7}); }
  core::Status unpack(World& world, const Player& player, core::ByteView data) override {
    arrived.push_back(player);
    EXPECT_EQ(data.size(), 3u);
    EXPECT_TRUE(world.registry().valid(player.entity));
    if (throws) throw std::runtime_error("no seat");
    if (closed) return core::Error{"portal closed", "nobody may arrive"};
    return core::Done{};
  }

  bool closed = false;
  bool throws = false;
  std::function<void(World& world, const Player& player)> on_may_leave;
  std::vector<Player> arrived;
};

inline constexpr std::size_t bytes_max = 1 << 20;

class PlayerCrossingTest : public test::ServerAccounts {
 protected:
  void open(ServerConfig config = {}) { village.emplace(portal, std::move(config)); }
  PlayerCrossing& crossing() { return server().crossing(); }
  std::uint32_t newest() { return portal.players.back().id; }
  // Anna has crossed out of a world, with 42 points of health.
  CrossingPlayer anna() {
    PortalGame game;
    test::Village source(game, {});
    source.server->restore_players(2, {{1, "Anna", "anna", source.server->world().registry().create(), true}});
    const ecs::Entity own = source.server->world().player_entity(1);
    source.server->world().registry().add<demo::Health>(own).current = 42;
    core::Result<CrossingPlayer> player = source.server->crossing().release(1, "b", bytes_max);
    EXPECT_TRUE(player);
    return *player;
  }
  // Its numbers begin with 1, as it gave no commands in the former zone.
  bool runs_a_command(Client& client) {
    const std::size_t before = portal.ran.size();
    client.input->set_command(test::move_command(42, 0));
    return village->tick_until([&] { return portal.ran.size() > before; }, 40);
  }
  std::size_t entities() { return server().world().registry().entities().size(); }

  PortalGame portal;
};

// Turns entities into ghosts, as a zone does.
struct Kept {
  std::function<void(std::span<const ecs::Entity>)> by(World& world) {
    return [this, &world](std::span<const ecs::Entity> all) {
      entities.assign(all.begin(), all.end());
      for (const ecs::Entity entity : all) ecs::Guests(world.registry()).set_ghost(entity, true);
    };
  }
  std::vector<ecs::Entity> entities;
};

}  // namespace mobula::server::player_crossing_test
