#include <gtest/gtest.h>

#include <mobula/server/cluster/lease_holder.hpp>
#include <seeds.hpp>
#include <server/cluster/coordinator_twin.hpp>

namespace mobula::cluster {
namespace lease_holder_test {

constexpr core::Nanoseconds ms = core::millisecond;
constexpr core::Nanoseconds ttl = 2 * core::second;

class LeaseHolderTest : public testing::Test {
 protected:
  void run(core::Nanoseconds time) {
    for (const core::Nanoseconds end = now + time; now < end;) step();
  }
  void step() {
    now += 10 * ms;
    store.advance(now);
    client.advance(now);
    while (const std::optional<Reply> reply = client.poll()) EXPECT_TRUE(holder.on_reply(*reply, now));
    holder.update(client, now);
  }
  // Whether the store still has the lease. Asks without renewing it.
  bool exists() {
    const Reply put = store.commit({.puts = {{"probe", "", holder.lease()}}});
    return !put.error;
  }

  core::Random random{1};
  test::StoreTwin store;
  test::TwinClient client{store, random};
  LeaseHolder holder{ttl};
  core::Nanoseconds now = 0;
};

TEST_F(LeaseHolderTest, KeepsItsLease) {
  run(10 * core::second);
  EXPECT_NE(holder.lease(), 0);
  EXPECT_FALSE(holder.lost(now));
  EXPECT_TRUE(exists());
  EXPECT_EQ(holder.trouble(), "");
}

TEST_F(LeaseHolderTest, ALeaseThatWasNeverGrantedIsNotLost) {
  client.network.cut = true;
  run(10 * core::second);
  EXPECT_EQ(holder.lease(), 0);
  EXPECT_FALSE(holder.lost(now));
  EXPECT_NE(holder.trouble(), "");
  client.network.cut = false;
  run(core::second);
  EXPECT_NE(holder.lease(), 0);
}

TEST_F(LeaseHolderTest, IsLostBeforeTheStoreEndsIt) {
  run(core::second);
  client.network.cut = true;
  while (!holder.lost(now)) {
    ASSERT_LT(now, 10 * core::second);
    EXPECT_TRUE(exists());
    step();
  }
  EXPECT_TRUE(exists());
  run(ttl);
  EXPECT_FALSE(exists());
  client.network.cut = false;
  run(core::second);
  EXPECT_TRUE(holder.lost(now)) << "a lost lease stays lost";
}

TEST_F(LeaseHolderTest, LearnsThatItsLeaseWasEnded) {
  run(core::second);
  ASSERT_FALSE(store.revoke(holder.lease()).error);
  run(core::second);
  EXPECT_TRUE(holder.lost(now));
}

TEST_F(LeaseHolderTest, ShortOutagesCostNothing) {
  run(core::second);
  for (int outage = 0; outage < 10; ++outage) {
    client.network.cut = true;
    run(600 * ms);
    client.network.cut = false;
    run(core::second);
  }
  EXPECT_FALSE(holder.lost(now));
}

// An election of etcd as with the options of EtcdConfig, with a split vote, at the worst moment.
TEST_F(LeaseHolderTest, AnElectionCostsNothing) {
  run(core::second);
  for (int phase = 0; phase < 40; ++phase) {
    run(phase * 10 * ms);
    store.set_majority(false, now);
    run(1300 * ms);
    store.set_majority(true, now);
    ASSERT_FALSE(holder.lost(now)) << phase;
    run(core::second);
  }
  EXPECT_FALSE(holder.lost(now));
}

TEST_F(LeaseHolderTest, GoesOnWhileTheStoreHasNoMajority) {
  run(core::second);
  store.set_majority(false, now);
  run(60 * core::second);
  EXPECT_FALSE(holder.lost(now));
  store.set_majority(true, now);
  run(10 * core::second);
  EXPECT_FALSE(holder.lost(now));
  EXPECT_TRUE(exists());
}

TEST_F(LeaseHolderTest, IsLostIfItCannotSeeThatThereIsNoMajority) {
  run(core::second);
  store.set_majority(false, now);
  run(10 * core::second);
  client.network.cut = true;
  run(ttl);
  EXPECT_TRUE(holder.lost(now));
}

TEST_F(LeaseHolderTest, ASurveyRenewsFromWhenItWasSent) {
  holder.update(client, 0);
  EXPECT_TRUE(holder.on_reply({.request = 1, .lease = 7, .ttl = ttl}, 0));
  holder.update(client, ttl / 2);  // a survey, and a renewal that fails
  EXPECT_TRUE(holder.on_reply({.request = 3, .error = core::Error{"unreachable", "no answer"}}, ttl * 3 / 4));
  EXPECT_TRUE(holder.on_reply({.request = 2, .without_majority = true}, ttl * 3 / 4));
  EXPECT_EQ(holder.valid_until(), ttl / 2 + ttl - LeaseHolder::margin(ttl));
}

TEST_F(LeaseHolderTest, ALateSurveyDoesNotRenewALostLease) {
  holder.update(client, 0);
  EXPECT_TRUE(holder.on_reply({.request = 1, .lease = 7, .ttl = ttl}, 0));
  holder.update(client, ttl / 2);
  EXPECT_TRUE(holder.on_reply({.request = 2, .without_majority = true}, ttl));
  EXPECT_TRUE(holder.lost(ttl));
}

TEST_F(LeaseHolderTest, ASuspendedHolderHasLostItsLease) {
  run(core::second);
  now += 5 * core::second;  // without a call
  EXPECT_TRUE(holder.lost(now));
}

TEST_F(LeaseHolderTest, AnAnswerThatComesTooLateDoesNotRenewIt) {
  holder.update(client, 0);
  EXPECT_TRUE(holder.on_reply({.request = 1, .lease = 7, .ttl = ttl}, 0));
  const core::Nanoseconds sent = ttl * 2 / 3;
  holder.update(client, sent);
  const core::Nanoseconds late = holder.valid_until();
  ASSERT_LT(late, sent + ttl);
  EXPECT_TRUE(holder.on_reply({.request = 3, .lease = 7, .ttl = ttl}, late));
  EXPECT_TRUE(holder.lost(late));
}

// The holder relies on the lease only while the store has it, whatever is lost or late.
TEST_F(LeaseHolderTest, NeverOutlivesItsLease) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= test::few_or_all(40, 400); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random = core::Random(seed);
    store = test::StoreTwin();
    client.forget();
    holder = LeaseHolder(ttl);
    client.network = {.delay = core::Nanoseconds{random.below(300)} * ms, .lost_in_1000 = random.below(500)};
    client.network.late_in_1000 = random.below(300);
    for (const core::Nanoseconds end = now + 20 * core::second; now < end && !holder.lost(now);) {
      if (holder.lease() != 0 && store.has_majority()) ASSERT_TRUE(exists());
      if (random.below(300) == 0) store.set_majority(!store.has_majority(), now);
      step();
    }
    lost += holder.lost(now) ? 1 : 0;
  }
  EXPECT_GT(lost, 5) << "some seeds lose too much";
}

}  // namespace lease_holder_test
}  // namespace mobula::cluster
