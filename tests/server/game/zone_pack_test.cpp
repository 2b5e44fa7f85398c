#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/game/zone_pack.hpp>

namespace mobula::server {
namespace {

const ZonePack pack{.bytes = core::Bytes(7, std::byte{9}),
                    .entities = {{1, 2}, {3, 4}, {70'000, 1u << 20}},
                    .others = {{5, 6}},
                    .player = {3, 4}};

TEST(ZonePack, IsReadAsItWasWritten) {
  for (const ecs::Entity player : {pack.player, ecs::null_entity}) {
    ZonePack written = pack;
    written.player = player;
    const core::Result<ZonePack> read = parse_zone_pack(to_bytes(written));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->bytes, written.bytes);
    EXPECT_EQ(read->entities, written.entities);
    EXPECT_EQ(read->others, written.others);
    EXPECT_EQ(read->player, player);
  }
}

TEST(ZonePack, BytesThatEndEarlyAreRefused) {
  const core::Bytes bytes = to_bytes(pack);
  const std::size_t handles_end = 16 + 8 * 4;
  for (std::size_t size = 0; size < handles_end; ++size)
    EXPECT_FALSE(parse_zone_pack(core::ByteView(bytes).first(size)).ok()) << size;
  EXPECT_TRUE(parse_zone_pack(core::ByteView(bytes).first(handles_end)).ok());
}

TEST(ZonePack, WrongNumbersAreRefused) {
  const auto refuses = [](std::size_t at, std::uint32_t number) {
    core::Bytes bytes = to_bytes(pack);
    core::store(bytes.data() + at, number);
    return !parse_zone_pack(bytes).ok();
  };
  EXPECT_TRUE(refuses(0, 2)) << "version";
  EXPECT_TRUE(refuses(4, 3)) << "player";
  EXPECT_TRUE(refuses(8, 0)) << "no entity";
  EXPECT_TRUE(refuses(8, ~0u));
  EXPECT_TRUE(refuses(12, ~0u));
  EXPECT_TRUE(refuses(12, 0x2000'0000)) << "a size that wraps";
}

}  // namespace
}  // namespace mobula::server
