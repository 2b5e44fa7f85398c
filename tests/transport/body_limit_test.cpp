#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/transport/body_limit.hpp>

namespace mobula::transport {
namespace {

constexpr std::size_t large = BodyLimit::large_bytes;
constexpr std::size_t small = BodyLimit::small_bytes;

constexpr BodyLimit::Kind no_chunks = BodyLimit::no_chunks;
constexpr BodyLimit::Kind control = 0;
constexpr BodyLimit::Kind bulk = 1;
constexpr int soon = 3 * BodyLimit::decisive_losses;

// Sends bodies over a path that carries up to `path_bytes`, and returns how many are sent until the limit is reduced.
int bodies_until_reduced(BodyLimit& limit, std::size_t path_bytes, BodyLimit::Kind kind = no_chunks, int most = 1000) {
  for (int sent = 0; sent < most; ++sent) {
    if (limit.reduced()) return sent;
    const std::size_t bytes = limit.next();
    limit.on_sent(bytes);
    if (bytes <= path_bytes) {
      limit.on_acked(bytes, kind);
    } else {
      limit.on_lost(bytes, kind);
    }
  }
  return most;
}

TEST(BodyLimit, IsReducedWhereOnlySmallBodiesArrive) {
  BodyLimit limit;
  EXPECT_EQ(limit.certain_bytes(), small) << "until a large one has arrived";
  EXPECT_LE(bodies_until_reduced(limit, small), soon);
  EXPECT_EQ(limit.next(), small);
  for (const BodyLimit::Kind kind : {control, bulk}) {
    BodyLimit chunks;
    EXPECT_LE(bodies_until_reduced(chunks, small, kind), soon);
  }
}

// The peer does not read a lane: neither large nor small bodies with its chunks are accepted, but all others are.
TEST(BodyLimit, AFullInboxIsNoNarrowPath) {
  for (const BodyLimit::Kind kind : {control, bulk}) {
    BodyLimit limit;
    for (int i = 0; i < 1000; ++i) {
      limit.on_lost(large, kind);
      limit.on_lost(small, kind);
      limit.on_acked(small, no_chunks);
      limit.on_acked(small, kind == control ? bulk : control);
      EXPECT_FALSE(limit.reduced());
    }
  }
}

TEST(BodyLimit, LossOfAnySizeIsNoNarrowPath) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    BodyLimit limit;
    for (int sent = 0; sent < 20'000; ++sent) {
      const std::size_t bytes = limit.next();
      limit.on_sent(bytes);
      if (random.below(2) == 0) {
        limit.on_acked(bytes, no_chunks);
      } else {
        limit.on_lost(bytes, no_chunks);
      }
      ASSERT_FALSE(limit.reduced()) << "after " << sent;
    }
  }
}

TEST(BodyLimit, IsReducedOverANarrowPathThatLosesAThird) {
  BodyLimit limit;
  for (int i = 0; i < 3 * soon && !limit.reduced(); ++i) {
    limit.on_lost(large, no_chunks);
    if (i % 3 == 0) {
      limit.on_lost(small, no_chunks);
    } else {
      limit.on_acked(small, no_chunks);
    }
  }
  EXPECT_TRUE(limit.reduced());
}

TEST(BodyLimit, IsReducedWhenAPathShrinks) {
  BodyLimit limit;
  EXPECT_EQ(bodies_until_reduced(limit, large), 1000);
  EXPECT_EQ(limit.certain_bytes(), large);
  EXPECT_LE(bodies_until_reduced(limit, small), soon);
  EXPECT_EQ(limit.certain_bytes(), small);
}

// A tunnel that carries all but the last bytes of a full body.
TEST(BodyLimit, SmallerBodiesProveNothingForFullOnes) {
  BodyLimit limit;
  for (int i = 0; i < soon && !limit.reduced(); ++i) {
    limit.on_acked(large - 60, control);
    EXPECT_EQ(limit.certain_bytes(), small) << "chunks must not fill full bodies";
    limit.on_lost(large, no_chunks);
  }
  EXPECT_TRUE(limit.reduced());
  limit.on_acked(large - 60, no_chunks);
  EXPECT_TRUE(limit.reduced());
}

TEST(BodyLimit, APathThatCarriesNothingDecidesNothing) {
  BodyLimit limit;
  EXPECT_EQ(bodies_until_reduced(limit, 0), 1000);
}

TEST(BodyLimit, SmallBodiesAloneDecideNothing) {
  BodyLimit limit;
  for (int i = 0; i < 100; ++i) limit.on_acked(small, no_chunks);
  EXPECT_FALSE(limit.reduced());
  EXPECT_EQ(limit.next(), large);
}

TEST(BodyLimit, AnArrivalBetweenLossesForgivesThem) {
  BodyLimit limit;
  for (int i = 0; i < 1000; ++i) {
    if (i % BodyLimit::decisive_losses == 0) {
      limit.on_acked(large, no_chunks);
    } else {
      limit.on_lost(large, no_chunks);
    }
    limit.on_acked(small, no_chunks);
    EXPECT_FALSE(limit.reduced());
  }
}

TEST(BodyLimit, ALateArrivalProvesThePathAgain) {
  BodyLimit limit;
  bodies_until_reduced(limit, small);
  limit.on_acked(large, no_chunks);
  EXPECT_FALSE(limit.reduced());
  EXPECT_EQ(limit.next(), large);
}

TEST(BodyLimit, OneInFiveHundredTwelveProbesAReducedPath) {
  BodyLimit limit;
  bodies_until_reduced(limit, small);
  unsigned larges = 0;
  for (unsigned i = 0; i < 4 * BodyLimit::probe_interval; ++i) {
    larges += limit.next() == large ? 1 : 0;
    limit.on_sent(limit.next());
  }
  EXPECT_EQ(larges, 4u);
}

}  // namespace
}  // namespace mobula::transport
