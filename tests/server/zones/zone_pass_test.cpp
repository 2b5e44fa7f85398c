#include <mobula/server/zones/zone_pass.hpp>

#include <gtest/gtest.h>

namespace mobula::server {
namespace {

core::SecretKey key_of(int number) {
  core::SecretKey key{};
  key.fill(static_cast<std::byte>(number));
  return key;
}

TEST(ZonePass, HoldsForOneClientIdAndKey) {
  const transport::UserData pass = zone_pass(3, 77, key_of(1));
  EXPECT_EQ(read_zone_pass({77, pass}, key_of(1)), 3u);
  EXPECT_FALSE(read_zone_pass({78, pass}, key_of(1)));
  EXPECT_FALSE(read_zone_pass({77, pass}, key_of(2)));
}

TEST(ZonePass, ADamagedOneIsNone) {
  for (std::size_t i = 0; i < 52; ++i) {
    transport::UserData pass = zone_pass(3, 77, key_of(1));
    pass[i] ^= std::byte{4};
    EXPECT_FALSE(read_zone_pass({77, pass}, key_of(1))) << i;
  }
}

TEST(ZonePass, AnAccountIsNone) {
  transport::UserData account{};
  EXPECT_FALSE(read_zone_pass({77, account}, key_of(1))) << "a guest";
  account.fill(std::byte{'a'});
  EXPECT_FALSE(read_zone_pass({77, account}, key_of(1)));
}

}  // namespace
}  // namespace mobula::server
