#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/replication/sent_deltas.hpp>
#include <set>

namespace mobula::server {
namespace {

struct Entry {
  std::uint32_t id;
  SentDeltas::Kind kind;
  std::uint64_t hash;
  bool operator==(const Entry&) const = default;
};

std::vector<Entry> entries(const SentDeltas& sent, const SentDeltas::Delta& delta) {
  std::vector<Entry> all;
  sent.each(delta,
            [&](std::uint32_t id, SentDeltas::Kind kind, std::uint64_t hash) { all.push_back({id, kind, hash}); });
  return all;
}

// The deltas sent, in a map that keeps all of them.
struct Model {
  enum class Fate { unknown, missing, came, given_up };
  struct Delta {
    ecs::Tick tick = 0;
    std::vector<Entry> carried;
    Fate fate = Fate::unknown;
    bool settled() const { return fate == Fate::came || fate == Fate::given_up; }
  };
  std::map<std::uint32_t, Delta> deltas;

  [[nodiscard]] std::uint32_t settled() const {
    std::uint32_t up_to = 0;
    while (deltas.contains(up_to + 1) && deltas.at(up_to + 1).settled()) ++up_to;
    return up_to;
  }
};

// A client that accepts deltas in any order.
struct Client {
  std::set<std::uint32_t> taken;
  std::uint32_t newest = 0;

  void take(std::uint32_t sequence) {
    if (sequence < newest && newest - sequence >= wire::late_max) return;
    taken.insert(sequence);
    newest = std::max(newest, sequence);
  }
  [[nodiscard]] wire::InputDatagram input() const {
    wire::InputDatagram input{.ack = 1, .newest = newest, .words = wire::input_words_max};
    for (std::uint32_t age = 0; age < wire::ack_history && age < newest; ++age)
      if (taken.contains(newest - age)) input.received[age / 64] |= 1ull << age % 64;
    return input;
  }
};

class SentDeltasTest : public testing::Test {
 protected:
  void send(ecs::Tick tick, const std::vector<Entry>& carried) {
    sent.begin(tick);
    for (std::size_t i = 0; i < carried.size();) {
      const SentDeltas::Kind kind = carried[i].kind;
      SentDeltas::Recorder recorder(sent, kind);
      for (; i < carried.size() && carried[i].kind == kind; ++i) recorder.add(carried[i].id, carried[i].hash);
    }
    model.deltas[sent.last()] = {tick, carried, Model::Fate::unknown};
  }
  void acknowledge(const wire::InputDatagram& input) {
    std::uint32_t last = 0;
    const auto check = [&](const SentDeltas::Delta& delta) -> Model::Delta& {
      Model::Delta& expected = model.deltas.at(delta.sequence);
      EXPECT_GT(delta.sequence, last) << "in order";
      last = delta.sequence;
      EXPECT_EQ(delta.tick, expected.tick);
      EXPECT_EQ(entries(sent, delta), expected.carried);
      return expected;
    };
    sent.acknowledge(
        input,
        [&](const SentDeltas::Delta& delta) {
          Model::Delta& expected = check(delta);
          EXPECT_FALSE(expected.settled()) << "it came twice";
          EXPECT_TRUE(input.has(input.newest - delta.sequence));
          expected.fate = Model::Fate::came;
        },
        [&](const SentDeltas::Delta& delta) {
          Model::Delta& expected = check(delta);
          EXPECT_EQ(expected.fate, Model::Fate::unknown) << "it is lost once";
          EXPECT_FALSE(input.has(input.newest - delta.sequence));
          expected.fate = Model::Fate::missing;
        });
    for (auto& [sequence, delta] : model.deltas) {
      if (sequence > input.newest || delta.settled()) continue;
      EXPECT_EQ(delta.fate, Model::Fate::missing) << sequence << " is neither lost nor there";
      if (input.newest - sequence >= wire::late_max) delta.fate = Model::Fate::given_up;
    }
    EXPECT_EQ(sent.settled(), model.settled());
    EXPECT_EQ(sent.unsettled(), sent.last() - model.settled());
  }

