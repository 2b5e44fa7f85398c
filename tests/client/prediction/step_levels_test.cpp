#include <gtest/gtest.h>

#include <mobula/client/prediction/step_levels.hpp>
#include <server/hamlet.hpp>

namespace mobula::client::step_levels_test {
namespace {

using Level = std::shared_ptr<const resource::Resource>;

constexpr ecs::Tick never = CommandTimeline::never;

// Steps up to tick 8. The server offers the next level from tick 5 on, before the step of tick 7.
class StepLevelsTest : public testing::Test {
 protected:
  static Level copy_of(const Level& level) { return *resource::Resource::from_bytes(level->clients_bytes()); }
  void offer(const Level& level, ecs::Tick first_tick) {
    const std::array resources{wire::Resource{level->identity(), level->bytes().size(), first_tick}};
    offered.add(resources);
  }
  void step(ecs::Tick tick, const Level& expected) {
    EXPECT_EQ(levels.begin(tick, offered), expected.get());
    levels.is_read() = reads;
  }
  void step_to_8() {
    offer(former, 0);
    offered.on_stored(former);
    for (ecs::Tick tick = 1; tick <= 8; ++tick) {
      if (tick == 7) offer(next, 5);
      step(tick, former);
    }
  }

  const Level former = copy_of(test::hamlet());
  const Level next = copy_of(test::rebuilt_hamlet());
  OfferedLevels offered;
  StepLevels levels{8};
  bool reads = true;
};

TEST_F(StepLevelsTest, TicksOfTheNextLevelAreWrongOnceItIsHere) {
  step_to_8();
  EXPECT_EQ(levels.first_wrong(0, 8, offered), never);
  offered.on_stored(next);
  EXPECT_EQ(levels.first_wrong(0, 8, offered), 5u);
  EXPECT_EQ(levels.first_wrong(6, 8, offered), 7u);
  EXPECT_EQ(levels.first_wrong(0, 4, offered), never);
  step(8, next);
  EXPECT_EQ(levels.first_wrong(7, 8, offered), never);
}

TEST_F(StepLevelsTest, StepsThatReadNoStaticAreRight) {
  reads = false;
  step_to_8();
  offered.on_stored(next);
  EXPECT_EQ(levels.first_wrong(0, 8, offered), never);
}

TEST_F(StepLevelsTest, AStepLacksALevelThatIsNotHere) {
  step_to_8();
  EXPECT_FALSE(levels.lacks_one(0, 4, offered));
  EXPECT_TRUE(levels.lacks_one(0, 5, offered)) << "the offer came after the step";
  EXPECT_TRUE(levels.lacks_one(7, 8, offered));
  EXPECT_FALSE(levels.lacks_one(8, 8, offered));
  offered.on_stored(next);
  EXPECT_FALSE(levels.lacks_one(0, 8, offered));
}

TEST_F(StepLevelsTest, AStepThatReadsNoStaticLacksNone) {
  reads = false;
  step_to_8();
  EXPECT_FALSE(levels.lacks_one(0, 8, offered));
}

TEST_F(StepLevelsTest, TicksBeyondItsMemoryAreRight) {
  step_to_8();
  offered.on_stored(next);
  for (ecs::Tick tick = 9; tick <= 16; ++tick) step(tick, next);
  EXPECT_EQ(levels.first_wrong(0, 16, offered), never);
}

}  // namespace
}  // namespace mobula::client::step_levels_test
