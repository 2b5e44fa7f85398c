#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/replication/carried_states.hpp>
#include <seeds.hpp>
#include <vector>

namespace mobula::server {
namespace {

using State = CarriedStates::State;

std::vector<std::uint32_t> ids_of(const CarriedStates& carried, std::uint32_t sequence) {
  std::vector<std::uint32_t> ids;
  carried.each(carried.at(sequence), [&](const Carried& entry) { ids.push_back(entry.id); });
  return ids;
}

Carried entry_of(std::uint32_t id) { return {.entity = {.index = id, .generation = 1}, .id = id}; }

// Reference model: the ids of each delta by its sequence.
TEST(CarriedStates, KeepEntriesUntilADeltaIsAppliedOrDropped) {
  test::for_each_seed(1, test::few_or_all(8, 40), 2000, [](std::uint64_t seed) {
    core::Random random(seed);
    CarriedStates carried;
    std::map<std::uint32_t, std::vector<std::uint32_t>> expected;  // deltas that wait
    std::uint32_t ids = 0;
    for (std::uint32_t sequence = 1; sequence <= 2000; ++sequence) {
      carried.begin(sequence, sequence + 5);
      expected[sequence] = {};
      for (std::uint32_t more = random.below(5); more > 0; --more) {
        carried.add(entry_of(++ids));
        expected[sequence].push_back(ids);
      }
      while (expected.size() > 1 + random.below(40)) {
        auto some = expected.begin();
        std::advance(some, random.below(static_cast<std::uint32_t>(std::min<std::size_t>(expected.size(), 6))));
        carried.at(some->first).state = random.chance(1, 2) ? State::applied : State::dropped;
        expected.erase(some);
      }
      carried.free_oldest();
      const std::uint32_t first = expected.empty() ? carried.last() + 1 : expected.begin()->first;
      ASSERT_EQ(carried.first(), first);
      ASSERT_EQ(carried.last(), sequence);
      for (const auto& [waiting, of_delta] : expected) {
        ASSERT_EQ(ids_of(carried, waiting), of_delta) << "delta " << waiting << " in " << sequence;
        ASSERT_EQ(carried.at(waiting).tick, waiting + 5);
      }
      if (expected.empty()) ASSERT_EQ(carried.entries(), 0u);
    }
  });
}

TEST(CarriedStates, ARepeatedDeltaKeepsItsEntries) {
  CarriedStates carried;
  carried.begin(1, 10);
  carried.add(entry_of(7));
  carried.begin(1, 11);
  EXPECT_EQ(carried.at(1).tick, 10u);
  EXPECT_EQ(ids_of(carried, 1), std::vector<std::uint32_t>{7});
}

}  // namespace
}  // namespace mobula::server
