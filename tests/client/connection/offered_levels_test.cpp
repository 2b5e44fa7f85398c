#include <gtest/gtest.h>

#include <mobula/client/connection/offered_levels.hpp>
#include <server/hamlet.hpp>

namespace mobula::client::offered_levels_test {
namespace {

using Level = std::shared_ptr<const resource::Resource>;

class OfferedLevelsTest : public testing::Test {
 protected:
  static Level copy_of(const Level& level) { return *resource::Resource::from_bytes(level->clients_bytes()); }
  void offer(const Level& level, ecs::Tick first_tick) {
    const std::array resources{wire::Resource{level->identity(), level->bytes().size(), first_tick}};
    levels.add(resources);
  }

  const Level a = copy_of(test::hamlet());
  const Level b = copy_of(test::rebuilt_hamlet());
  const Level c = copy_of(test::village());
  OfferedLevels levels;
};

TEST_F(OfferedLevelsTest, EachTickReadsTheLevelOfTheServer) {
  offer(a, 0);
  offer(b, 31);
  levels.on_stored(a);
  levels.on_stored(b);
  EXPECT_EQ(levels.at(0), a);
  EXPECT_EQ(levels.at(30), a);
  EXPECT_EQ(levels.at(31), b);
  EXPECT_EQ(levels.at(90), b);
  EXPECT_TRUE(levels.is_here(30));
  EXPECT_TRUE(levels.is_here(31));
}

TEST_F(OfferedLevelsTest, TheFormerOneIsReadUntilTheNextIsHere) {
  offer(a, 0);
  levels.on_stored(a);
  offer(b, 31);
  offer(c, 40);
  for (const ecs::Tick tick : {30u, 31u, 50u}) EXPECT_EQ(levels.at(tick), a);
  EXPECT_TRUE(levels.is_here(30));
  EXPECT_FALSE(levels.is_here(31));
  EXPECT_FALSE(levels.is_here(50));
  levels.on_stored(c);
  EXPECT_EQ(levels.at(39), a);
  EXPECT_EQ(levels.at(40), c);
}

TEST_F(OfferedLevelsTest, AWorldWithoutALevelLacksNone) {
  EXPECT_TRUE(levels.is_here(5));
  EXPECT_EQ(levels.at(5), nullptr);
  levels.add({});
  EXPECT_TRUE(levels.is_here(5));
  EXPECT_EQ(levels.at(5), nullptr);
  offer(a, 3);
  EXPECT_FALSE(levels.is_here(5));
  EXPECT_EQ(levels.at(5), nullptr);
}

TEST_F(OfferedLevelsTest, AnOfferReplacesThoseOfItsTickAndLaterOnes) {
  for (const auto& [level, tick] : {std::pair(a, 0u), std::pair(b, 31u), std::pair(c, 40u)}) {
    offer(level, tick);
    levels.on_stored(level);
  }
  offer(a, 31);
  for (const ecs::Tick tick : {30u, 31u, 50u}) EXPECT_EQ(levels.at(tick), a);
  EXPECT_TRUE(levels.is_here(31)) << "it is known from its first offer";
  EXPECT_EQ(levels.offers().size(), 2u);
}

TEST_F(OfferedLevelsTest, KeepsTheLastOnes) {
  for (ecs::Tick tick = 1; tick <= 9; ++tick) offer(tick % 2 == 0 ? a : b, tick);
  levels.on_stored(a);
  levels.on_stored(b);
  ASSERT_EQ(levels.offers().size(), OfferedLevels::offers_max);
  EXPECT_EQ(levels.offers().front().first_tick, 6u);
  EXPECT_EQ(levels.at(1), a) << "the oldest that is kept";
  EXPECT_EQ(levels.at(9), b);
  levels.clear();
  EXPECT_EQ(levels.at(9), nullptr);
}

}  // namespace
}  // namespace mobula::client::offered_levels_test
