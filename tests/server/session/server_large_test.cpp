// Entities larger than a datagram, from the server's world to the mirrors of real clients.
#include <gtest/gtest.h>

#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

class ServerLarge : public testing::Test {
 protected:
  using Client = test::Village::Client;

  explicit ServerLarge(ServerConfig config = {.verify_one_in = 1}, const transport::NetworkConditions& network = {})
      : village(game, std::move(config), network) {}

  // Creates an entity with a Transform and this number of names, each of 25 bytes.
  ecs::Entity create_hoard(int crates) {
    ecs::Registry& registry = village.server->world().registry();
    const ecs::Entity entity = registry.create();
    registry.add<engine::Transform>(entity);
    for (int i = 0; i < crates; ++i) write(entity, i, 'a');
    return entity;
  }
  void write(ecs::Entity entity, int crate, char letter) {
    ecs::Registry& registry = village.server->world().registry();
    const ecs::PoolId pool = registry.pool_of<demo::Name>("crate " + std::to_string(crate));
    if (!registry.pool(pool).contains(entity.index)) registry.add_bytes(entity, pool);
    std::ranges::fill(reinterpret_cast<demo::Name*>(registry.try_write(entity, pool))->text, letter);
  }
  // Returns the number of components that the client has of an entity.
  static std::size_t components(const Client& client, ecs::Entity entity) {
    const client::Mirror& mirror = *client.connection.mirror();
    if (!mirror.registry().valid(entity)) return 0;
    return mirror.registry().prototypes().pools(mirror.registry().prototype(entity)).size();
  }
  static void expect_verified(const Client& client) {
    const client::ConnectionStats& stats = client.connection.stats();
    EXPECT_GT(stats.verified_ticks, 0u);
    EXPECT_EQ(stats.mismatched_ticks, 0u);
    EXPECT_EQ(stats.corrections, 0u);
    client.connection.mirror()->check();
  }
  bool mirrored(Client& client) {
    return village.tick_until([&] { return village.mirrors(client) && client.connection.complete(); }, 2000);
  }

  test::TinyGame game;
  test::Village village;
};

TEST_F(ServerLarge, NothingOfAnEntityIsMissingInAVerifiedMirror) {
  Client& client = village.join();
  village.ticks(20);
  const ecs::Entity entity = create_hoard(80);
  ASSERT_TRUE(village.tick_until([&] { return components(client, entity) == 81u; }, 2000));
  ASSERT_TRUE(mirrored(client));
  village.ticks(40);
  expect_verified(client);
}

TEST_F(ServerLarge, ChangesOfAllOfItArriveToo) {
  Client& client = village.join();
  const ecs::Entity entity = create_hoard(80);
  ASSERT_TRUE(mirrored(client));
  for (int crate = 0; crate < 80; ++crate) write(entity, crate, 'b');
  ASSERT_TRUE(mirrored(client));
  write(entity, 7, 'c');
  ASSERT_TRUE(mirrored(client));
  village.ticks(40);
  expect_verified(client);
}

TEST_F(ServerLarge, ARejoinInTheMiddleOfABodyContinues) {
  Client& client = village.join();
  ASSERT_TRUE(mirrored(client));
  village.ticks(100);
  create_hoard(200);
  village.ticks(2);
  client.port.from = transport::Address::v4(10, 2, 0, 1, 6000);
  client.connection.pipe_closed("cut", village.now);
  village.tick();
  ASSERT_TRUE(client.connection.can_rejoin());
  client.connection.rejoin(village.now);
  village.ticks(20);
  ASSERT_TRUE(mirrored(client));
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
}

struct ServerLargeOnABadPath : ServerLarge {
  ServerLargeOnABadPath()
      : ServerLarge({.verify_one_in = 1, .delta_bytes_per_tick_max = 1200},
                    {.latency = 40 * core::millisecond, .jitter = 20 * core::millisecond, .loss_ppm = 200'000}) {}
};

TEST_F(ServerLargeOnABadPath, ManyLargeEntitiesArriveDespiteLoss) {
  Client& client = village.join();
  std::vector<ecs::Entity> hoards;
  for (int i = 0; i < 12; ++i) hoards.push_back(create_hoard(60 + 10 * i));
  game.churn = 5;
  for (int i = 0; i < 300; ++i) {
    village.tick();
    write(hoards[static_cast<std::size_t>(i) % hoards.size()], i % 60, static_cast<char>('a' + i % 26));
  }
  game.churn = 0;
  ASSERT_TRUE(mirrored(client));
  for (std::size_t i = 0; i < hoards.size(); ++i) EXPECT_EQ(components(client, hoards[i]), 61 + 10 * i);
  expect_verified(client);
}

}  // namespace
}  // namespace mobula::server
