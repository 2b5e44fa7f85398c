#include <gtest/gtest.h>

#include <mobula/transport/drop.hpp>
#include <set>

namespace mobula::transport {
namespace {

TEST(Drop, EveryReasonHasItsOwnName) {
  std::set<std::string_view> names;
  for (int drop = 0; drop < static_cast<int>(Drop::count); ++drop) names.insert(to_string(static_cast<Drop>(drop)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Drop::count));
  EXPECT_EQ(names.count(""), 0u);
  EXPECT_EQ(to_string(Drop::replayed), "replayed");
  EXPECT_EQ(to_string(Drop::token_used), "token used");
  EXPECT_EQ(to_string(Drop::ended), "ended");
}

TEST(Drop, TotalExcludesNone) {
  DropCounters counters;
  counters.count(Drop::none);
  counters.count(Drop::forged);
  counters.count(Drop::forged);
  counters.count(Drop::flood);
  EXPECT_EQ(counters.of(Drop::forged), 2u);
  EXPECT_EQ(counters.total(), 3u);
}

TEST(Drop, DescribesNewDropsWithTheirCounts) {
  DropCounters before;
  before.count(Drop::forged);
  DropCounters now = before;
  EXPECT_EQ(describe_new(now, before), "");
  now.count(Drop::none);
  now.count(Drop::token_expired);
  now.count(Drop::forged);
  now.count(Drop::forged);
  EXPECT_EQ(describe_new(now, before), "forged 2, token expired 1");
}

}  // namespace
}  // namespace mobula::transport
