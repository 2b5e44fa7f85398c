#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/server/replication/picture_ticks.hpp>
#include <vector>

namespace mobula::server {
namespace {

// Reference: phases with their ticks, searched as client::Interpolation does.
struct ReferencePhase {
  bool owner;
  std::vector<ecs::Tick> ticks;
};

struct ReferenceAround {
  ecs::Tick earlier = 0;
  ecs::Tick later = 0;
  bool owner = false;
};

ReferenceAround reference_around(const std::vector<ReferencePhase>& phases, double tick) {
  ReferenceAround found;
  for (std::size_t i = phases.size(); found.earlier == 0 && i-- > 0;) {
    ecs::Tick later = 0;
    for (const ecs::Tick each : phases[i].ticks) {
      if (each > tick) {
        later = each;
        break;
      }
      found.earlier = each;
      found.owner = phases[i].owner;
    }
    if (later != 0) found.later = later;
  }
  if (found.earlier == 0) {
    found.earlier = std::exchange(found.later, 0);
    for (const ReferencePhase& phase : phases)
      if (std::ranges::count(phase.ticks, found.earlier) > 0) found.owner = phase.owner;
  }
  return found;
}

TEST(PictureTicks, FindTheStatesThatAMirrorFinds) {
  core::Random random(11);
  std::uint64_t compared = 0;
  for (int round = 0; round < 500; ++round) {
    PictureTicks ticks;
    std::vector<ReferencePhase> phases;
    std::uint32_t count = 0;
    for (ecs::Tick now = 10; now < 60 && count < PictureTicks::ticks_max; ++now) {
      if (phases.empty() || random.chance(1, 9)) {
        phases.push_back({random.chance(1, 2), {}});
        ticks.begin_phase(phases.back().owner);
      } else if (random.chance(1, 2)) {
        continue;
      }
      std::vector<ecs::Tick>& last = phases.back().ticks;
      // Some states are late, and some come twice.
      const ecs::Tick tick = last.empty() ? now : std::max(last.front(), now - random.below(4));
      ticks.add(tick);
      const auto place = std::ranges::lower_bound(last, tick);
      if (place != last.end() && *place == tick) continue;
      last.insert(place, tick);
      ++count;
      for (double moment = 8; moment < 62; moment += 0.5) {
        const ReferenceAround expected = reference_around(phases, moment);
        const PictureTicks::Around found = ticks.around(moment);
        ASSERT_EQ(found.earlier.tick, expected.earlier) << moment;
        ASSERT_EQ(found.later.tick, expected.later) << moment;
        ASSERT_EQ(found.earlier.owner, expected.owner) << moment;
        ASSERT_TRUE(found.certain || phases.size() > PictureTicks::phases_max);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100'000u);
}

TEST(PictureTicks, AForgottenStateMakesEarlierMomentsUncertain) {
  PictureTicks ticks;
  ticks.begin_phase(false);
  for (ecs::Tick tick = 1; tick <= PictureTicks::ticks_max + 1; ++tick) ticks.add(10 * tick);
  EXPECT_EQ(ticks.oldest(), 20u);
  EXPECT_FALSE(ticks.around(15).certain);
  EXPECT_FALSE(ticks.around(25).certain) << "the client drops a state that was replaced long ago";
  EXPECT_TRUE(ticks.around(165).certain);
}

TEST(PictureTicks, ForgetsWhatLaterPicturesDoNotNeed) {
  PictureTicks ticks;
  ticks.begin_phase(false);
  for (const ecs::Tick tick : {10u, 12u, 14u, 16u}) ticks.add(tick);
  ticks.forget_before(13.5);
  EXPECT_EQ(ticks.oldest(), 12u);
  EXPECT_EQ(ticks.around(13.5).earlier.tick, 12u);
  EXPECT_TRUE(ticks.around(13.5).certain);
  ticks.forget_before(100);
  EXPECT_EQ(ticks.oldest(), 16u);
}

TEST(PictureTicks, KeepsTheMarkOfTheLevelsState) {
  PictureTicks ticks;
  ticks.begin_of_level(1);
  ticks.begin_phase(false);
  ticks.add(30);
  EXPECT_TRUE(ticks.around(20).earlier.of_level);
  EXPECT_FALSE(ticks.around(20).later.of_level);
  ticks.forget_before(31);
  EXPECT_FALSE(ticks.around(31).earlier.of_level);
}

}  // namespace
}  // namespace mobula::server
