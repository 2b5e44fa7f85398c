#include <gtest/gtest.h>

#include <mobula/wire/messages.hpp>

namespace mobula::wire {
namespace {

MirrorHashes some_hashes(std::size_t count) {
  MirrorHashes message{.of_level = true, .first = 5, .end = 5000, .tick = 77, .hashes = {}};
  for (std::uint32_t i = 0; i < count; ++i) message.hashes.push_back({5 + 2 * i, {i, 1 + i}, 70 + i, 1ull << 40 | i});
  return message;
}

template <class T>
bool refused(const T& message) {
  const core::Result<Message> decoded = decode_message(encode(message));
  return !decoded && std::string(decoded.error().reason) == "malformed message";
}

TEST(MirrorMessages, EveryFieldTravels) {
  const auto hashes = std::get<MirrorHashes>(*decode_message(encode(some_hashes(3))));
  EXPECT_TRUE(hashes.of_level);
  EXPECT_EQ(hashes.first, 5u);
  EXPECT_EQ(hashes.end, 5000u);
  EXPECT_EQ(hashes.tick, 77u);
  ASSERT_EQ(hashes.hashes.size(), 3u);
  EXPECT_EQ(hashes.hashes[2].place, 9u);
  EXPECT_EQ(hashes.hashes[2].entity, (ecs::Entity{2, 3}));
  EXPECT_EQ(hashes.hashes[2].tick, 72u);
  EXPECT_EQ(hashes.hashes[2].hash, 1ull << 40 | 2);

  const MirrorCorrection said{.fault = MirrorFault::missing,
                              .of_level = true,
                              .place = 9,
                              .entity = {2, 3},
                              .tick = 4,
                              .prototype = 1ull << 60,
                              .owner = true,
                              .words = {1, 0xffffffff}};
  const auto correction = std::get<MirrorCorrection>(*decode_message(encode(said)));
  EXPECT_EQ(correction.fault, MirrorFault::missing);
  EXPECT_TRUE(correction.of_level && correction.owner);
  EXPECT_EQ(correction.place, 9u);
  EXPECT_EQ(correction.entity, (ecs::Entity{2, 3}));
  EXPECT_EQ(correction.tick, 4u);
  EXPECT_EQ(correction.prototype, 1ull << 60);
  EXPECT_EQ(correction.words, said.words);

  const auto difference =
      std::get<MirrorDifference>(*decode_message(encode(MirrorDifference{{2, 3}, "Body", "tint", "1", "[2,3]"})));
  EXPECT_EQ(difference.entity, (ecs::Entity{2, 3}));
  EXPECT_EQ(difference.component, "Body");
  EXPECT_EQ(difference.field, "tint");
  EXPECT_EQ(difference.client, "1");
  EXPECT_EQ(difference.server, "[2,3]");
}

// The list is last in the buffer. Inserts four bytes before it, and moves each offset to it by four.
TEST(MirrorMessages, HashesThatLieAskewAreRefused) {
  core::Bytes bytes = encode(some_hashes(1));
  constexpr std::size_t list_bytes = 4 + 24;
  const std::size_t list = bytes.size() - list_bytes;
  int pointers = 0;
  for (std::size_t at = 0; at + 4 <= list; at += 4) {
    const auto offset = core::load<std::uint32_t>(&bytes[at]);
    if (at + offset != list) continue;
    core::store(&bytes[at], offset + 4);
    ++pointers;
  }
  ASSERT_EQ(pointers, 1);
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(list), 4, std::byte{});
  const core::Result<Message> decoded = decode_message(bytes);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().message, "MirrorHashes: the hashes are not aligned to 8 bytes");
}

TEST(MirrorMessages, ValuesOutOfBoundsAreRefused) {
  EXPECT_FALSE(refused(some_hashes(max_mirror_hashes)));
  EXPECT_LT(encode(some_hashes(max_mirror_hashes)).size(), 64u * 1024);
  EXPECT_TRUE(refused(some_hashes(max_mirror_hashes + 1)));
  for (const int wrong : {0, 1, 2, 3}) {
    MirrorHashes message = some_hashes(4);
    if (wrong == 0) std::swap(message.hashes[1], message.hashes[2]);
    if (wrong == 1) message.first = 6;
    if (wrong == 2) message.end = 11;
    if (wrong == 3) message.hashes[0].entity = {};
    EXPECT_TRUE(refused(message)) << wrong;
  }
  EXPECT_TRUE(refused(MirrorCorrection{}));
  EXPECT_TRUE(refused(MirrorCorrection{.fault = static_cast<MirrorFault>(3), .entity = {1, 1}, .words = {}}));
  EXPECT_TRUE(refused(MirrorCorrection{.entity = {1, 1}, .words = std::vector<std::uint32_t>(max_entity_words + 1)}));
  EXPECT_TRUE(refused(MirrorDifference{{}, "a", "b", "c", "d"}));
  EXPECT_TRUE(refused(MirrorDifference{{1, 1}, "a\n", "b", "c", "d"}));
  EXPECT_TRUE(refused(MirrorDifference{{1, 1}, "a", "b", std::string(257, 'c'), "d"}));
}

}  // namespace
}  // namespace mobula::wire
