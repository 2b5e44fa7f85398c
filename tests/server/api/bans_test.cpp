#include <gtest/gtest.h>

#include <server/api/api_world.hpp>

namespace mobula::server {
namespace {

using nlohmann::json;

class ApiBans : public testing::Test {
 protected:
  test::ApiWorld world;
};

TEST_F(ApiBans, AreAddedListedAndLifted) {
  world.village.server->set_unix_time(1000);
  EXPECT_EQ(world.send("PUT", "/api/bans/eve", R"({"reason": "cheating", "seconds": 60})").json,
            (json{{"account", "eve"}, {"reason", "cheating"}, {"until_unix_seconds", 1060}}));
  EXPECT_EQ(world.send("PUT", "/api/bans/a%2Fb%20c").json,
            (json{{"account", "a/b c"}, {"reason", "by an administrator"}, {"until_unix_seconds", nullptr}}));
  const json first = world.get("/api/bans?limit=1");
  EXPECT_EQ(first["bans"][0]["account"], "a/b c");
  const json second = world.get("/api/bans?limit=1&cursor=" + first["next"].get<std::string>());
  EXPECT_EQ(second["bans"][0]["account"], "eve");
  EXPECT_EQ(second["next"], nullptr);
  EXPECT_EQ(world.send("DELETE", "/api/bans/eve").json, (json{{"account", "eve"}}));
  EXPECT_EQ(world.send("DELETE", "/api/bans/eve").code(), "not_banned");
  EXPECT_EQ(world.get("/api/bans")["bans"].size(), 1u);
}

TEST_F(ApiBans, EverySpellingOfAUrlNamesTheSameAccount) {
  const std::string account = "\xc5\x81ukasz";
  for (const std::string& spelling : {std::string("%C5%81ukasz"), std::string("%c5%81%75kasz"), account}) {
    SCOPED_TRACE(spelling);
    EXPECT_EQ(world.send("PUT", "/api/bans/" + spelling).json["account"], account);
    EXPECT_EQ(world.get("/api/bans")["bans"].size(), 1u);
  }
  EXPECT_EQ(world.send("DELETE", "/api/bans/%c5%81UKASZ").code(), "not_banned") << "letters of another case";
  EXPECT_EQ(world.send("PUT", "/api/bans/%C3%A9").status, 200u);
  EXPECT_EQ(world.send("DELETE", "/api/bans/e%CC%81").code(), "not_banned") << "another spelling of the letter";
  EXPECT_EQ(world.send("PUT", "/api/bans/0xc581756b61737a").code(), "no_account") << "hex of printable text";
}

TEST_F(ApiBans, AnInvalidBanChangesNothing) {
  for (const char* body : {"[]", R"({"reason": ""})", R"({"reason": 1})", R"({"seconds": -1})", R"({"seconds": 1.5})",
                           R"({"seconds": 3153600001})", R"({"second": 1})", R"({"reason": "a\nb"})"})
    EXPECT_EQ(world.send("PUT", "/api/bans/eve", body).status, 400u) << body;
  EXPECT_EQ(world.send("PUT", "/api/bans/" + std::string(1025, 'x')).code(), "too_long");
  EXPECT_EQ(world.send("PUT", "/api/bans/").status, 404u);
  EXPECT_EQ(world.get("/api/bans")["bans"].size(), 0u);
}

}  // namespace
}  // namespace mobula::server
