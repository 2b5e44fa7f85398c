#include <gtest/gtest.h>

#include <mobula/transport/body_limit.hpp>

namespace mobula::transport {
namespace {

constexpr std::size_t large = BodyLimit::large_bytes;
constexpr std::size_t small = BodyLimit::small_bytes;

// Sends bodies over a path that carries up to `path_bytes`, and returns how many are sent until the limit is reduced.
int bodies_until_reduced(BodyLimit& limit, std::size_t path_bytes, int most = 1000) {
  for (int sent = 0; sent < most; ++sent) {
    if (limit.reduced()) return sent;
    const std::size_t bytes = limit.next();
    if (bytes <= path_bytes) {
      limit.on_acked(bytes);
    } else {
      limit.on_lost(bytes);
    }
  }
  return most;
}

TEST(BodyLimit, IsReducedWhereOnlySmallBodiesArrive) {
  BodyLimit limit;
  EXPECT_EQ(limit.certain_bytes(), small) << "until a large one has arrived";
  EXPECT_LE(bodies_until_reduced(limit, small), 2 * BodyLimit::decisive_losses);
  EXPECT_EQ(limit.next(), small);
}

TEST(BodyLimit, IsReducedWhenAPathShrinks) {
  BodyLimit limit;
  EXPECT_EQ(bodies_until_reduced(limit, large), 1000);
  EXPECT_EQ(limit.certain_bytes(), large);
  EXPECT_LE(bodies_until_reduced(limit, small), 2 * BodyLimit::decisive_losses);
  EXPECT_EQ(limit.certain_bytes(), small);
}

TEST(BodyLimit, APathThatCarriesNothingDecidesNothing) {
  BodyLimit limit;
  EXPECT_EQ(bodies_until_reduced(limit, 0), 1000);
}

TEST(BodyLimit, SmallBodiesAloneDecideNothing) {
  BodyLimit limit;
  for (int i = 0; i < 100; ++i) limit.on_acked(small);
  EXPECT_FALSE(limit.reduced());
  EXPECT_EQ(limit.next(), large);
}

TEST(BodyLimit, AnArrivalBetweenLossesForgivesThem) {
  BodyLimit limit;
  for (int i = 0; i < 1000; ++i) {
    if (i % BodyLimit::decisive_losses == 0) {
      limit.on_acked(large);
    } else {
      limit.on_lost(large);
    }
    limit.on_acked(small);
    EXPECT_FALSE(limit.reduced());
  }
}

TEST(BodyLimit, ALateArrivalProvesThePathAgain) {
  BodyLimit limit;
  bodies_until_reduced(limit, small);
  limit.on_acked(large);
  EXPECT_FALSE(limit.reduced());
  EXPECT_EQ(limit.next(), large);
}

TEST(BodyLimit, OneInFiveHundredTwelveProbesAReducedPath) {
  BodyLimit limit;
  bodies_until_reduced(limit, small);
  unsigned larges = 0;
  for (unsigned i = 0; i < 4 * BodyLimit::probe_interval; ++i) larges += limit.next() == large ? 1 : 0;
  EXPECT_EQ(larges, 4u);
}

}  // namespace
}  // namespace mobula::transport
