#include <gmock/gmock.h>

#include <algorithm>
#include <client/c/c_world.hpp>
#include <map>

namespace mobula::c {
namespace {

class CEntities : public test::CWorld {};

TEST_F(CEntities, AreThoseOfTheWorldByIndex) {
  play();
  const std::vector<mobula_entity> entities = guest->entities();
  EXPECT_EQ(entities.size(), guest->status().entities);
  EXPECT_TRUE(std::ranges::is_sorted(entities, {}, [](mobula_entity entity) { return entity & 0xffff'ffff; }));
  for (const mobula_entity entity : entities) EXPECT_TRUE(world().valid(test::to_entity(entity)));
}

TEST_F(CEntities, AreNotThereBeforeTheServerHasAcceptedTheClient) {
  join();
  std::uint32_t count = 7;
  EXPECT_EQ(mobula_client_read_entities(client(), nullptr, 0, &count), MOBULA_ERROR_NO_MIRROR);
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(test::error_text(), "the server has not accepted the client yet");
}

TEST_F(CEntities, AreNotThereWithoutAMirror) {
  join(MOBULA_NO_MIRROR);
  ASSERT_TRUE(village.tick_until([&] { return guest->statistics().deltas > 5; }));
  std::uint32_t count = 0;
  EXPECT_EQ(mobula_client_read_entities(client(), nullptr, 0, &count), MOBULA_ERROR_NO_MIRROR);
  EXPECT_EQ(test::error_text(), "the client was created with MOBULA_NO_MIRROR");
  EXPECT_EQ(guest->status().mirror, 0u);
}

TEST_F(CEntities, InfoDistinguishesTheOwnEntity) {
  play();
  ASSERT_TRUE(village.tick_until([&] {
    const std::vector<mobula_entity> entities = guest->entities();
    return std::ranges::find(entities, guest->status().player) != entities.end();
  }));
  int owned = 0;
  for (const mobula_entity entity : guest->entities()) {
    auto info = test::sized<mobula_entity_info>();
    ASSERT_EQ(mobula_client_entity(client(), entity, &info), MOBULA_OK);
    owned += static_cast<int>(info.owned);
    EXPECT_EQ(info.owned == 1, entity == guest->status().player);
    EXPECT_EQ(info.stale, 0u);
    EXPECT_GT(info.tick, 0u);
    EXPECT_LE(info.tick, guest->status().tick);
  }
  EXPECT_EQ(owned, 1);
}

TEST_F(CEntities, HandlesOfNoEntityAreRefused) {
  play();
  const mobula_entity known = guest->entities().front();
  for (const mobula_entity entity : {mobula_entity{0}, known + (mobula_entity{1} << 32), ~mobula_entity{0}}) {
    auto info = test::sized<mobula_entity_info>();
    std::uint32_t count = 0;
    std::uint32_t value = 0;
    EXPECT_EQ(mobula_client_entity(client(), entity, &info), MOBULA_ERROR_NO_ENTITY);
    EXPECT_EQ(mobula_client_components_of(client(), entity, nullptr, 0, &count), MOBULA_ERROR_NO_ENTITY);
    EXPECT_EQ(mobula_client_read(client(), entity, guest->component("Team"), &value, sizeof value),
              MOBULA_ERROR_NO_ENTITY);
  }
  EXPECT_EQ(mobula_client_entity(client(), known, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CEntities, EqualPrototypesHaveEqualComponents) {
  play();
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_prototype;
  for (const mobula_entity entity : guest->entities()) {
    auto info = test::sized<mobula_entity_info>();
    ASSERT_EQ(mobula_client_entity(client(), entity, &info), MOBULA_OK);
    const auto components = test::read_all<std::uint32_t>(
        [&](auto... array) { return mobula_client_components_of(client(), entity, array...); });
    EXPECT_FALSE(components.empty());
    const auto [known, added] = by_prototype.try_emplace(info.prototype, components);
    if (!added) {
      EXPECT_EQ(known->second, components);
    }
  }
  EXPECT_GT(by_prototype.size(), 3u);
}

}  // namespace
}  // namespace mobula::c
