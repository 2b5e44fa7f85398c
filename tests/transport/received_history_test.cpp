#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/transport/received_history.hpp>

namespace mobula::transport {
namespace {

using Novelty = ReceivedHistory::Novelty;

// Sequences as numbers that never wrap.
struct Model {
  std::map<std::int64_t, int> received;  // number of reports per sequence
  std::int64_t newest = 0;

  Novelty novelty(std::int64_t number) const {
    if (number > newest) return Novelty::fresh;
    if (newest - number >= ReceivedHistory::remembered) return Novelty::stale;
    return received.contains(number) || number <= 0 ? Novelty::duplicate : Novelty::fresh;
  }
  void note(std::int64_t number) {
    received[number] = 0;
    newest = std::max(newest, number);
  }
  // Counts the reports of an ack. Returns false if it reports a sequence that was not received.
  bool report(const Ack& ack) {
    const std::int64_t number = newest - distance(ack.sequence, static_cast<std::uint16_t>(newest));
    for (int n = 0; n < 33; ++n) {
      if (n > 0 && (ack.bits >> (n - 1) & 1) == 0) continue;
      if (number - n <= 0) continue;
      const auto found = received.find(number - n);
      if (found == received.end()) return false;
      ++found->second;
    }
    return true;
  }
};

// Returns the number of acks of a flush.
int flush(ReceivedHistory& history, Model& model) {
  int acks = 0;
  history.begin_report();
  do {
    ++acks;
    EXPECT_TRUE(model.report(history.next_ack()));
  } while (!history.reported());
  return acks;
}

TEST(ReceivedHistory, AgreesWithASetOnAnyOrderOfArrivals) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    ReceivedHistory history;
    Model model;
    for (int round = 0; round < 120'000; ++round) {
      const std::uint32_t kind = random.below(200);
      std::int64_t number = model.newest + 1 + (kind == 0 ? random.below(3000) : kind < 20 ? random.below(40) : 0);
      if (kind > 150) number = model.newest - random.below(kind > 190 ? 1500 : 40);
      if (number <= 0) continue;
      const auto sequence = static_cast<std::uint16_t>(number);
      ASSERT_EQ(history.novelty(sequence), model.novelty(number)) << number << " of " << model.newest;
      if (model.novelty(number) == Novelty::fresh) {
        history.note(sequence);
        model.note(number);
      }
      if (random.below(60) == 0) {
        ASSERT_LE(flush(history, model), 30);
      }
    }
    EXPECT_GT(model.newest, 65'536);
  }
}

TEST(ReceivedHistory, ReportsEveryBurstInTwoFlushes) {
  ReceivedHistory history;
  Model model;
  std::int64_t number = 0;
  for (int round = 0; round < 2000; ++round) {
    for (int i = 0; i < 200; ++i) {
      if (++number % 7 == 0) continue;  // lost
      history.note(static_cast<std::uint16_t>(number));
      model.note(number);
    }
    flush(history, model);
  }
  for (const auto& [n, reports] : model.received) {
    ASSERT_GE(reports, n <= model.newest - 200 ? 2 : 1) << n;
  }
}

TEST(ReceivedHistory, QuietFlushNeedsOneAck) {
  ReceivedHistory history;
  Model model;
  for (std::int64_t number = 1; number < 300; ++number) {
    history.note(static_cast<std::uint16_t>(number));
    model.note(number);
    EXPECT_EQ(flush(history, model), 1);
  }
}

}  // namespace
}  // namespace mobula::transport
