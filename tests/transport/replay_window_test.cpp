#include <gtest/gtest.h>

#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/transport/replay_window.hpp>
#include <set>

namespace mobula::transport {
namespace {

constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();

static_assert(ReplayWindow::size >= 256, "a few seconds of packets");

bool take_if_new(ReplayWindow& window, std::uint64_t sequence) {
  if (!window.is_new(sequence)) return false;
  window.take(sequence);
  return true;
}

TEST(ReplayWindow, TakesTheFirstSequenceOnce) {
  ReplayWindow window;
  EXPECT_TRUE(take_if_new(window, 0));
  EXPECT_FALSE(take_if_new(window, 0));
}

TEST(ReplayWindow, AskingChangesNothing) {
  ReplayWindow window;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(window.is_new(last));
  EXPECT_TRUE(take_if_new(window, 0)) << "only what is taken moves the window";
}

TEST(ReplayWindow, TakesLateOnesAsFarBackAsItReaches) {
  ReplayWindow window;
  window.take(5000);
  EXPECT_TRUE(take_if_new(window, 5000 - ReplayWindow::size + 1));
  EXPECT_FALSE(take_if_new(window, 5000 - ReplayWindow::size + 1));
  EXPECT_FALSE(window.is_new(5000 - ReplayWindow::size));
  EXPECT_FALSE(window.is_new(0));
}

// IMPLEMENTERS.md, 1: sequence + size must not overflow.
TEST(ReplayWindow, WorksUpToTheLastSequence) {
  ReplayWindow window;
  for (std::uint64_t sequence = last - 300; sequence != 0; ++sequence) {
    EXPECT_TRUE(take_if_new(window, sequence)) << last - sequence;
    EXPECT_FALSE(take_if_new(window, sequence)) << last - sequence;
  }
  EXPECT_TRUE(take_if_new(window, last - 400));
  EXPECT_FALSE(window.is_new(0)) << "the sequence does not begin anew";
}

// The model: everything that was ever taken.
TEST(ReplayWindow, KnowsWhatASetKnows) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    ReplayWindow window;
    std::set<std::uint64_t> taken;
    std::uint64_t newest = seed % 3 == 0 ? last - 100'000 : 0;
    if (newest != 0) take_if_new(window, newest), taken.insert(newest);
    for (int step = 0; step < 20'000; ++step) {
      std::uint64_t sequence = newest + random.below(4);
      if (random.chance(1, 3)) sequence = newest - std::min<std::uint64_t>(newest, random.below(1200));
      if (random.chance(1, 500)) sequence = newest + std::min<std::uint64_t>(last - newest, random.below(3000));
      const bool old = newest >= ReplayWindow::size && sequence <= newest - ReplayWindow::size;
      const bool expected = !old && taken.count(sequence) == 0;
      ASSERT_EQ(window.is_new(sequence), expected) << sequence << " after " << newest;
      if (!expected || random.chance(1, 10)) continue;  // some are not the peer's: never taken
      window.take(sequence);
      taken.insert(sequence);
      newest = std::max(newest, sequence);
    }
  }
}

}  // namespace
}  // namespace mobula::transport
