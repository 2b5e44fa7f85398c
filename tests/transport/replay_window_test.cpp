#include <gtest/gtest.h>

#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/transport/replay_window.hpp>
#include <set>

namespace mobula::transport {
namespace {

constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();

static_assert(ReplayWindow::size >= 256, "a few seconds of packets");

bool add_if_new(ReplayWindow& window, std::uint64_t sequence) {
  if (!window.is_new(sequence)) return false;
  window.add(sequence);
  return true;
}

TEST(ReplayWindow, AcceptsTheFirstSequenceOnce) {
  ReplayWindow window;
  EXPECT_TRUE(add_if_new(window, 0));
  EXPECT_FALSE(add_if_new(window, 0));
}

TEST(ReplayWindow, IsNewChangesNothing) {
  ReplayWindow window;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(window.is_new(last));
  EXPECT_TRUE(add_if_new(window, 0)) << "only add() moves the window";
}

TEST(ReplayWindow, AcceptsLateSequencesWithinItsSize) {
  ReplayWindow window;
  window.add(5000);
  EXPECT_TRUE(add_if_new(window, 5000 - ReplayWindow::size + 1));
  EXPECT_FALSE(add_if_new(window, 5000 - ReplayWindow::size + 1));
  EXPECT_FALSE(window.is_new(5000 - ReplayWindow::size));
  EXPECT_FALSE(window.is_new(0));
}

// IMPLEMENTERS.md, 1: sequence + size must not overflow.
TEST(ReplayWindow, WorksUpToTheLastSequence) {
  ReplayWindow window;
  for (std::uint64_t sequence = last - 300; sequence != 0; ++sequence) {
    EXPECT_TRUE(add_if_new(window, sequence)) << last - sequence;
    EXPECT_FALSE(add_if_new(window, sequence)) << last - sequence;
  }
  EXPECT_TRUE(add_if_new(window, last - 400));
  EXPECT_FALSE(window.is_new(0)) << "the sequence does not wrap";
}

// Model: the set of all added sequences.
TEST(ReplayWindow, AgreesWithASet) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    ReplayWindow window;
    std::set<std::uint64_t> added;
    std::uint64_t newest = seed % 3 == 0 ? last - 100'000 : 0;
    if (newest != 0) add_if_new(window, newest), added.insert(newest);
    for (int step = 0; step < 20'000; ++step) {
      std::uint64_t sequence = newest + random.below(4);
      if (random.chance(1, 3)) sequence = newest - std::min<std::uint64_t>(newest, random.below(1200));
      if (random.chance(1, 500)) sequence = newest + std::min<std::uint64_t>(last - newest, random.below(3000));
      const bool old = newest >= ReplayWindow::size && sequence <= newest - ReplayWindow::size;
      const bool expected = !old && added.count(sequence) == 0;
      ASSERT_EQ(window.is_new(sequence), expected) << sequence << " after " << newest;
      if (!expected || random.chance(1, 10)) continue;  // some fail authentication and are not added
      window.add(sequence);
      added.insert(sequence);
      newest = std::max(newest, sequence);
    }
  }
}

}  // namespace
}  // namespace mobula::transport
