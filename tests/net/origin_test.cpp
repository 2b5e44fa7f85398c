#include <gtest/gtest.h>

#include <mobula/net/origin.hpp>

namespace mobula::net {
namespace {

TEST(Origin, AcceptsWhatBrowsersSend) {
  for (const std::string_view text :
       {"http://localhost:5173", "http://localhost", "https://game.example", "https://game.example:8443",
        "http://127.0.0.1:1", "http://[::1]:65535", "https://[::1]", "http://my_host-1.test:8080"})
    EXPECT_TRUE(check_origin(text)) << text;
}

TEST(Origin, RefusesWildcardsPathsAndOtherSpellings) {
  for (const std::string_view text : {"",
                                      "*",
                                      "null",
                                      "localhost:5173",
                                      "http://",
                                      "http://*",
                                      "http://*.game.example",
                                      "http://localhost:5173/",
                                      "http://localhost/path",
                                      "HTTP://localhost",
                                      "http://Localhost",
                                      "http://localhost:80",
                                      "https://localhost:443",
                                      "http://localhost:",
                                      "http://localhost:0",
                                      "http://localhost:05173",
                                      "http://localhost:65536",
                                      "http://localhost:5173 ",
                                      "http://user@localhost",
                                      "ftp://localhost",
                                      "http://local host",
                                      "http://[::1",
                                      "http://[]",
                                      "http://localhost?x",
                                      "file://"}) {
    const core::Status checked = check_origin(text);
    ASSERT_FALSE(checked) << text;
    EXPECT_STREQ(checked.error().reason, "bad origin");
    EXPECT_NE(checked.error().message.find("expected http://HOST[:PORT]"), std::string::npos);
  }
}

TEST(Origin, AcceptsTheWildcardWhereItIsAllowed) {
  EXPECT_TRUE(check_allowed_origin("*"));
  EXPECT_TRUE(check_allowed_origin("https://game.example"));
  for (const std::string_view text : {"null", "**", "https://*", "game.example"})
    EXPECT_FALSE(check_allowed_origin(text)) << text;
}

TEST(Origin, KnowsWhichPagesThisMachineServes) {
  for (const std::string_view text :
       {"http://localhost", "http://localhost:5173", "https://127.0.0.1:1", "http://127.9.9.9", "http://[::1]:8080"})
    EXPECT_TRUE(is_local_origin(text)) << text;
  for (const std::string_view text :
       {"http://game.example", "http://localhost.evil.example", "http://evil-localhost", "http://192.168.1.5:5173",
        "http://127.0.0.1.evil.example", "http://1270.0.0.1", "http://[::2]", "null", "", "*", "localhost"})
    EXPECT_FALSE(is_local_origin(text)) << text;
}

TEST(Origin, RefusesPagesOfOtherMachinesWhereOnlyLocalOnesMay) {
  EXPECT_TRUE(check_local_origin("http://localhost:5173"));
  for (const std::string_view text : {"http://game.example", "http://localhost/", "*", "null", ""}) {
    const core::Status checked = check_local_origin(text);
    ASSERT_FALSE(checked) << text;
    EXPECT_STREQ(checked.error().reason, "bad origin");
    EXPECT_NE(checked.error().message.find("HOST localhost, 127.0.0.1 or [::1]"), std::string::npos);
  }
}

TEST(Origin, TheHostIsTakenWithoutItsPort) {
  EXPECT_EQ(host_without_port("Game.Example:7778"), "game.example");
  EXPECT_EQ(host_without_port("[::1]:7778"), "[::1]");
  EXPECT_EQ(host_without_port("[::1]"), "[::1]");
  for (const std::string_view text :
       {"", ":80", "a:b", "a:0", "a:65536", "a b", "a/b", "a,b", "::1", "[]", "a\"b", "é"})
    EXPECT_EQ(host_without_port(text), "") << text;
  EXPECT_EQ(host_without_port(std::string(5000, 'x')).size(), 300u);
}

TEST(OriginPolicy, PermitsProgramsAndPagesOfTheSameHost) {
  const OriginPolicy policy;
  EXPECT_TRUE(policy.permits(std::nullopt, "here:7778")) << "programs send no origin";
  EXPECT_TRUE(policy.permits(std::nullopt, ""));
  for (const char* origin : {"http://here", "https://here", "http://here:8080", "HTTP://Here:8080"})
    for (const char* host : {"here", "here:7778", "HERE:80"}) EXPECT_TRUE(policy.permits(origin, host)) << origin;
  EXPECT_TRUE(policy.permits("http://[::1]:8080", "[::1]:7778"));
}

TEST(OriginPolicy, RefusesPagesOfOtherHosts) {
  const OriginPolicy policy;
  for (const char* origin :
       {"http://evil.example", "https://evil.example:7778", "null", "", "http://here.evil.example", "http://evilhere",
        "http://here/", "http://here:80", "here", "ftp://here", "http://here,http://here", "http://here http://here",
        "http://here@evil.example", "file://"})
    EXPECT_FALSE(policy.permits(origin, "here:7778")) << origin;
  for (const char* host : {"", ":7778", "here,here", "here:x", "there"})
    EXPECT_FALSE(policy.permits("http://here", host)) << host;
  EXPECT_FALSE(policy.permits("", "")) << "no host is the same as no host";
  EXPECT_FALSE(policy.permits("http://", ""));
}

TEST(OriginPolicy, PermitsListedOriginsByTheirExactText) {
  const OriginPolicy policy{{"https://game.example", "http://localhost:5173"}};
  for (const char* origin : {"https://game.example", "http://localhost:5173", "HTTPS://Game.Example", "http://here:1"})
    EXPECT_TRUE(policy.permits(origin, "here:7778")) << origin;
  for (const char* origin : {"http://game.example", "https://game.example:8443", "http://localhost:5174",
                             "https://www.game.example", "null", "*"})
    EXPECT_FALSE(policy.permits(origin, "here:7778")) << origin;
}

TEST(OriginPolicy, TheWildcardPermitsEveryPage) {
  const OriginPolicy policy{{"http://localhost:5173", "*"}};
  for (const char* origin : {"https://evil.example", "null", "", "anything"})
    EXPECT_TRUE(policy.permits(origin, "here:7778")) << origin;
}

}  // namespace
}  // namespace mobula::net
