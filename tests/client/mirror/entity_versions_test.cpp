#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mobula/client/mirror/entity_versions.hpp>
#include <mobula/core/random.hpp>
#include <mobula/wire/delta.hpp>

namespace mobula::client {
namespace {

using Words = std::vector<std::uint32_t>;

// Reference model of EntityVersions: a map by tick.
struct ReferenceModel {
  struct State {
    std::uint32_t ack = 0;
    bool full = false;
    bool lost = false;
    Words words;
  };
  std::map<ecs::Tick, State> states;

  void restart() {
    for (auto& [tick, state] : states) state.lost = true;
  }
  // Keeps states that may still become the previous baseline of a baseline without one, or the early baseline.
  void prune(std::uint32_t ack) {
    const auto [baseline, previous, early] = baselines(ack);
    const auto before = [&](ecs::Tick ticks) { return baseline - std::min(baseline, ticks); };
    const auto may_follow = [&](ecs::Tick tick) { return tick != 0 && !states.at(tick).full; };
    ecs::Tick oldest = previous != 0 ? previous : baseline;
    if (previous == 0 && may_follow(baseline)) oldest = before(wire::previous_baseline_age_max);
    if (may_follow(previous)) oldest = std::min(oldest, before(wire::early_baseline_age_max));
    std::erase_if(states, [&](const auto& each) { return each.first < oldest; });
  }
  // Ticks; 0 if there is no such state.
  struct Ticks {
    ecs::Tick baseline = 0;
    ecs::Tick previous = 0;
    ecs::Tick early = 0;
  };
  [[nodiscard]] Ticks baselines(std::uint32_t ack) const {
    std::vector<ecs::Tick> known;  // from the newest full state on
    for (const auto& [tick, state] : states) {
      if (state.ack > ack) continue;
      if (state.full) known.clear();
      known.push_back(tick);
    }
    if (known.empty()) return {};
    Ticks found{.baseline = known.back()};
    if (known.size() == 1) return found;
    const ecs::Tick previous = known[known.size() - 2];
    if (found.baseline - previous > wire::previous_baseline_age_max) return found;
    found.previous = previous;
    const auto early = std::ranges::find_if(
        known, [&](ecs::Tick tick) { return found.baseline - tick <= wire::early_baseline_age_max; });
    if (*early < previous) found.early = *early;
    return found;
  }
};

class EntityVersionsTest : public testing::Test {
 protected:
  void expect_same(const EntityVersions::Version& version, ecs::Tick tick) {
    ASSERT_EQ(version.tick, tick);
    if (tick == 0) return;
    const ReferenceModel::State& state = reference.states.at(tick);
    ASSERT_EQ(version.ack, state.ack);
    ASSERT_EQ(version.full, state.full);
    ASSERT_EQ(version.words == nullptr, state.lost);
    if (!state.lost) {
      ASSERT_EQ(Words(version.words, version.words + state.words.size()), state.words);
    }
  }
  void expect_same() {
    ASSERT_EQ(versions.size(), reference.states.size());
    std::size_t at = 0;
    for (const auto& [tick, state] : reference.states) expect_same(versions.at(at++), tick);
    expect_same(versions.newest(), reference.states.empty() ? 0 : reference.states.rbegin()->first);
  }
  void expect_baselines(std::uint32_t ack) {
    const auto [baseline, previous, early] = reference.baselines(ack);
    const EntityVersions::Baselines found = versions.baselines(ack);
    expect_same(found.baseline, baseline);
    expect_same(found.previous, previous);
    expect_same(found.early, early);
    expect_same(versions.baseline(ack), baseline);
  }

  EntityVersions versions;
  ReferenceModel reference;
};

TEST_F(EntityVersionsTest, RandomHistoriesMatchTheReferenceModel) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    versions = {};
    reference = {};
    std::uint32_t words = random.below(5);
    versions.restart(words);
    ecs::Tick tick = 1;
    std::uint32_t ack = 1;
    std::uint32_t pruned = 0;
    for (int step = 0; step < 300; ++step) {
      ack += random.below(3);
      tick += random.below(random.chance(1, 20) ? 80 : 5);
      if (random.chance(1, 30)) {
        versions.restart(words = random.below(5));
        reference.restart();
      }
      const ecs::Tick late = random.below(12);
      const ecs::Tick of = tick > late ? tick - late : tick;
      ReferenceModel::State state{.ack = ack, .full = random.chance(1, 10), .lost = false, .words = Words(words)};
      for (std::uint32_t& word : state.words) word = static_cast<std::uint32_t>(random.next());
      versions.add(of, ack, state.full, state.words);
      reference.states.try_emplace(of, state);
      expect_same();
      for (std::uint32_t back = 0; back < 10; ++back) expect_baselines(ack > back ? ack - back : 0);
      if (random.chance(1, 2)) {
        pruned = std::max(pruned, ack - random.below(std::min(ack, 20u)));
        versions.prune(pruned, ~0u);
        reference.prune(pruned);
      }
      expect_same();
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(EntityVersionsTest, PruningKeepsBaselinesOfLaterAcks) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    versions = {};
    reference = {};
    versions.restart(1);
    for (std::uint32_t ack = 1; ack <= 12; ++ack) {
      const ReferenceModel::State state{ack, random.chance(1, 6), false, {ack}};
      const ecs::Tick tick = 1 + random.below(60);
      versions.add(tick, ack, state.full, state.words);
      reference.states.try_emplace(tick, state);
    }
    const std::uint32_t pruned = 1 + random.below(12);
    versions.prune(pruned, ~0u);
    for (std::uint32_t ack = pruned; ack <= 13; ++ack) expect_baselines(ack);
    if (HasFatalFailure()) return;
  }
}

TEST_F(EntityVersionsTest, AcknowledgementsMayBeAnyNumber) {
  EntityVersions all;
  all.restart(1);
  const std::uint32_t words[] = {7};
  all.add(5, ~0u - 1, true, words);
  EXPECT_EQ(all.at(0).ack, ~0u - 1);
  EXPECT_TRUE(all.at(0).full);
  EXPECT_EQ(all.baselines(~0u - 2).baseline.tick, 0u);
  EXPECT_EQ(all.baselines(~0u - 1).baseline.tick, 5u);
}

TEST_F(EntityVersionsTest, WithoutStatesThereIsNoNewestOne) {
  EXPECT_EQ(versions.size(), 0u);
  EXPECT_EQ(versions.newest().tick, 0u);
  EXPECT_EQ(versions.baselines(~0u).baseline.tick, 0u);
  versions.prune(5, ~0u);
  EXPECT_EQ(versions.size(), 0u);
}

#ifdef MOBULA_ASSERTS
TEST_F(EntityVersionsTest, AStateOfAnotherLayoutIsAnAssertion) {
  versions.restart(3);
  EXPECT_DEATH(versions.add(1, 1, true, Words(2)), "the same number of words");
}
#endif

}  // namespace
}  // namespace mobula::client
