#include <gtest/gtest.h>

#include <cmath>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/interest/ghost.hpp>
#include <mobula/server/zones/border.hpp>
#include <server/hamlet.hpp>
#include <set>

namespace mobula::server {
namespace {

constexpr std::string_view border_map =
    R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}], "entities_per_zone": 1024,
        "hysteresis": 2})";

// A world that is the zone "west".
struct West {
  West() { EXPECT_TRUE(reflect::register_components(registry, *test::game_schema()).ok()); }

  ecs::Entity at(float x) {
    const ecs::Entity entity = registry.create();
    registry.add<engine::Transform>(entity).position.x = x;
    return entity;
  }
  std::set<ecs::Entity> leaving() {
    hierarchy.update();
    std::set<ecs::Entity> roots;
    for (const Leaving& each : border.leaving()) {
      EXPECT_EQ(each.zone, 1u);
      roots.insert(each.root);
    }
    return roots;
  }

  ZoneMap map = std::move(*ZoneMap::parse(border_map));
  ecs::Registry registry{{.entities = {.entities_max = map.entities_max(), .own = map.indices(0)}, .pools = {}}};
  hierarchy::Hierarchy hierarchy{registry};
  Border border{registry, map, 0};
};

TEST(Border, FindsEntitiesBeyondTheHysteresis) {
  West west;
  west.at(-5);
  west.at(1.9f);
  west.at(std::nanf(""));
  west.registry.create();
  const ecs::Entity beyond = west.at(2.1f);
  const ecs::Entity far = west.at(500);
  EXPECT_EQ(west.leaving(), (std::set{beyond, far}));
  west.registry.get<engine::Transform>(beyond).position.x = 1;
  EXPECT_EQ(west.leaving(), std::set{far});
}

// They stood still before.
TEST(Border, LooksAtAllPlacesOfANewMap) {
  West west;
  const ecs::Entity far = west.at(-50);
  const ecs::Entity near = west.at(-5);
  EXPECT_TRUE(west.leaving().empty());
  west.registry.clear_journal();
  west.registry.set_tick(west.registry.tick() + 2);
  const ZoneMap whole = west.map;
  west.map = std::move(*whole.split("west", {.at = -20, .name = "near"}));  // "west" keeps the lower part
  west.border.on_new_map();
  std::vector<Leaving> leaving(west.border.leaving().begin(), west.border.leaving().end());
  ASSERT_EQ(leaving.size(), 1u);
  EXPECT_EQ(leaving[0].root, near);
  EXPECT_EQ(leaving[0].zone, 2u);
  west.map = std::move(*whole.merge("west", "east"));
  west.border.on_new_map();
  EXPECT_EQ(west.leaving(), (std::set{far, near})) << "all leave a zone that is merged";
  EXPECT_EQ(west.border.nearest_zone(far, 1), 1u);
}

// It does so while it stands still, and once it has lost its parent.
TEST(Border, FindsAnEntityInEachTickUntilItHasLeft) {
  West west;
  const ecs::Entity root = west.at(-5);
  const ecs::Entity child = west.at(20);
  const ecs::Entity alone = west.at(10);
  ASSERT_TRUE(west.hierarchy.set_parent(child, root).ok());
  const auto next_tick = [&] {
    west.registry.clear_journal();
    west.registry.set_tick(west.registry.tick() + 1);
  };
  for (int tick = 0; tick < 3; ++tick, next_tick()) EXPECT_EQ(west.leaving(), std::set{alone});
  west.registry.remove<engine::Parent>(child);
  for (int tick = 0; tick < 3; ++tick, next_tick()) EXPECT_EQ(west.leaving(), (std::set{alone, child}));
  west.registry.destroy(alone);
  west.registry.get<engine::Transform>(child).position.x = 1;  // within the hysteresis
  EXPECT_TRUE(west.leaving().empty());
  west.registry.get<engine::Transform>(child).position.x = 3;
  EXPECT_EQ(west.leaving(), std::set{child}) << "later in the same tick";
}

TEST(Border, AGuestOfAZoneOfANewerMapIsReportedLater) {
  West west;
  const ecs::Entity guest{2 * 1024 + 5, 1};
  const ZoneMap whole = west.map;
  ASSERT_TRUE(ecs::Guests(west.registry).receive(guest, false));
  west.registry.destroy(guest);
  EXPECT_TRUE(west.border.take_ended().empty());
  west.map = std::move(*whole.split("west", {.at = -20, .name = "near"}));
  const std::vector<EndedGuests> ended = west.border.take_ended();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].home, 2u);
  EXPECT_EQ(ended[0].entities, std::vector{guest});
}

TEST(Border, FindsRootsAlone) {
  West west;
  const ecs::Entity root = west.at(-5);
  const ecs::Entity child = west.at(10);
  ASSERT_TRUE(west.hierarchy.set_parent(child, root).ok());
  EXPECT_TRUE(west.leaving().empty()) << "it goes with its root";
  west.registry.get<engine::Transform>(root).position.x = 3;
  EXPECT_EQ(west.leaving(), std::set{root});
}

TEST(Border, LeavesGhostsOut) {
  West west;
  const ecs::Entity ghost{1080, 5};
  ASSERT_TRUE(ecs::Guests(west.registry).receive(ghost, true));
  west.registry.add<Ghost>(ghost);
  west.registry.add<engine::Transform>(ghost).position.x = 30;
  EXPECT_TRUE(west.leaving().empty());
}

TEST(Border, NotesGuestsThatHaveEnded) {
  West west;
  ecs::Guests guests(west.registry);
  const ecs::Entity guest{1080, 5};
  const ecs::Entity kept{1081, 5};
  const ecs::Entity ghost{1082, 5};
  for (const ecs::Entity each : {guest, kept, ghost}) ASSERT_TRUE(guests.receive(each, each == ghost));
  guests.set_ghost(kept, true);
  for (const ecs::Entity each : {guest, kept, ghost, west.at(0)}) west.registry.destroy(each);
  std::vector<EndedGuests> ended = west.border.take_ended();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].home, 1u);
  EXPECT_EQ(ended[0].entities, std::vector{guest});
  EXPECT_TRUE(west.border.take_ended().empty());
  west.border.end_again(ended[0].entities);
  EXPECT_EQ(west.border.take_ended().at(0).entities, std::vector{guest});
  west.border.end_again(ended[0].entities);
  west.border.forget_ended(std::array{kept, guest});
  EXPECT_TRUE(west.border.take_ended().empty());
}

TEST(Border, ManyThatHaveEndedAreReportedInParts) {
  West west;
  std::vector<ecs::Entity> guests;
  for (std::uint32_t generation = 1; generation <= Border::ended_max + 1; ++generation)
    guests.push_back({1080, generation});
  west.border.end_again(guests);
  const std::vector<EndedGuests> ended = west.border.take_ended();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].entities.size(), Border::ended_max);
  EXPECT_EQ(ended[1].home, ended[0].home);
  EXPECT_EQ(ended[1].entities, std::vector{guests.back()});
}

}  // namespace
}  // namespace mobula::server
