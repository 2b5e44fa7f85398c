// The verification of the table fails for wrong mirrors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entity_index/chain_index.hpp"
#include "entity_index/legacy_index.hpp"
#include "entity_index/mobula_index.hpp"
#include "entity_index/verify.hpp"

namespace mobula::bench {
namespace {

using Chain = ChainIndex<ChainLookup::by_name>;

constexpr WorkloadConfig small(std::uint64_t seed) { return {.seed = seed, .live_max = 400, .step = 100}; }
constexpr std::array<std::uint32_t, 3> totals{100, 400, 3000};

TEST(Verify, FindsThatAllImplementationsAgree) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Verified verified =
        verify<LegacyIndex, ChainIndex<ChainLookup::as_written>, Chain, MobulaIndex, ReadyMobulaIndex>(
            small(seed), totals, {"legacy", "as written", "chain", "mobula", "ready"});
    EXPECT_EQ(verified.mistake, "") << "seed " << seed;
    EXPECT_GT(verified.answers, 2 * 3000u + 27 * 400u)
        << "a hit and a miss at birth; all are asked at each of 27 deaths";
    ASSERT_EQ(verified.bytes_max.size(), totals.size());
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_GT(verified.bytes_max[0][i], 0) << "implementation " << i;
      EXPECT_LE(verified.bytes_max[0][i], verified.bytes_max[1][i]) << "implementation " << i;
      EXPECT_LE(verified.bytes_max[1][i], verified.bytes_max[2][i]) << "implementation " << i;
      EXPECT_GE(verified.bytes_max[2][i], 400 * 8) << "implementation " << i;
    }
  }
}

TEST(Verify, AndATimedRunGetsTheSameAnswersFromAll) {
  const std::uint64_t sum = timed_run<LegacyIndex>(small(4), 3000).sum;
  EXPECT_EQ(timed_run<Chain>(small(4), 3000).sum, sum);
  EXPECT_EQ(timed_run<ChainIndex<ChainLookup::as_written>>(small(4), 3000).sum, sum);
  EXPECT_EQ(timed_run<MobulaIndex>(small(4), 3000).sum, sum);
  EXPECT_EQ(timed_run<ReadyMobulaIndex>(small(4), 3000).sum, sum);
  EXPECT_NE(timed_run<LegacyIndex>(small(5), 3000).sum, sum) << "other work, other answers";
}

// Forgets the fifth component and those after it.
struct Forgetful : LegacyIndex {
  using LegacyIndex::LegacyIndex;
  Handle create() {
    count = 0;
    return LegacyIndex::create();
  }
  void add(Handle entity, const Component& component) {
    if (++count < 5) LegacyIndex::add(entity, component);
  }
  int count = 0;
};

// Answers for the dead as for the living.
struct Undying : LegacyIndex {
  using LegacyIndex::LegacyIndex;
  void destroy(std::span<const Handle>) {}
};

// Loses all living entities when it cleans up.
struct TooClean : Chain {
  explicit TooClean(const Workload& workload) : Chain(workload), workload_(&workload) {}
  void clean_up() { static_cast<Chain&>(*this) = Chain(*workload_); }
  const Workload* workload_;
};

TEST(Verify, NamesTheOneThatAnswersWrongly) {
  const auto mistake = [](const auto& verified) { return verified.mistake; };
  EXPECT_THAT(mistake(verify<Chain, Forgetful>(small(1), totals, {"chain", "forgetful"})),
              testing::MatchesRegex("forgetful: answer [0-9]+ of a step is none instead of [0-9]+"));
  EXPECT_THAT(mistake(verify<Undying, Chain>(small(1), totals, {"undying", "chain"})),
              testing::MatchesRegex("undying: answer 0 of a step is [0-9]+ instead of none"));
  EXPECT_THAT(mistake(verify<TooClean, Chain>(small(1), totals, {"too clean", "chain"})),
              testing::MatchesRegex("too clean: answer 100 of a step is none instead of [0-9]+"));
}

TEST(FirstDifference, IsWhereOneListEndsTooSoon) {
  const std::vector<std::uint32_t> all{1, 2, no_component};
  EXPECT_EQ(first_difference("a", all, all), "");
  EXPECT_EQ(first_difference("a", std::span(all).first(2), all), "a: answer 2 of a step is nothing instead of none");
  EXPECT_EQ(first_difference("a", all, std::span(all).first(1)), "a: answer 1 of a step is 2 instead of nothing");
}

}  // namespace
}  // namespace mobula::bench
