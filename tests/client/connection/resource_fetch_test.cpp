#include <gtest/gtest.h>

#include <mobula/client/connection/resource_fetch.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <server/hamlet.hpp>

namespace mobula::client::resource_fetch_test {
namespace {

using Level = std::shared_ptr<const resource::Resource>;

wire::Resource offer_of(const Level& level, ecs::Tick first_tick) {
  return {level->identity(), level->clients_bytes().size(), first_tick};
}

wire::ResourcePart part_of(const Level& level) {
  const core::ByteView bytes = level->clients_bytes();
  return {level->identity(), 0, {bytes.begin(), bytes.end()}};
}

class ResourceFetchTest : public testing::Test {
 protected:
  // Returns the level whose transfer is requested; null if there is none.
  Level requested(ResourceFetch& fetch, core::Nanoseconds now = 0) {
    const std::optional<wire::ResourceRequest> request = fetch.next_request(now);
    for (const Level& level : {former, next})
      if (request && request->identity == level->identity()) return level;
    return nullptr;
  }
  static bool has(const ResourceFetch& fetch, ecs::Tick tick, const Level& level) {
    return fetch.levels().at(tick) != nullptr && fetch.levels().at(tick)->identity() == level->identity();
  }

  const Level former = test::hamlet();
  const Level next = test::rebuilt_hamlet();
  ResourceMemory store;
  ResourceFetch own{&store};
};

TEST_F(ResourceFetchTest, OfferedLevelsAreHereOnceTheStoreHasThem) {
  ASSERT_TRUE(store.add(former->clients_bytes()).ok());
  own.on_offered({offer_of(former, 0)});
  EXPECT_EQ(requested(own), nullptr);
  EXPECT_TRUE(has(own, 5, former));
  own.on_offered({offer_of(next, 9)});
  EXPECT_EQ(requested(own), next);
  EXPECT_FALSE(own.levels().is_here(9));
  EXPECT_TRUE(own.on_part(part_of(next)).ok());
  EXPECT_TRUE(has(own, 9, next));
  EXPECT_TRUE(has(own, 8, former));
}

TEST_F(ResourceFetchTest, ALevelThatIsNoLongerOfferedIsGivenUp) {
  own.on_offered({offer_of(former, 0)});
  EXPECT_EQ(requested(own), former);
  own.on_offered({offer_of(former, 4)});
  EXPECT_NE(own.reception(), nullptr) << "it is on its way";
  EXPECT_EQ(requested(own), nullptr);
  own.on_offered({offer_of(next, 9)});
  EXPECT_EQ(own.reception(), nullptr);
  EXPECT_EQ(requested(own), next);
  EXPECT_TRUE(own.on_part(part_of(former)).ok()) << "it was under way";
  EXPECT_TRUE(own.on_part(part_of(next)).ok());
  EXPECT_TRUE(has(own, 9, next));
  EXPECT_EQ(store.find(former->identity()), nullptr);
}

TEST_F(ResourceFetchTest, ALevelThatAnotherReceivesIsLookedForAgain) {
  ResourceFetch other{&store};
  other.on_offered({offer_of(next, 9)});
  ASSERT_EQ(requested(other), next);
  own.on_offered({offer_of(next, 9)});
  EXPECT_EQ(requested(own, core::second), nullptr);
  EXPECT_TRUE(other.on_part(part_of(next)).ok());
  EXPECT_EQ(requested(own, 2 * core::second - 1), nullptr);
  EXPECT_FALSE(own.levels().is_here(9));
  EXPECT_EQ(requested(own, 2 * core::second), nullptr);
  EXPECT_TRUE(has(own, 9, next));
}

TEST_F(ResourceFetchTest, ALevelThatAnotherGivesUpIsRequested) {
  ResourceFetch other{&store};
  other.on_offered({offer_of(next, 9)});
  ASSERT_EQ(requested(other), next);
  own.on_offered({offer_of(next, 9)});
  EXPECT_EQ(requested(own), nullptr);
  other.end_session();
  EXPECT_EQ(requested(own, core::second), next);
}

TEST_F(ResourceFetchTest, AClientWithoutAStoreLacksTheLevel) {
  ResourceFetch without{nullptr};
  without.on_offered({offer_of(next, 9)});
  EXPECT_EQ(requested(without), nullptr);
  EXPECT_FALSE(without.levels().is_here(9));
}

TEST_F(ResourceFetchTest, AnotherPlayerHasNoLevels) {
  ASSERT_TRUE(store.add(former->clients_bytes()).ok());
  own.on_offered({offer_of(former, 0)});
  EXPECT_EQ(requested(own), nullptr);
  own.end_session();
  EXPECT_TRUE(has(own, 5, former)) << "the player may resume";
  own.begin_player();
  EXPECT_EQ(own.levels().at(5), nullptr);
}

}  // namespace
}  // namespace mobula::client::resource_fetch_test
