#include <gtest/gtest.h>

#include <seeds.hpp>
#include <server/cluster/crossing_trial.hpp>

namespace mobula::cluster {
namespace crossings_test {

using test::Accounts;
using test::CrossingHost;
using test::CrossingTrial;

// Two processes with a world each: "a" has anna, "b" nobody.
class CrossingsTest : public testing::Test {
 protected:
  CrossingsTest() {
    trial.add_host();
    trial.add_host();
    trial.run(core::second);
    trial.create("a", {"anna"});
    trial.create("b", {});
    trial.run(core::second);
  }
  CrossingHost& at(const std::string& world) { return *trial.owner(world); }
  void save(const std::string& world) {
    at(world).begin_save(world);
    trial.run(core::second / 10);
  }
  [[nodiscard]] CrossingRecord record() const { return parse_crossing(trial.records().front().value).value(); }

  CrossingTrial trial;
};

TEST_F(CrossingsTest, TheRecordLastsUntilBothAreSaved) {
  at("a").send("a", "anna", "b");
  trial.run(core::second / 10);
  EXPECT_EQ(trial.world("a").players, Accounts());
  EXPECT_EQ(trial.world("b").players, Accounts{"anna"});
  ASSERT_EQ(trial.records().size(), 1u);
  save("a");
  EXPECT_TRUE(record().left && !record().arrived);
  trial.run(5 * core::second);
  ASSERT_EQ(trial.records().size(), 1u) << "the target was not saved";
  save("b");
  EXPECT_EQ(trial.records().size(), 0u);
  for (const char* world : {"a", "b"}) EXPECT_EQ(trial.world(world).ledger.state().saved_ids().size(), 0u) << world;
}

// Else its players would be in no world until it does.
TEST_F(CrossingsTest, NoneBeginsWhileEtcdDecidesNothing) {
  CrossingHost& host = at("a");
  const auto may = [&] { return host.node.may_cross("a", "b"); };
  ASSERT_TRUE(may());
  host.client.network.cut = true;
  trial.run(core::second);
  ASSERT_FALSE(may());
  EXPECT_STREQ(may().error().reason, "no decision");
  host.client.network.cut = false;
  trial.run(core::second);
  EXPECT_TRUE(may());
}

TEST_F(CrossingsTest, ManyAreSavedInParts) {
  Accounts many;
  for (int i = 0; i < 100; ++i) many.insert("p" + std::to_string(i));
  trial.create("c", many);
  trial.run(core::second);
  for (const std::string& each : many) at("c").send("c", each, "b");
  trial.run(core::second);
  EXPECT_EQ(trial.records().size(), 100u);
  save("c");
  save("b");
  trial.run(core::second);
  EXPECT_EQ(trial.records().size(), 0u);
  EXPECT_EQ(trial.world("b").players, many);
}

// A request to etcd has at most 1.5 MiB, and a record may have half of that.
TEST_F(CrossingsTest, LargeOnesAreDecidedAndSavedInParts) {
  Accounts many;
  for (int i = 0; i < 12; ++i) many.insert("p" + std::to_string(i));
  trial.create("c", many);
  trial.run(core::second);
  for (const std::string& each : many) at("c").send("c", each, "b", each == "p3" ? 500'000 : 200'000);
  trial.run(4 * core::second);
  EXPECT_EQ(trial.records().size(), 12u);
  save("c");
  save("b");
  trial.run(4 * core::second);
  EXPECT_EQ(trial.records().size(), 0u);
  EXPECT_EQ(trial.world("b").players, many);
}

TEST_F(CrossingsTest, AWorldWithAnotherOwnerDecidesNothing) {
  CrossingHost& former = at("a");
  former.client.network.cut = true;
  former.send("a", "anna", "b");
  trial.run(3 * core::second);  // the lease ends
  ASSERT_NE(trial.owner("a"), nullptr);
  EXPECT_NE(trial.owner("a"), &former);
  EXPECT_EQ(trial.world("a").players, Accounts{"anna"}) << "the save has her";
  EXPECT_EQ(trial.records().size(), 0u);
}

// The answer to the commit is lost.
TEST_F(CrossingsTest, AnUnknownOutcomeIsFound) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    CrossingHost& host = at("a");
    host.client.network.lost_in_1000 = 500;
    host.send("a", "anna", "b");
    trial.run(core::second);
    host.client.network.lost_in_1000 = 0;
    trial.run(3 * core::second);
    ASSERT_EQ(trial.world("b").players, Accounts{"anna"});
    at("b").send("b", "anna", "a");
    trial.run(core::second);
    ASSERT_EQ(trial.world("a").players, Accounts{"anna"});
  }
}

