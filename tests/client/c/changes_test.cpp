#include <gmock/gmock.h>

#include <client/c/c_world.hpp>
#include <set>

namespace mobula::c {
namespace {

class CChanges : public test::CWorld {};

// A host that reads nothing but changes knows which entities there are, at every step.
TEST_F(CChanges, AloneLeadToTheSetOfEntities) {
  join();
  std::set<mobula_entity> followed;
  std::size_t changes = 0;
  for (int i = 0; i < 120; ++i) {
    village.tick();
    for (const mobula_change& change : guest->changes()) {
      ++changes;
      EXPECT_EQ(change.kind == MOBULA_CHANGED, change.component != MOBULA_NO_COMPONENT);
      if (change.kind == MOBULA_SPAWNED) followed.insert(change.entity);
      if (change.kind == MOBULA_DESTROYED) followed.erase(change.entity);
    }
    if (guest->status().mirror == 0) continue;
    const std::vector<mobula_entity> entities = guest->entities();
    ASSERT_EQ(followed, std::set<mobula_entity>(entities.begin(), entities.end())) << "step " << i;
  }
  EXPECT_GT(followed.size(), 50u);
  EXPECT_GT(changes, followed.size() + 100) << "animals walk about";
}

TEST_F(CChanges, NameEachComponentOnceInAStep) {
  play();
  std::size_t changed = 0;
  for (int i = 0; i < 30; ++i) {
    village.tick();
    std::set<std::pair<mobula_entity, std::uint32_t>> seen;
    for (const mobula_change& change : guest->changes())
      if (change.kind == MOBULA_CHANGED) {
        ++changed;
        EXPECT_TRUE(seen.emplace(change.entity, change.component).second);
        auto info = test::sized<mobula_component_info>();
        EXPECT_EQ(mobula_client_component(client(), change.component, &info), MOBULA_OK);
      }
  }
  EXPECT_GT(changed, 30u);
}

TEST_F(CChanges, AreReadAsOftenAsWanted) {
  play();
  village.tick();
  const std::vector<mobula_change> once = guest->changes();
  ASSERT_FALSE(once.empty());
  EXPECT_EQ(guest->changes().size(), once.size());
  std::uint32_t count = 0;
  EXPECT_EQ(mobula_client_read_changes(client(), nullptr, 0, &count), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(count, once.size());
  ASSERT_EQ(mobula_client_update(client(), village.now), MOBULA_OK);
  EXPECT_TRUE(guest->changes().empty()) << "nothing was received since";
}

TEST_F(CChanges, AreNoneBeforeThereIsAMirror) {
  join();
  EXPECT_TRUE(guest->changes().empty());
  EXPECT_EQ(mobula_client_read_changes(client(), nullptr, 0, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace mobula::c
