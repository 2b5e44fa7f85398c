#include <gtest/gtest.h>

#include <mobula/server/admin/url.hpp>

namespace mobula::server::admin {
namespace {

TEST(AdminUrl, PercentEncodingIsDecodedOrRefused) {
  EXPECT_EQ(percent_decoded("values%5B3%5d"), "values[3]");
  EXPECT_EQ(percent_decoded("a%00b"), std::string("a\0b", 3));
  EXPECT_EQ(percent_decoded(""), "");
  EXPECT_EQ(percent_decoded("%25%25"), "%%");
  for (const char* bad : {"%", "a%", "%4", "%g0", "%0g", "%%41", "% 1"}) EXPECT_EQ(percent_decoded(bad), std::nullopt);
}

TEST(AdminUrl, APathMatchesAPatternPartByPart) {
  Parameters found;
  EXPECT_TRUE(matches("/api/entities/{handle}/{component}", "/api/entities/8.1/Fog", found));
  EXPECT_EQ(found, (Parameters{{"component", "Fog"}, {"handle", "8.1"}}));
  found.clear();
  for (const char* path : {"/api/entities/8.1", "/api/entities/8.1/", "/api/entities/8.1/Fog/", "api/entities/8.1/Fog",
                           "/api/entities//Fog", "/api/Entities/8.1/Fog", "/api/entities/8.1/Fog/x", "", "/",
                           "/api/entities/8.1/%", "////"}) {
    EXPECT_FALSE(matches("/api/entities/{handle}/{component}", path, found)) << path;
    EXPECT_TRUE(found.empty());
  }
  EXPECT_TRUE(matches("/live", "/live", found));
  EXPECT_TRUE(matches("/", "/", found));
  EXPECT_FALSE(matches("/", "", found));
  EXPECT_FALSE(matches("/live", "/live/", found));
  EXPECT_FALSE(matches("/live", "/live%20", found));
}

TEST(AdminUrl, ATargetHasAPathAQueryAndPerhapsAnAuthority) {
  const auto parts = [](std::string_view target) {
    const Target split = split_target(target);
    return std::string(split.authority) + '|' + std::string(split.path) + '|' + std::string(split.query);
  };
  EXPECT_EQ(parts("/live"), "|/live|");
  EXPECT_EQ(parts("/live?"), "|/live|");
  EXPECT_EQ(parts("/api/pools?a=1?b"), "|/api/pools|a=1?b");
  EXPECT_EQ(parts("http://localhost:7780/live?x"), "localhost:7780|/live|x");
  EXPECT_EQ(parts("HTTP://[::1]:7780"), "[::1]:7780|/|");
  EXPECT_EQ(parts("http://localhost?x"), "localhost|/|x");
  for (const char* path : {"", "*", "//live", "http:///live", "http://", "https://localhost/live", "localhost:7780"})
    EXPECT_EQ(parts(path), '|' + std::string(path) + '|');
}

TEST(AdminUrl, AQueryIsSplitIntoNamesAndValues) {
  Parameters found;
  EXPECT_TRUE(parse_query("a=1&b=x+y%2B&c&d=e=f", found).ok());
  EXPECT_EQ(found, (Parameters{{"a", "1"}, {"b", "x y+"}, {"c", ""}, {"d", "e=f"}}));
  found.clear();
  EXPECT_TRUE(parse_query("", found).ok());
  EXPECT_FALSE(parse_query("a=1&a=2", found).ok());
  found.clear();
  EXPECT_FALSE(parse_query("a=%", found).ok());
  EXPECT_FALSE(parse_query("%=1", found).ok());
  std::string many;
  for (int i = 0; i < 100; ++i) many += "p" + std::to_string(i) + "&";
  EXPECT_FALSE(parse_query(many, found).ok());
  found.clear();
  EXPECT_FALSE(parse_query(std::string(16'000, '&'), found).ok());
}

}  // namespace
}  // namespace mobula::server::admin
