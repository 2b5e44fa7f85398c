#include <gtest/gtest.h>

#include <mobula/server/cluster/crossing_ledger.hpp>
#include <set>

namespace mobula::cluster {
namespace ledger_test {

using Kind = CrossingEvent::Kind;

class Home final : public CrossingHome {
 public:
  bool take(const CrossingRecord& player) override { return !full && players.insert(player.account).second; }
  void remove(const CrossingRecord& player) override { players.erase(player.account); }
  void leave(const CrossingRecord& player) override { left[player.account] = player.target; }
  [[nodiscard]] bool has(const std::string& account) const override { return players.contains(account); }

  std::set<std::string> players{};
  std::map<std::string, std::string> left{};
  bool full = false;
};

using Players = std::set<std::string>;

CrossingRecord crossing(const std::string& from, const std::string& to, const std::string& account = "anna") {
  return {.source = from, .target = to, .account = account};
}

class CrossingLedgerTest : public testing::Test {
 protected:
  void on(Kind kind, const std::string& id, const CrossingRecord& record = {}) {
    ledger.on_event({.kind = kind, .world = "w", .id = id, .record = record});
  }

  Home home;
  CrossingLedger ledger{"w", home};
};

// A crossing between zones.
CrossingRecord zone_crossing(const std::string& from, const std::string& to, std::vector<std::string> entities) {
  return {.source = from, .target = to, .entities = std::move(entities)};
}

// A home of entities instead of players.
struct ZoneHome : CrossingHome {
  bool take(const CrossingRecord& crossing) override {
    if (full) return false;
    for (const std::string& each : crossing.entities) EXPECT_TRUE(entities.insert(each).second) << each << " twice";
    return true;
  }
  void remove(const CrossingRecord& crossing) override {
    for (const std::string& each : crossing.entities) entities.erase(each);
  }
  void leave(const CrossingRecord&) override {}
  [[nodiscard]] bool has(const std::string&) const override { return false; }
  bool full = false;
  std::set<std::string> entities;
};

// An entity has arrived with another one, and has left alone since the save. The world has no room at first.
TEST(CrossingLedger, CrossingsOfAnEntityKeepTheirOrder) {
  const Crossing arrival{"9", zone_crossing("x", "w", {"1.1", "2.1"})};
  const Crossing departure{"5", zone_crossing("w", "y", {"2.1"})};
  const Crossing back{"1", zone_crossing("y", "w", {"2.1"})};
  for (const bool returns : {false, true}) {
    ZoneHome home;
    home.full = true;
    CrossingLedger ledger("w", home);
    std::vector<Crossing> existing{arrival, departure};
    if (returns) existing.push_back(back);
    ASSERT_TRUE(ledger.restore({}, existing, 0));
    EXPECT_EQ(ledger.waiting(), existing.size());
    EXPECT_TRUE(ledger.state().saved_ids().empty()) << "none of them is in a save";
    ledger.on_event({.kind = Kind::arriving, .world = "w", .id = "0", .record = zone_crossing("x", "w", {"3.1"})});
    home.full = false;
    ledger.retry();
    EXPECT_EQ(ledger.waiting(), 0u);
    EXPECT_EQ(home.entities,
              (returns ? std::set<std::string>{"1.1", "2.1", "3.1"} : std::set<std::string>{"1.1", "3.1"}));
    EXPECT_EQ(ledger.state().saved_ids().size(), existing.size() + 1);
  }
}

// Neither has a player. The world cannot take the one back yet that was refused.
TEST(CrossingLedger, ADepartureLeavesRefusedEntitiesOfOthersAlone) {
  ZoneHome home;
  home.full = true;
  home.entities = {"2.1"};
  CrossingLedger ledger("w", home);
  ASSERT_TRUE(ledger.restore({.prepared = {{"1", zone_crossing("w", "x", {"1.1"})}}},
                             {{"2", zone_crossing("w", "y", {"2.1"})}}, 0));
  EXPECT_EQ(ledger.state().prepared.size(), 1u);
  EXPECT_EQ(ledger.state().saved_ids(), std::vector<std::string>{"2"});
  home.full = false;
  ledger.retry();
  EXPECT_EQ(home.entities, std::set<std::string>{"1.1"});
}

// An owner since the save has taken both back, and has sent one of them elsewhere alone.
TEST(CrossingLedger, ADepartureWaitsForItsRefusedEntities) {
  ZoneHome home;
  home.full = true;
  CrossingLedger ledger("w", home);
  ASSERT_TRUE(ledger.restore({.prepared = {{"1", zone_crossing("w", "x", {"1.1", "2.1"})}}},
                             {{"2", zone_crossing("w", "y", {"2.1"})}}, 0));
  EXPECT_TRUE(ledger.state().saved_ids().empty());
  home.full = false;
  ledger.retry();
  EXPECT_EQ(home.entities, std::set<std::string>{"1.1"});
  EXPECT_EQ(ledger.state().saved_ids(), std::vector<std::string>{"2"});
}

TEST_F(CrossingLedgerTest, NotesWhereAPlayerIsThatLeft) {
  ledger.prepare("1", crossing("w", "x"));
  EXPECT_TRUE(home.left.empty()) << "undecided";
  on(Kind::departed, "1", crossing("w", "x"));
  EXPECT_EQ(home.left.at("anna"), "x");
}

// The world has saved none of it. The last crossing of an account counts.
TEST_F(CrossingLedgerTest, ARestoredWorldNotesWhoIsElsewhere) {
  ASSERT_TRUE(ledger.restore({},
                             {{"1", crossing("w", "x", "anna")},
                              {"2", crossing("x", "w", "anna")},
                              {"3", crossing("x", "w", "bert")},
                              {"4", crossing("w", "y", "bert")}},
                             0));
  EXPECT_EQ(home.left, (std::map<std::string, std::string>{{"bert", "y"}}));
}

// The world to which the player left is not saved yet, so the record exists. The record of the return does not.
TEST_F(CrossingLedgerTest, ARestoredWorldHasAPlayerThatReturned) {
  home.players = {"anna"};
  ASSERT_TRUE(ledger.restore({.left = {"1"}}, {{"1", crossing("w", "x")}}, 0));
  EXPECT_EQ(home.left.size(), 0u);
  EXPECT_EQ(home.players, Players{"anna"});
}

TEST_F(CrossingLedgerTest, TakesAnArrivingPlayerOnce) {
  on(Kind::arriving, "1", crossing("x", "w"));
  on(Kind::arriving, "1", crossing("x", "w"));
  EXPECT_EQ(home.players, Players{"anna"});
  EXPECT_EQ(ledger.state().saved_ids(), std::vector<std::string>{"1"});
  on(Kind::settled, "1");
  EXPECT_EQ(ledger.state().saved_ids().size(), 0u);
  EXPECT_EQ(home.players, Players{"anna"});
}

TEST_F(CrossingLedgerTest, TakesARefusedPlayerBack) {
  ledger.prepare("1", crossing("w", "x"));
  on(Kind::refused, "1");
  EXPECT_EQ(home.players, Players{"anna"});
  EXPECT_TRUE(ledger.state().prepared.empty());
}

TEST_F(CrossingLedgerTest, ADepartedPlayerIsNotRemovedTwice) {
  ledger.prepare("1", crossing("w", "x"));
  home.players = {"anna"};  // a token of the backend has brought her here
  on(Kind::departed, "1", crossing("w", "x"));
  EXPECT_EQ(home.players, Players{"anna"});
  EXPECT_EQ(ledger.state().left.size(), 1u);
}

TEST_F(CrossingLedgerTest, AFullWorldTakesPlayersLater) {
  home.full = true;
  on(Kind::arriving, "1", crossing("x", "w"));
  ledger.prepare("2", crossing("w", "x", "bert"));
  on(Kind::refused, "2");
  EXPECT_EQ(ledger.waiting(), 2u);
  EXPECT_EQ(ledger.state().saved_ids().size(), 0u) << "a save would not have them";
  EXPECT_EQ(ledger.state().prepared.size(), 1u) << "a save has them here";
  home.full = false;
  ledger.retry();
  EXPECT_EQ(home.players, (Players{"anna", "bert"}));
  EXPECT_EQ(ledger.waiting(), 0u);
}

TEST_F(CrossingLedgerTest, ARestoredWorldFollowsWhatWasDecided) {
  home.players = {"anna", "bert"};
  LedgerState saved{.version = 3, .prepared = {{"3", crossing("w", "x", "carl")}, {"4", crossing("w", "x", "dora")}}};
  const std::vector<Crossing> existing{{"1", crossing("w", "x", "anna")},   // left after the save
                                       {"2", crossing("x", "w", "emil")},   // arriving
                                       {"3", crossing("w", "x", "carl")}};  // decided after the save
  ASSERT_TRUE(ledger.restore(saved, existing, 3));
  EXPECT_EQ(home.players, (Players{"bert", "dora", "emil"}));
  EXPECT_EQ(ledger.state().left, (std::set<std::string>{"1", "3"}));
  EXPECT_TRUE(ledger.state().prepared.empty());
}

TEST_F(CrossingLedgerTest, ARestoredWorldKnowsWhatItWasSavedWith) {
  home.players = {"anna"};
  const LedgerState saved{.version = 3, .left = {"1", "7"}, .arrived = {"2", "8"}};
  ASSERT_TRUE(ledger.restore(saved, {{"1", crossing("w", "x")}, {"2", crossing("x", "w")}}, 2));
  EXPECT_EQ(home.players, Players{"anna"});
  EXPECT_EQ(ledger.state().saved_ids(), (std::vector<std::string>{"1", "2"})) << "the others are settled";
}

// Anna has arrived and left again since the save.
TEST_F(CrossingLedgerTest, APlayerWhoHasLeftAgainIsNotTaken) {
  for (const bool full : {false, true}) {
    home = {};
    home.full = full;
    CrossingLedger restored("w", home);
    ASSERT_TRUE(restored.restore({}, {{"9", crossing("x", "w")}, {"1", crossing("w", "y")}}, 0));
    home.full = false;
    restored.retry();
    EXPECT_EQ(home.players, Players()) << full;
    EXPECT_EQ(restored.state().saved_ids().size(), 2u);
  }
}

// An owner since the save has taken Anna back, and sent her elsewhere.
TEST_F(CrossingLedgerTest, APlayerWhoWasTakenBackAndLeftIsNotTaken) {
  for (const bool full : {false, true}) {
    home = {};
    home.full = full;
    CrossingLedger restored("w", home);
    ASSERT_TRUE(restored.restore({.prepared = {{"1", crossing("w", "x")}}}, {{"2", crossing("w", "y")}}, 0));
    home.full = false;
    restored.retry();
    EXPECT_EQ(home.players, Players()) << full;
    EXPECT_EQ(restored.state().saved_ids(), std::vector<std::string>{"2"});
    EXPECT_TRUE(restored.state().prepared.empty());
    EXPECT_EQ(restored.waiting(), 0u);
  }
}

TEST_F(CrossingLedgerTest, AnOldSaveIsRefusedAndChangesNothing) {
  const core::Status restored = ledger.restore({.version = 3}, {{"1", crossing("x", "w")}}, 4);
  ASSERT_FALSE(restored);
  EXPECT_STREQ(restored.error().reason, "old save");
  EXPECT_EQ(home.players, Players());
}

TEST_F(CrossingLedgerTest, EachChangeHasANewVersion) {
  std::uint64_t last = ledger.state().version;
  const auto expect_newer = [&] { EXPECT_GT(ledger.state().version, std::exchange(last, ledger.state().version)); };
  ledger.prepare("1", crossing("w", "x"));
  expect_newer();
  on(Kind::departed, "1", crossing("w", "x"));
  expect_newer();
  on(Kind::arriving, "2", crossing("x", "w"));
  expect_newer();
}

}  // namespace ledger_test
}  // namespace mobula::cluster
