#include <gtest/gtest.h>

#include <mobula/core/hex.hpp>

namespace mobula::core {
namespace {

TEST(Hex, EveryByteRoundTrips) {
  Bytes all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<std::byte>(i));
  const std::string text = to_hex(all);
  EXPECT_EQ(text.substr(0, 8), "00010203");
  EXPECT_EQ(text.substr(508), "feff");
  EXPECT_EQ(from_hex(text), all);
  EXPECT_EQ(from_hex("FeFF"), (Bytes{std::byte{0xfe}, std::byte{0xff}}));
  EXPECT_EQ(to_hex({}), "");
  EXPECT_EQ(from_hex(""), Bytes());
}

TEST(Hex, RefusesTextThatIsNotPairsOfDigits) {
  for (const char* bad : {"0", "012", "0g", "g0", " 00", "00 ", "0x00", "00:01"}) EXPECT_FALSE(from_hex(bad)) << bad;
}

}  // namespace
}  // namespace mobula::core
