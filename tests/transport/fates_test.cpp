#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/transport/fates.hpp>

namespace mobula::transport {
namespace {

TEST(Fates, EveryTagGetsTheFateOfItsDatagram) {
  constexpr std::uint64_t seed = 4;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  Fates fates;
  struct Datagram {
    std::uint16_t first;
    std::uint8_t count;
  };
  std::deque<Datagram> travelling;
  std::map<std::uint32_t, Fate::Outcome> expected;
  std::uint32_t tag = 0;
  for (int round = 0; round < 20'000; ++round) {
    Datagram datagram{fates.next_number(), 0};
    for (std::uint32_t n = random.below(12); n > 0 && !fates.full(); --n, ++datagram.count) fates.add_in_flight(tag++);
    travelling.push_back(datagram);
    while (travelling.size() > random.below(150)) {
      const auto outcome = random.below(2) == 0 ? Fate::Outcome::acked : Fate::Outcome::lost;
      const Datagram decided = travelling.front();
      const std::uint32_t first_tag = tag - static_cast<std::uint16_t>(fates.next_number() - decided.first);
      for (std::uint32_t i = 0; i < decided.count; ++i) expected[first_tag + i] = outcome;
      fates.decide(decided.first, decided.count, outcome, round);
      travelling.pop_front();
      fates.forget_before(travelling.empty() ? fates.next_number() : travelling.front().first);
      Fate fate;
      for (; fates.next(fate); expected.erase(fate.tag)) ASSERT_EQ(expected.at(fate.tag), fate.outcome);
      ASSERT_TRUE(expected.empty());
      if (random.below(10) == 0) fates.trim();
    }
  }
  EXPECT_GT(tag, 70'000u) << "the numbers have wrapped";
}

TEST(Fates, DropsTheOldestIfNotFetched) {
  Fates fates;
  for (std::uint32_t tag = 0; tag < Fates::fates_max + 10; ++tag) fates.drop(tag, 5);
  Fate fate;
  for (std::uint32_t tag = 10; tag < Fates::fates_max + 10; ++tag) {
    ASSERT_TRUE(fates.next(fate));
    EXPECT_EQ(fate.tag, tag);
    EXPECT_EQ(fate.outcome, Fate::Outcome::dropped);
  }
  EXPECT_FALSE(fates.next(fate));
}

}  // namespace
}  // namespace mobula::transport
