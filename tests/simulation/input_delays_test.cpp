#include <gtest/gtest.h>

#include <simulation/cluster/input_delays.hpp>

namespace mobula::sim {
namespace {

constexpr core::Nanoseconds tick = 50 * core::millisecond;

TEST(InputDelays, CommandsNearAChangeOfZoneCountApart) {
  InputDelays player;
  player.on_given(tick);
  player.on_given(2 * core::second);
  player.on_given(5 * core::second);
  player.on_zone_changed(2 * core::second + 10 * tick);
  player.on_executed(1, 2 * tick);
  player.on_executed(2, 2 * core::second + 3 * tick + 1);
  core::Histogram near_changes;
  core::Histogram others;
  player.add_to(near_changes, others, tick);
  EXPECT_EQ(others.max(), 1u);
  EXPECT_EQ(near_changes.max(), 4u);
  EXPECT_EQ(others.count(), 1u) << "the third was not executed";
  EXPECT_EQ(near_changes.count(), 1u);
}

}  // namespace
}  // namespace mobula::sim
