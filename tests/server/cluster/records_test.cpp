#include <gtest/gtest.h>

#include <mobula/server/cluster/records.hpp>

namespace mobula::cluster {
namespace records_test {

const NodeRecord node{.game = "0123", .version = "0.2.0", .admin = "http://a:7780", .worlds_max = 16, .draining = true};
const LoadRecord load{.worlds = 3, .players = 120, .tick_percent = 43};
const WorldRecord open_world{.game = "0123",
                             .state = WorldState::open,
                             .epoch = epoch_max,
                             .node = "a",
                             .run = 9'007'199'254'740'993,
                             .addresses = {"udp://a:7777", "ws://a:80"}};

TEST(Records, ReadBackWhatTheyWrite) {
  EXPECT_EQ(*parse_node(to_json(node)), node);
  EXPECT_EQ(*parse_load(to_json(load)), load);
  EXPECT_EQ(*parse_world(to_json(open_world)), open_world);
  const WorldRecord waiting{.game = "0123", .epoch = 2, .trouble = "no such level"};
  EXPECT_EQ(*parse_world(to_json(waiting)), waiting);
  const WorldRecord failed{.game = "0123", .epoch = 2, .trouble = "no such level", .failed_on = "a"};
  EXPECT_EQ(*parse_world(to_json(failed)), failed);
}

TEST(Records, IgnoreUnknownFields) {
  EXPECT_EQ(parse_load(R"({"worlds":3,"players":120,"tick_percent":43,"later":[1]})").value(), load);
}

TEST(Records, RefuseOtherForms) {
  for (const char* text : {"", "null", "[]", "{", "7", R"({"worlds":-1})", R"({"worlds":1.5})", R"({"worlds":"3"})",
                           R"({"worlds":4294967296})", R"({"players":null})"}) {
    const core::Result<LoadRecord> read = parse_load(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_STREQ(read.error().reason, "bad record") << text;
  }
  for (const char* text : {"{}", R"({"game":""})", R"({"game":7})", R"({"game":"x","draining":1})"})
    EXPECT_FALSE(parse_node(text).ok()) << text;
}

TEST(Records, AnOpenWorldHasAnOwnerAndAWaitingOneHasNone) {
  for (const char* text :
       {R"({"game":"x"})", R"({"game":"x","state":"lost"})", R"({"game":"x","state":"open"})",
        R"({"game":"x","state":"open","node":"a","run":"5"})", R"({"game":"x","state":"open","node":"a","epoch":"1"})",
        R"({"game":"x","state":"placed","node":"../a","run":"5","epoch":"1"})",
        R"({"game":"x","state":"placed","node":"a","run":"-5","epoch":"1"})",
        R"({"game":"x","state":"placed","node":"a","run":5,"epoch":"1"})",
        R"({"game":"x","state":"placed","node":"a","run":"5x","epoch":"1"})",
        R"({"game":"x","state":"placed","node":"a","run":"5","epoch":"9007199254740993"})",
        R"({"game":"x","state":"waiting","node":"a"})", R"({"game":"x","state":"waiting","run":"5"})",
        R"({"game":"x","state":"waiting","addresses":["udp://a:1"]})",
        R"({"game":"x","state":"waiting","failed_on":"../a"})",
        R"({"game":"x","state":"placed","node":"a","run":"5","epoch":"1","failed_on":"b"})",
        R"({"game":"x","state":"open","node":"a","run":"5","epoch":"1","addresses":[7]})"})
    EXPECT_FALSE(parse_world(text).ok()) << text;
}

TEST(Records, ACrossingReadsBackWithItsBytes) {
  const CrossingRecord crossing{.source = "a",
                                .target = "b",
                                .account = "anna",
                                .name = "Anna",
                                .pack = core::Bytes(1000, std::byte{0xff}),
                                .schema = "0123",
                                .schema_at = 1000,
                                .data = core::Bytes(3),
                                .left = true};
  EXPECT_EQ(*parse_crossing(to_json(crossing)), crossing);
  EXPECT_EQ(*parse_ledger(to_json(LedgerRecord{epoch_max})), LedgerRecord{epoch_max});
  const auto spoilt = [&](const auto& spoil) {
    CrossingRecord other = crossing;
    spoil(other);
    return !parse_crossing(to_json(other)).ok();
  };
  EXPECT_TRUE(spoilt([](CrossingRecord& other) { other.target = "a"; }));
  EXPECT_TRUE(spoilt([](CrossingRecord& other) { other.source = "../a"; }));
  EXPECT_TRUE(spoilt([](CrossingRecord& other) { other.account.clear(); }));
  EXPECT_TRUE(spoilt([](CrossingRecord& other) { ++other.schema_at; })) << "a cut beyond the pack";
  EXPECT_TRUE(spoilt([](CrossingRecord& other) { other.name.resize(crossing_bytes_max, 'x'); }));
  EXPECT_TRUE(spoilt([](CrossingRecord& other) { other.data.resize(crossing_bytes_max); }));
  const std::string text = to_json(crossing);
  for (std::size_t bytes = 0; bytes < text.size(); bytes += 7) EXPECT_FALSE(parse_crossing(text.substr(0, bytes)).ok());
}

TEST(Records, ACrossingBetweenZonesNeedsNoAccount) {
  CrossingRecord crossing{.source = "m.a", .target = "m.b", .entities = {"17.1", "18.4"}, .pack = core::Bytes(9)};
  EXPECT_EQ(*parse_crossing(to_json(crossing)), crossing);
  crossing.entities.assign(crossing_bytes_max / 4, "17.1");
  EXPECT_FALSE(parse_crossing(to_json(crossing)).ok()) << "they count";
  crossing.entities.clear();
  EXPECT_FALSE(parse_crossing(to_json(crossing)).ok()) << "nothing crosses";
}

TEST(Records, TheNameOfAZoneFollowsThatOfItsMap) {
  EXPECT_EQ(zone_name("land.west").map, "land");
  EXPECT_EQ(zone_name("land.west").zone, "west");
  EXPECT_EQ(zone_name("old.land.west").map, "old.land");
  EXPECT_EQ(zone_name("lobby").map, "");
}

TEST(Records, TextThatIsNotUtf8IsReplaced) {
  WorldRecord waiting{.game = "0123", .trouble = "no file \xff"};
  EXPECT_EQ(parse_world(to_json(waiting))->trouble, "no file \xef\xbf\xbd");
}

}  // namespace records_test
}  // namespace mobula::cluster
