#include <gmock/gmock.h>

#include <array>
#include <client/c/c_world.hpp>
#include <cstring>

namespace mobula::c {
namespace {

struct Level {
  mobula_result result;
  std::array<std::uint8_t, MOBULA_HASH_BYTES> hash{};
  core::Bytes bytes;
};

class CLevels : public test::CWorld {
 protected:
  Level next() {
    Level level{};
    const void* bytes = nullptr;
    std::uint64_t size = 0;
    level.result = mobula_client_next_level(client(), level.hash.data(), &bytes, &size);
    if (level.result == MOBULA_OK) {
      const auto* const begin = static_cast<const std::byte*>(bytes);
      level.bytes.assign(begin, begin + size);
    }
    return level;
  }
  mobula_result add(const core::Bytes& bytes) { return mobula_client_add_level(client(), bytes.data(), bytes.size()); }
  // Joins without a level and returns the one that the server sends.
  core::Bytes download() {
    join(MOBULA_LEVELS);
    Level level{};
    EXPECT_TRUE(village.tick_until([&] { return (level = next()).result == MOBULA_OK; })) << guest->reason().second;
    const core::ContentHash identity = test::hamlet()->identity();
    EXPECT_EQ(std::memcmp(level.hash.data(), &identity, sizeof identity), 0);
    return level.bytes;
  }
};

TEST_F(CLevels, AServersLevelIsReceivedOnce) {
  const core::Bytes level = download();
  const core::ByteView expected = test::hamlet()->clients_bytes();
  EXPECT_EQ(level, core::Bytes(expected.begin(), expected.end()));
  village.ticks(10);
  EXPECT_EQ(next().result, MOBULA_NOTHING);
}

TEST_F(CLevels, AKeptLevelIsNotSentAgain) {
  const core::Bytes level = download();
  guest.reset();
  village.ticks(5);
  join(MOBULA_LEVELS);
  ASSERT_EQ(add(level), MOBULA_OK) << test::error_text();
  EXPECT_EQ(add(level), MOBULA_OK) << "twice does no harm";
  ASSERT_TRUE(guest->play()) << guest->reason().second;
  EXPECT_GT(guest->status().entities, 80u);
  village.ticks(20);
  EXPECT_EQ(next().result, MOBULA_NOTHING) << "the host has given it";
  EXPECT_EQ(guest->statistics().mismatched_ticks, 0u);
  EXPECT_LT(guest->statistics().bytes_received, level.size() + 20'000);
}

TEST_F(CLevels, ADamagedLevelIsRefusedWhereverItIsDamaged) {
  const core::Bytes level = download();
  for (std::size_t at = 0; at < level.size(); at += 1 + level.size() / 100) {
    core::Bytes damaged = level;
    damaged[at] ^= std::byte{0x10};
    EXPECT_EQ(add(damaged), MOBULA_ERROR_BAD_LEVEL) << at;
    damaged = level;
    damaged.resize(at + 1);
    EXPECT_EQ(add(damaged), MOBULA_ERROR_BAD_LEVEL) << at;
  }
}

TEST_F(CLevels, OtherBytesThanAClientsLevelAreRefused) {
  join(MOBULA_LEVELS);
  const core::ByteView whole = test::hamlet()->bytes();
  EXPECT_EQ(add(core::Bytes(whole.begin(), whole.end())), MOBULA_ERROR_BAD_LEVEL) << "it has the server's part too";
  EXPECT_EQ(add(core::Bytes(1)), MOBULA_ERROR_BAD_LEVEL);
  EXPECT_EQ(mobula_client_add_level(client(), "x", ~std::uint64_t{0}), MOBULA_ERROR_TOO_LARGE);
  EXPECT_EQ(mobula_client_add_level(client(), nullptr, 5), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(guest->play()) << "the client remains usable";
}

TEST_F(CLevels, AClientWithoutLevelsHasNone) {
  join();
  EXPECT_EQ(add(core::Bytes(16)), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(next().result, MOBULA_ERROR_WRONG_STATE);
}

TEST_F(CLevels, ANewTokenAnnouncesALevelThatWasAddedSince) {
  const core::Bytes level = download();
  guest = std::make_unique<test::Guest>(village, std::uint32_t{MOBULA_LEVELS});
  guest->close(guest->seat.port);
  ASSERT_EQ(add(level), MOBULA_OK);
  guest->reconnect(test::test_token(90), village.now);
  ASSERT_TRUE(guest->play()) << guest->reason().second;
  village.ticks(20);
  EXPECT_EQ(next().result, MOBULA_NOTHING);
}

}  // namespace
}  // namespace mobula::c
