#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/agones/sidecar_messages.hpp>
#include <server/agones/sidecar_model.hpp>

namespace mobula::agones {
namespace sidecar_messages_test {

std::string reason(std::string_view json) {
  const core::Result<GameServer> read = read_game_server(json);
  return read ? "" : read.error().reason;
}

TEST(SidecarUrl, HasThePortOfTheEnvironment) {
  EXPECT_EQ(*sidecar_url(nullptr), "http://127.0.0.1:9358");
  EXPECT_EQ(*sidecar_url(""), "http://127.0.0.1:9358");
  EXPECT_EQ(*sidecar_url("59358"), "http://127.0.0.1:59358");
}

TEST(SidecarUrl, RefusesWhatIsNoPort) {
  for (const char* const port : {"0", "65536", "-1", "x", "9358 ", "0x10", "99999999999999999999"}) {
    const core::Result<std::string> url = sidecar_url(port);
    ASSERT_FALSE(url.ok()) << port;
    EXPECT_STREQ(url.error().reason, "bad port");
    EXPECT_NE(url.error().message.find(port), std::string::npos) << url.error().message;
  }
}

// The forms are those of site/content/en/docs/Guides/Client SDKs/rest.md.
TEST(SidecarMessages, BodiesAreThoseOfThePublishedInterface) {
  EXPECT_EQ(empty_json, "{}");
  EXPECT_EQ(reserve_json(5), R"({"seconds":"5"})");
  EXPECT_EQ(counter_path("players"), "/v1beta1/counters/players");
  EXPECT_EQ(counter_json({5, 11}), R"({"capacity":"11","count":"5"})");
}

TEST(SidecarMessages, ACounterWithoutCapacityLeavesIt) { EXPECT_EQ(counter_json({5, 0}), R"({"count":"5"})"); }

TEST(SidecarMessages, ACountAboveTheCapacityIsSentAsFull) {
  EXPECT_EQ(counter_json({12, 11}), R"({"capacity":"11","count":"11"})");
}

TEST(SidecarMessages, AnAnsweredCounterHasItsCount) {
  EXPECT_EQ(*read_counter(R"({"name":"rooms", "count":"5", "capacity":"11"})"), 5);
  EXPECT_EQ(*read_counter(R"({"count":"0"})"), 0);
  for (const char* const wrong : {"", "{}", "7", R"({"count":5})", R"({"count":"-1"})", R"({"count":"5x"})",
                                  R"({"count":"9223372036854775808"})", R"({"count":null})"})
    EXPECT_FALSE(read_counter(wrong).ok()) << wrong;
}

// The answer of rest.md.
TEST(GameServerAnswer, HasStateAddressAndPorts) {
  const core::Result<GameServer> read = read_game_server(R"({
    "object_meta": {"name": "local", "namespace": "default", "uid": "1234", "resource_version": "v1",
      "generation": "1", "creation_timestamp": "1531795395", "annotations": {"annotation": "true"},
      "labels": {"islocal": "true"}},
    "status": {"state": "Ready", "address": "127.0.0.1", "ports": [{"name": "default", "port": 7777}]}})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->state, "Ready");
  EXPECT_EQ(read->address, "127.0.0.1");
  EXPECT_FALSE(read->deleted);
  ASSERT_EQ(read->ports.size(), 1);
  EXPECT_EQ(read->ports[0].name, "default");
  EXPECT_EQ(read->ports[0].port, 7777);
}

// The gateway writes fields without a value: empty, 0 or null.
TEST(GameServerAnswer, FieldsWithoutValueAreMissing) {
  const core::Result<GameServer> read =
      read_game_server(R"({"object_meta":{"deletion_timestamp":"0"},"spec":null,)"
                       R"("status":{"state":"Scheduled","address":"","ports":[],"players":null}})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->deleted);
  EXPECT_EQ(read->address, "");
  EXPECT_TRUE(read->ports.empty());
  EXPECT_TRUE(read_game_server(R"({"object_meta":null,"status":{"state":"Ready","ports":null}})").ok());
}

TEST(GameServerAnswer, ATimeOfDeletionIsNoticed) {
  const core::Result<GameServer> read =
      read_game_server(R"({"object_meta":{"deletion_timestamp":"1531795999"},"status":{"state":"Ready"}})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->deleted);
}

TEST(GameServerAnswer, OtherFormsAreRefused) {
  const std::string long_name(name_bytes_max + 1, 'x');
  const std::vector<std::string> wrong{
      "",
      "[]",
      "{}",
      "<html>",
      R"({"status":1})",
      R"({"status":{}})",
      R"({"status":{"state":""}})",
      R"({"status":{"state":7}})",
      R"({"status":{"state":"Re\nady"}})",
      R"({"status":{"state":")" + long_name + R"("}})",
      R"({"status":{"state":"Ready","address":[]}})",
      R"({"status":{"state":"Ready","ports":{}}})",
      R"({"status":{"state":"Ready","ports":[7]}})",
      R"({"status":{"state":"Ready","ports":[{"name":"game"}]}})",
      R"({"status":{"state":"Ready","ports":[{"name":"game","port":0}]}})",
      R"({"status":{"state":"Ready","ports":[{"name":"game","port":65536}]}})",
      R"({"status":{"state":"Ready","ports":[{"name":"game","port":-1}]}})",
      R"({"status":{"state":"Ready","ports":[{"name":7,"port":1}]}})",
      R"({"object_meta":[],"status":{"state":"Ready"}})",
      R"({"object_meta":{"deletion_timestamp":"soon"},"status":{"state":"Ready"}})",
      R"({"object_meta":{"deletion_timestamp":5},"status":{"state":"Ready"}})",
  };
  for (const std::string& each : wrong) EXPECT_EQ(reason(each), "bad answer") << each;
}

TEST(GameServerAnswer, TooManyPortsAreRefused) {
  std::string ports;
  for (std::size_t i = 0; i < ports_max; ++i) ports += R"({"name":"p","port":7},)";
  const std::string begin = R"({"status":{"state":"Ready","ports":[)";
  EXPECT_EQ(reason(begin + ports.substr(0, ports.size() - 1) + "]}}"), "");
  EXPECT_EQ(reason(begin + ports + R"({"name":"p","port":7}]}})"), "bad answer");
}

TEST(GameServerAnswer, DamagedAnswersAreReadOrRefused) {
  test::SidecarModel model;
  const std::string good = model.answer({"GET", "/gameserver", ""}).body;
  ASSERT_EQ(reason(good), "");
  core::Random random(1);
  for (int i = 0; i < 5'000; ++i) {
    std::string damaged = good;
    const auto size = static_cast<std::uint32_t>(damaged.size());
    for (std::uint32_t changes = 1 + random.below(4); changes > 0; --changes)
      damaged[random.below(size)] = static_cast<char>(random.below(256));
    if (random.chance(1, 4)) damaged.resize(random.below(size));
    const core::Result<GameServer> read = read_game_server(damaged);
    if (!read) {
      ASSERT_STREQ(read.error().reason, "bad answer");
      continue;
    }
    ASSERT_FALSE(read->state.empty());
    ASSERT_LE(read->state.size(), name_bytes_max);
  }
}

}  // namespace sidecar_messages_test
}  // namespace mobula::agones
