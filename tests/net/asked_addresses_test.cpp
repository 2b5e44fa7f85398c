#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/net/asked_addresses.hpp>

namespace mobula::net {
namespace {

using transport::Address;

AskedAddresses::Ip ip(std::uint8_t last) { return Address::v4(10, 0, 0, last, 0).ip; }
Address peer(std::uint32_t number) {
  return Address::v4(11, static_cast<std::uint8_t>(number >> 16), static_cast<std::uint8_t>(number >> 8),
                     static_cast<std::uint8_t>(number), 7);
}

TEST(AskedAddresses, RemembersWhoAsksElsewhere) {
  AskedAddresses asked;
  EXPECT_EQ(asked.find(peer(1)), AskedAddresses::Ip{});
  asked.note(peer(1), ip(1));
  EXPECT_EQ(asked.find(peer(1)), ip(1));
  EXPECT_EQ(asked.find(peer(2)), ip(1)) << "the usual one";
  EXPECT_EQ(asked.size(), 0u) << "a machine of one address needs no memory";
  asked.note(peer(2), ip(2));
  EXPECT_EQ(asked.find(peer(2)), ip(2));
  asked.note(peer(2), ip(3));
  EXPECT_EQ(asked.find(peer(2)), ip(3));
  asked.note(peer(2), ip(1));
  EXPECT_EQ(asked.find(peer(2)), ip(1));
  EXPECT_EQ(asked.size(), 0u);
}

TEST(AskedAddresses, ForgetsThoseThatWereSilentLongest) {
  AskedAddresses asked;
  asked.note(peer(0), ip(1));
  for (std::uint32_t i = 1; i <= 3 * AskedAddresses::peers_max; ++i) {
    asked.note(peer(i), ip(2));
    if (i % 1000 == 0) asked.note(peer(1), ip(3));
    ASSERT_LE(asked.size(), AskedAddresses::peers_max);
  }
  EXPECT_EQ(asked.find(peer(1)), ip(3)) << "it goes on sending";
  EXPECT_EQ(asked.find(peer(2)), ip(1));
  EXPECT_EQ(asked.find(peer(3 * AskedAddresses::peers_max)), ip(2));
}

}  // namespace
}  // namespace mobula::net
