#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/server/replication/value_log.hpp>

namespace mobula::server {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t head_bytes = 32;

std::size_t record_bytes(const Words& words) { return (head_bytes + words.size() * 4 + 7) / 8 * 8; }

// A row's values as a plain list, and the bytes written to the log since each.
struct Row {
  struct Value {
    ecs::Tick since;
    Words words;
    std::size_t written_before;  // bytes of all records before this one
  };
  std::vector<Value> former;
  ValueLog::Place newest = 0;
};

// The former values of every row at every tick are right wherever the log still has them. It has all that fits its
// bytes, except for the gap that a lap may leave at the end.
TEST(ValueLog, RandomHistoriesAreWhatAListHolds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    const std::uint32_t words_max = random.below(30);
    ValueLog log(200 + random.below(4000));
    const std::size_t largest = head_bytes + words_max * 4 + 8;
    std::vector<Row> rows(1 + random.below(10));
    std::size_t written = 0;
    std::size_t gone = 0;
    std::size_t found = 0;
    for (ecs::Tick tick = 2; tick < 400; ++tick) {
      for (Row& row : rows) {
        if (!random.chance(1, 2)) continue;
        Words words(random.below(words_max + 1));
        for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.next());
        row.newest = log.add(tick - 1, words, row.newest);
        row.former.push_back({tick - 1, words, written});
        written += record_bytes(words);
      }
      const Row& row = rows[random.below(static_cast<std::uint32_t>(rows.size()))];
      for (std::size_t i = 0; i < row.former.size(); ++i) {
        const Row::Value& value = row.former[i];
        const ecs::Tick end = i + 1 < row.former.size() ? row.former[i + 1].since : tick;
        for (const ecs::Tick at : {value.since, end - 1}) {
          const std::uint32_t* words = log.find(row.newest, at);
          words == nullptr ? ++gone : ++found;
          if (words != nullptr) {
            ASSERT_EQ(Words(words, words + value.words.size()), value.words);
          } else {
            ASSERT_GT(written - value.written_before + largest, log.bytes()) << "it should still be there";
          }
        }
      }
      ValueLog::Place place = row.newest;
      for (ecs::Tick at = tick; at > 0; at -= std::min(at, 1 + random.below(9))) {
        const std::uint32_t* const words = log.find_back(place, at);
        ASSERT_EQ(words, log.find(row.newest, at)) << "a search goes on from the record before";
        if (words == nullptr) break;
      }
      ASSERT_EQ(log.find(row.newest, 0), nullptr) << "before its first value there was none";
    }
    EXPECT_GT(gone, 100u);
    EXPECT_GT(found, 100u);
  }
}

// A log that covers a tick has the values of all rows at that tick, and at later ones.
TEST(ValueLog, CoversATickWhoseValuesItHas) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    struct Present {
      ecs::Tick since = 1;
      ValueLog::Place before = 0;
    };
    std::vector<Present> rows(2 + random.below(8));
    ValueLog log(rows.size() * (40 + random.below(600)));
    int covered = 0;
    int gone = 0;
    for (ecs::Tick tick = 2; tick < 300; ++tick) {
      for (Present& row : rows) {
        if (!random.chance(1, 2)) continue;
        log.begin_tick(tick);
        row.before = log.add(row.since, Words{tick}, row.before);
        row.since = tick;
      }
      for (ecs::Tick back = 1; back < std::min(tick, 60u); ++back) {
        const ecs::Tick at = tick - back;
        const bool has_all = std::ranges::all_of(
            rows, [&](const Present& row) { return row.since <= at || log.find(row.before, at) != nullptr; });
        if (log.covers(at)) {
          ASSERT_TRUE(has_all) << "tick " << at << " at " << tick;
        }
        ++(log.covers(at) ? covered : gone);
        if (at > 1) {
          ASSERT_LE(log.covers(at - 1), log.covers(at)) << "a newer tick is covered for longer";
        }
      }
    }
    EXPECT_GT(covered, 100);
    EXPECT_GT(gone, 100);
  }
}

TEST(ValueLog, WithoutBytesItKnowsNothing) {
  ValueLog log(0);
  const Words words{1, 2};
  EXPECT_EQ(log.add(1, words, 0), 0u);
  EXPECT_EQ(log.find(0, 5), nullptr);
}

TEST(ValueLog, AValueThatIsTooLargeEndsItsChain) {
  ValueLog log(64);
  const Words small{7};
  const Words large(100);
  const ValueLog::Place first = log.add(1, small, 0);
  ASSERT_NE(log.find(first, 1), nullptr);
  EXPECT_EQ(log.add(2, large, first), 0u);
  EXPECT_NE(log.find(first, 1), nullptr) << "others stay";
}

TEST(ValueLog, RowsWithoutWordsHaveHistoriesToo) {
  ValueLog log(64);
  const ValueLog::Place place = log.add(3, {}, 0);
  EXPECT_NE(log.find(place, 3), nullptr);
  EXPECT_EQ(log.find(place, 2), nullptr);
}

TEST(ValueLog, ABytesBoundIsKept) {
  for (const std::size_t bytes : {0u, 1u, 8u, 100u, 4096u}) {
    ValueLog log(bytes);
    const Words words(5);
    std::vector<ValueLog::Place> places;
    for (ecs::Tick tick = 1; tick < 1000; ++tick) places.push_back(log.add(tick, words, 0));
    EXPECT_LT(log.bytes(), bytes + 8);
    std::size_t kept = 0;
    for (ecs::Tick tick = 1; tick < 1000; ++tick)
      if (log.find(places[tick - 1], tick) != nullptr) kept += record_bytes(words);
    EXPECT_LE(kept, log.bytes()) << "what was superseded long ago is gone";
  }
}

}  // namespace
}  // namespace mobula::server