  SentDeltas sent{true};
  Model model;
  Client client;
};

TEST_F(SentDeltasTest, RandomConversationsMatchAMap) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    sent = SentDeltas(true);
    model = {};
    client = {};
    std::multimap<std::uint32_t, std::uint32_t> under_way;  // sequence by when it comes
    const std::uint32_t loss = random.below(60);
    const std::uint32_t delay = 1 + random.below(50);
    std::uint64_t came_late = 0;
    for (std::uint32_t now = 1; now < 2500; ++now) {
      const bool busy = now < 800 || now > 2000;  // and between, what that took is given back
      if (sent.unsettled() < SentDeltas::window_max && random.chance(9, 10)) {
        std::vector<Entry> carried(busy && random.chance(1, 10) ? random.below(300) : random.below(6));
        for (Entry& entry : carried)
          entry = {random.below(1u << 20), static_cast<SentDeltas::Kind>(random.below(3)), random.next()};
        send(now, carried);
        if (!random.chance(loss, 100)) under_way.emplace(now + random.below(delay), sent.last());
      }
      for (; !under_way.empty() && under_way.begin()->first <= now; under_way.erase(under_way.begin())) {
        came_late += under_way.begin()->second < client.newest;
        client.take(under_way.begin()->second);
      }
      if (random.chance(1, 3)) acknowledge(client.input());
      if (HasFailure()) return;
    }
    if (delay > 5) {
      EXPECT_GT(came_late, 10u);
    }
    acknowledge(client.input());
    for (const auto& [sequence, delta] : model.deltas) {
      EXPECT_EQ(delta.fate == Model::Fate::came, client.taken.contains(sequence)) << sequence;
      if (client.newest >= wire::late_max && sequence <= client.newest - wire::late_max) {
        EXPECT_TRUE(delta.settled()) << sequence;
      }
    }
  }
}

TEST_F(SentDeltasTest, OneThatWasMissingMayStillTurnOutToHaveCome) {
  for (ecs::Tick tick = 1; tick <= 3; ++tick) send(tick, {{tick, SentDeltas::Kind::delta, tick}});
  client.take(1);
  client.take(3);
  acknowledge(client.input());
  EXPECT_EQ(model.deltas.at(2).fate, Model::Fate::missing);
  EXPECT_EQ(sent.unsettled(), 2u) << "nothing is settled behind one that is not";
  client.take(2);
  acknowledge(client.input());
  EXPECT_EQ(model.deltas.at(2).fate, Model::Fate::came);
  EXPECT_EQ(sent.unsettled(), 0u);
}

TEST_F(SentDeltasTest, OneThatIsTooLateIsGivenUp) {
  for (ecs::Tick tick = 1; tick <= 1 + wire::late_max; ++tick) send(tick, {});
  for (std::uint32_t sequence = 2; sequence <= wire::late_max; ++sequence) client.take(sequence);
  acknowledge(client.input());
  EXPECT_EQ(sent.settled(), 0u);
  client.take(1 + wire::late_max);
  acknowledge(client.input());
  EXPECT_EQ(model.deltas.at(1).fate, Model::Fate::given_up);
  EXPECT_EQ(sent.unsettled(), 0u);
}

TEST_F(SentDeltasTest, AWholeWindowThatWasLostIsSettledByOneThatCame) {
  for (ecs::Tick tick = 1; tick <= SentDeltas::window_max; ++tick) send(tick, {{1, SentDeltas::Kind::full, 5}});
  EXPECT_EQ(sent.unsettled(), SentDeltas::window_max);
  EXPECT_EQ(sent.last_tick(), SentDeltas::window_max);
  client.take(SentDeltas::window_max);
  acknowledge(client.input());
  EXPECT_EQ(sent.settled(), SentDeltas::window_max - wire::late_max);
  EXPECT_EQ(sent.unsettled(), wire::late_max);
}

TEST_F(SentDeltasTest, WithoutHashesTheyAreZero) {
  SentDeltas plain(false);
  plain.begin(4);
  {
    SentDeltas::Recorder recorder(plain, SentDeltas::Kind::lost);
    for (std::uint32_t id = 0; id < 200; ++id) recorder.add(id, 77);
  }
  wire::InputDatagram input{.ack = 1, .newest = 1, .words = wire::input_words_max};
  input.received[0] = 1;
  std::size_t seen = 0;
  plain.acknowledge(
      input,
      [&](const SentDeltas::Delta& delta) {
        for (const Entry& entry : entries(plain, delta))
          EXPECT_EQ(entry, (Entry{static_cast<std::uint32_t>(seen++), SentDeltas::Kind::lost, 0}));
      },
      [](const SentDeltas::Delta&) { FAIL(); });
  EXPECT_EQ(seen, 200u);
}

#ifdef MOBULA_ASSERTS
TEST_F(SentDeltasTest, MoreThanAWindowIsAMistake) {
  for (ecs::Tick tick = 1; tick <= SentDeltas::window_max; ++tick) sent.begin(tick);
  EXPECT_DEATH(sent.begin(1000), "more unsettled deltas than an acknowledgement covers");
}
#endif

}  // namespace
}  // namespace mobula::server
