#include <gtest/gtest.h>

#include <map>
#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <mobula/transport/sent_history.hpp>

namespace mobula::transport::sent_history_test {
namespace {

using core::millisecond;
using core::second;

// Outcome of every sent datagram, by a number that does not wrap.
struct Model {
  std::map<std::int64_t, SentState> states;
  std::int64_t next = 1;
};

// A datagram that carries its number.
SentDatagram numbered(std::int64_t number, core::Nanoseconds at) {
  SentDatagram datagram;
  datagram.at = at;
  core::store(datagram.chunks.data(), number);
  return datagram;
}
std::int64_t number_of(const SentDatagram& datagram) { return core::load<std::int64_t>(datagram.chunks.data()); }

TEST(SentHistory, AgreesWithAModelUnderLossReorderingAndFalseAcks) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    SentHistory history;
    Model model;
    core::Nanoseconds now = 0;
    const auto lost = [&](const SentDatagram& datagram) {
      SentState& state = model.states.at(number_of(datagram));
      ASSERT_EQ(state, SentState::waiting);
      state = SentState::lost;
    };
    for (int round = 0; round < 100'000; ++round) {
      now += random.below(4) * millisecond;
      ASSERT_EQ(history.next(), static_cast<std::uint16_t>(model.next));
      model.states[model.next] = SentState::waiting;
      history.add(numbered(model.next, now), lost);
      ++model.next;
      // An ack of a recent datagram, or a false one.
      const std::int64_t ack = model.next - 1 - random.below(random.below(10) == 0 ? 5000 : 30);
      const auto bits = static_cast<std::uint32_t>(random.next() & random.next());
      if (history.was_sent(static_cast<std::uint16_t>(ack))) {
        history.handle_acks(static_cast<std::uint16_t>(ack), bits, [&](const SentDatagram& datagram, bool newest) {
          const std::int64_t number = number_of(datagram);
          ASSERT_EQ(newest, number == ack);
          ASSERT_TRUE(number == ack || (bits >> (ack - 1 - number) & 1) != 0);
          ASSERT_EQ(model.states.at(number), datagram.state);
          model.states[number] = SentState::acked;
        });
      }
      if (round % 20 == 0) {
        history.give_up_sent_before(now - 300 * millisecond, lost);
        history.check();
      }
      if (round % 5000 == 0) history.trim(now);
    }
    // All old datagrams have an outcome.
    history.give_up_sent_before(now + 1, lost);
    for (const auto& [number, state] : model.states) ASSERT_NE(state, SentState::waiting) << number;
    EXPECT_EQ(history.in_flight(), 0u);
  }
}

TEST(SentHistory, ReportsAnAckSecondsAfterTheLoss) {
  SentHistory history;
  const auto ignore = [](const SentDatagram&) {};
  for (int i = 0; i < 60; ++i) {
    history.add(numbered(i, i * 50 * millisecond), ignore);
    history.give_up_sent_before(i * 50 * millisecond - 300 * millisecond, ignore);
  }
  int acked = 0;
  history.handle_acks(1, 0, [&](const SentDatagram& datagram, bool) {
    EXPECT_EQ(datagram.state, SentState::lost);
    ++acked;
  });
  EXPECT_EQ(acked, 1);
}

TEST(SentHistory, DeclaresOvertakenDatagramsLost) {
  SentHistory history;
  const auto none = [](const SentDatagram&) { FAIL(); };
  for (int i = 0; i < 40; ++i) history.add(numbered(i, 0), none);  // sequences 1 to 40
  std::vector<std::uint32_t> lost;
  const auto note = [&](const SentDatagram& datagram) {
    lost.push_back(static_cast<std::uint32_t>(number_of(datagram)));
  };
  const auto ignore = [](const SentDatagram&, bool) {};
  history.handle_acks(33, 0, ignore);
  history.give_up_overtaken(33, note);
  EXPECT_TRUE(lost.empty()) << "its bits reach back to the first";
  history.handle_acks(35, 0b10, ignore);
  history.give_up_overtaken(35, note);
  EXPECT_EQ(lost, (std::vector<std::uint32_t>{0, 1}));
  history.give_up_overtaken(34, note);  // late ack
  EXPECT_EQ(lost.size(), 2u);
  history.check();
}

TEST(SentHistory, DeclaresTheOldestLostWhenFull) {
  SentHistory history;
  std::uint32_t lost = 0;
  for (std::uint32_t i = 0; i < SentHistory::capacity_max + 100; ++i) {
    history.add(numbered(i, 0), [&](const SentDatagram& datagram) { EXPECT_EQ(number_of(datagram), lost++); });
  }
  EXPECT_EQ(lost, 100u);
  EXPECT_EQ(history.in_flight(), SentHistory::capacity_max);
  history.check();
}

}  // namespace
}  // namespace mobula::transport::sent_history_test
