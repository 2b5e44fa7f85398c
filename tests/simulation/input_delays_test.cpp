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
  Delays near_changes;
  Delays others;
  player.add_to(near_changes, others, tick);
  EXPECT_EQ(others.by_ticks[1], 1u);
  EXPECT_EQ(near_changes.by_ticks[4], 1u);
  EXPECT_EQ(near_changes.count() + others.count(), 2u) << "the third was not executed";
}

}  // namespace
}  // namespace mobula::sim