// The answer is there before the watch shows what it has committed, and shows another change first.
TEST_F(CrossingsTest, AWatchThatIsLateForgetsNothing) {
  for (const char* world : {"a", "b"}) at(world).client.network.watch_delay = core::second / 2;
  trial.store.commit({.puts = {{"c/other", "x"}}});
  trial.run(core::second / 10);
  at("a").send("a", "anna", "b");
  trial.run(core::second / 10);
  at("a").begin_save("a");
  trial.run(2 * core::second);
  EXPECT_TRUE(record().left);
  save("b");
  trial.run(2 * core::second);
  EXPECT_EQ(trial.records().size(), 0u);
  EXPECT_EQ(trial.world("b").players, Accounts{"anna"});
}

// The first attempt reaches the store a second later, when both worlds have settled the second one.
TEST_F(CrossingsTest, AnAttemptThatIsLateTakesNoEffect) {
  CrossingHost& host = at("a");
  host.client.network.late_in_1000 = 1000;
  host.send("a", "anna", "b");
  trial.run(core::second / 10);
  host.client.network.late_in_1000 = 0;
  const core::Nanoseconds end = trial.now + core::second;
  while (trial.world("b").players.empty() && trial.now < end) trial.step();
  for (const char* world : {"a", "b"}) at(world).begin_save(world);
  trial.run(core::second / 10);
  EXPECT_EQ(trial.records().size(), 0u);
  trial.run(2 * core::second);
  EXPECT_EQ(trial.records().size(), 0u);
  EXPECT_EQ(trial.world("a").players, Accounts());
  EXPECT_EQ(trial.world("b").players, Accounts{"anna"});
}

TEST_F(CrossingsTest, AWorldWithALaterOwnerIsLeftAlone) {
  core::Random random(1);
  test::StoreTwin store;
  test::TwinClient client(store, random);
  const WorldRecord record{.game = "game", .state = WorldState::open, .epoch = 2, .node = "other", .run = 1};
  store.commit({.puts = {{"c/worlds/a", to_json(record)}}});
  Directory directory("c/");
  Crossings crossings("c/");
  crossings.open(directory, "a", 1);
  crossings.depart("a", 1, "x", {.source = "a", .target = "b", .account = "anna"});
  for (core::Nanoseconds now = 0; now < core::second; now += test::step_time) {
    client.advance(now);
    while (const std::optional<Reply> reply = client.poll())
      if (!directory.on_reply(*reply, now)) crossings.on_reply(*reply, now);
    directory.update(client, now);
    crossings.update(client, directory, now);
  }
  EXPECT_TRUE(directory.complete());
  EXPECT_TRUE(store.list("c/crossings/").values.empty());
}

TEST_F(CrossingsTest, AFullStoreRefusesIt) {
  trial.store.set_full(true);
  at("a").send("a", "anna", "b");
  trial.run(core::second);
  EXPECT_EQ(at("a").refused, 1);
  EXPECT_EQ(trial.world("a").players, Accounts{"anna"});
  EXPECT_FALSE(at("a").node.may_cross("a", "b")) << "she would be disconnected once more";
  trial.store.set_full(false);
  trial.run(Crossings::full_for);
  EXPECT_TRUE(at("a").node.may_cross("a", "b"));
}

TEST_F(CrossingsTest, ASaveWithoutAnOwnersKeyIsNotCommitted) {
  CrossingHost& former = at("b");
  at("a").send("a", "anna", "b");
  trial.run(core::second / 10);
  save("a");
  former.begin_save("b");
  former.client.network.cut = true;
  trial.run(4 * core::second);  // "b" has another owner, who has copied the file
  former.client.network.cut = false;
  trial.run(core::second);
  EXPECT_EQ(trial.world("b").players, Accounts{"anna"});
}

// The source is restored from a backup after the record was erased.
TEST_F(CrossingsTest, ASaveOlderThanASettledCrossingIsRefused) {
  at("a").send("a", "anna", "b");
  trial.run(core::second / 10);
  save("a");
  save("b");
  ASSERT_EQ(trial.records().size(), 0u);
  for (auto& [epoch, file] : trial.volume["a"]) file = {.players = {"anna"}};  // a backup
  std::erase_if(trial.hosts, [&](const auto& each) { return each->worlds.contains("a"); });
  trial.run(5 * core::second);
  EXPECT_EQ(trial.owner("a"), nullptr);
  EXPECT_EQ(trial.hosts.front()->failure, "old save");
}

TEST_F(CrossingsTest, ATargetThatIsClosedTakesThePlayerWhenItOpens) {
  std::erase_if(trial.hosts, [&](const auto& each) { return each->worlds.contains("b"); });
  at("a").send("a", "anna", "b");
  trial.run(core::second);
  EXPECT_EQ(trial.records().size(), 1u);
  trial.run(4 * core::second);
  EXPECT_EQ(trial.world("b").players, Accounts{"anna"});
}

TEST_F(CrossingsTest, ARecordThatCannotBeReadStays) {
  trial.store.commit({.puts = {{"c/crossings/x", R"({"source":"a","target":"b"})"}}});
  trial.run(core::second);
  EXPECT_EQ(trial.records().size(), 1u);
}

