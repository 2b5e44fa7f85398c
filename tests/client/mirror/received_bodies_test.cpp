#include <gtest/gtest.h>

#include <mobula/client/mirror/received_bodies.hpp>

namespace mobula::client {
namespace {

wire::DeltaBody body_part(std::uint32_t number, std::uint32_t offset, std::uint32_t size, std::size_t bytes) {
  return {.number = number, .offset = offset, .size = size, .bytes = core::Bytes(bytes, std::byte{1})};
}

TEST(ReceivedBodies, ABodyIsThereOnceAllPartsAre) {
  ReceivedBodies bodies;
  ASSERT_TRUE(bodies.add(body_part(1, 0, 10, 6)).ok());
  EXPECT_EQ(bodies.find(1), nullptr);
  ASSERT_TRUE(bodies.add(body_part(1, 6, 10, 4)).ok());
  ASSERT_NE(bodies.find(1), nullptr);
  EXPECT_EQ(bodies.find(1)->size(), 10u);
  EXPECT_EQ(bodies.find(2), nullptr);
  EXPECT_EQ(bodies.find(0), nullptr);
}

TEST(ReceivedBodies, AnUnfinishedOneIsDroppedWhenAnotherBegins) {
  ReceivedBodies bodies;
  ASSERT_TRUE(bodies.add(body_part(1, 0, 10, 6)).ok());
  ASSERT_TRUE(bodies.add(body_part(3, 0, 2, 2)).ok());
  EXPECT_NE(bodies.find(3), nullptr);
  EXPECT_EQ(bodies.add(body_part(1, 6, 10, 4)).error().reason, std::string_view("malformed delta"));
  EXPECT_EQ(bodies.find(1), nullptr);
}

TEST(ReceivedBodies, PartsWithGapsOrOldNumbersAreRefused) {
  ReceivedBodies bodies;
  EXPECT_FALSE(bodies.add(body_part(1, 1, 10, 6)).ok());
  ASSERT_TRUE(bodies.add(body_part(2, 0, 10, 6)).ok());
  EXPECT_FALSE(bodies.add(body_part(2, 5, 10, 4)).ok());
  EXPECT_FALSE(bodies.add(body_part(2, 7, 10, 3)).ok());
  EXPECT_FALSE(bodies.add(body_part(2, 6, 11, 4)).ok());
  EXPECT_FALSE(bodies.add(body_part(2, 0, 10, 6)).ok());
  EXPECT_FALSE(bodies.add(body_part(1, 0, 10, 6)).ok());
  EXPECT_TRUE(bodies.add(body_part(2, 6, 10, 4)).ok());
}

TEST(ReceivedBodies, OnlyTheNewestAreKept) {
  ReceivedBodies bodies;
  for (std::uint32_t number = 1; number <= 9; ++number) ASSERT_TRUE(bodies.add(body_part(number, 0, 1, 1)).ok());
  EXPECT_EQ(bodies.find(1), nullptr);
  EXPECT_NE(bodies.find(2), nullptr);
  EXPECT_NE(bodies.find(9), nullptr);
  ASSERT_TRUE(bodies.add(body_part(20, 0, 1, 1)).ok());
  EXPECT_EQ(bodies.find(9), nullptr);
}

}  // namespace
}  // namespace mobula::client
