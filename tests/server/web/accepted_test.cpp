#include <gtest/gtest.h>

#include <mobula/server/web/accepted.hpp>

namespace mobula::server::web {
namespace {

TEST(Accepted, GzipIsTakenWhereItIsNamed) {
  for (const char* text : {"gzip", "GZIP", "deflate, gzip;q=1.0, *;q=0.5", "gzip, deflate, br, zstd", " br , gzip ",
                           "gzip;q=0.001", "*", "br;q=1, *;q=0.1", "gzip;Q=1", ",,gzip,,"})
    EXPECT_TRUE(accepts_gzip(text)) << text;
}

TEST(Accepted, GzipIsNotTakenWhereItIsForbidden) {
  for (const char* text : {"", "br", "identity", "gzip;q=0", "gzip;q=0.000", "gzip; q=0", "*, gzip;q=0", "gzip;q=0, *",
                           "*;q=0", "xgzip", "gzip2", ";gzip", "gzip;Q=0."})
    EXPECT_FALSE(accepts_gzip(text)) << text;
}

TEST(Accepted, ATagIsFoundInAList) {
  constexpr const char* tag = "\"0123456789abcdef\"";
  for (const char* text : {"\"0123456789abcdef\"", "W/\"0123456789abcdef\"", "\"x\", \"0123456789abcdef\"",
                           "\"x\",W/\"0123456789abcdef\" ", "*", " * "})
    EXPECT_TRUE(names_tag(text, tag)) << text;
  for (const char* text : {"", "0123456789abcdef", "\"0123456789abcdef", "\"0123456789ABCDEF\"",
                           "w/\"0123456789abcdef\"", "\"0123456789abcdef-gzip\"", "\"*\"", "W/*"})
    EXPECT_FALSE(names_tag(text, tag)) << text;
}

}  // namespace
}  // namespace mobula::server::web