// Processes die, pause, drain and are cut off; requests are lost or late; worlds are saved now and then. At no time is
// a player in two worlds, or in one and in a record. After it, each is in one.
TEST(CrossingModel, EachPlayerIsInOnePlace) {
  std::size_t crossed = 0;
  for (std::uint64_t seed = 1; seed <= test::few_or_all(3, 10); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CrossingTrial trial(seed);
    core::Random& random = trial.random;
    for (int each = 0; each < 3; ++each) trial.add_host();
    trial.run(core::second);
    Accounts everybody;
    const std::vector<std::string> worlds{"a", "b", "c", "d"};
    for (const std::string& world : worlds) {
      Accounts players;
      for (int each = 0; each < 4; ++each) players.insert(world + std::to_string(each));
      everybody.insert(players.begin(), players.end());
      trial.create(world, players);
    }
    std::map<std::string, CrossingRecord> parsed;  // by text
    // The newest record of a player has them, unless its target has been saved with them or serves them.
    const auto places = [&] {
      std::map<std::string, int> count;
      std::map<std::string, std::pair<Revision, bool>> newest;
      for (const KeyValue& each : trial.records()) {
        const auto [known_text, is_new] = parsed.try_emplace(each.value);
        CrossingRecord& record = known_text->second;
        if (is_new) record = parse_crossing(each.value).value();
        CrossingHost* const target = trial.owner(record.target);
        const std::string id = each.key.substr(std::string_view("c/crossings/").size());
        const bool arrived = record.arrived || (target != nullptr &&
                                                target->worlds.at(record.target)->ledger.state().arrived.contains(id));
        auto& known = newest[record.account];
        known = std::max(known, std::pair(each.created, !arrived));
      }
      for (const auto& [account, record] : newest) count[account] += record.second ? 1 : 0;
      for (const std::string& world : worlds)
        if (CrossingHost* const owner = trial.owner(world))
          for (const std::string& account : owner->worlds.at(world)->players) ++count[account];
      return count;
    };
    const auto act = [&] {
      for (const std::string& world : worlds) {
        CrossingHost* const owner = trial.owner(world);
        if (owner == nullptr) continue;
        const Accounts& players = owner->worlds.at(world)->players;
        owner->worlds.at(world)->room = random.chance(1, 10) ? 3 : 100;
        if (random.chance(1, 10)) owner->worlds.at(world)->ledger.retry();
        if (random.chance(1, 20)) owner->begin_save(world, random.below(100) * core::millisecond);
        if (players.empty() || !random.chance(1, 15)) continue;
        const std::string& to = worlds[random.below(4)];
        const std::string account =
            *std::next(players.begin(), random.below(static_cast<std::uint32_t>(players.size())));
        if (to == world) continue;
        owner->send(world, account, to);
        ++crossed;
      }
    };
    const auto disturb = [&] {
      CrossingHost& host = *trial.hosts[random.below(static_cast<std::uint32_t>(trial.hosts.size()))];
      switch (random.below(7)) {
        case 0: host.client.network.cut = !host.client.network.cut; break;
        case 1: host.paused = !host.paused; break;
        case 2: host.node.drain(); break;
        case 3: std::erase_if(trial.hosts, [&](const auto& each) { return each.get() == &host; }); break;
        case 4: host.client.network.lost_in_1000 = random.below(300); break;
        case 5: host.client.network.late_in_1000 = random.below(200); break;
        case 6: host.client.network.watch_delay = random.below(200) * core::millisecond; break;
      }
    };
    for (int step = 0; step < 3000; ++step) {
      trial.step();
      for (const auto& [account, count] : places()) ASSERT_LE(count, 1) << account << " at step " << step;
      act();
      if (random.chance(1, 100)) disturb();
      std::erase_if(trial.hosts, [](const auto& each) { return each->node.ended() && !each->paused; });
      if (trial.hosts.size() < 3) trial.add_host();
    }
    for (const auto& host : trial.hosts) {
      host->paused = false;
      host->client.network = {};
    }
    trial.add_host();
    trial.run(20 * core::second);
    for (const std::string& world : worlds) {
      ASSERT_NE(trial.owner(world), nullptr) << world;
      trial.world(world).room = 100;
      trial.world(world).ledger.retry();
    }
    trial.run(core::second);
    for (const std::string& world : worlds) trial.owner(world)->begin_save(world);
    trial.run(2 * core::second);
    const std::map<std::string, int> end = places();
    for (const std::string& account : everybody) EXPECT_EQ(end.contains(account) ? end.at(account) : 0, 1) << account;
    EXPECT_EQ(trial.records().size(), 0u);
    for (const std::string& world : worlds) EXPECT_EQ(trial.world(world).ledger.state().saved_ids().size(), 0u);
  }
  EXPECT_GT(crossed, 1000u);
}

}  // namespace crossings_test
}  // namespace mobula::cluster
