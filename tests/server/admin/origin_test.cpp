#include <gtest/gtest.h>

#include <mobula/server/admin/origin.hpp>

namespace mobula::server::admin {
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

}  // namespace
}  // namespace mobula::server::admin
