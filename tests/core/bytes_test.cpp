#include <gtest/gtest.h>

#include <array>
#include <mobula/core/bytes.hpp>

namespace mobula::core {
namespace {

TEST(Bytes, ValuesAreLittleEndianAtAnyAddress) {
  std::array<std::byte, 12> buffer{};
  for (std::size_t at = 0; at <= 4; ++at) {
    store(&buffer[at], 0x0123456789abcdefull);
    EXPECT_EQ(buffer[at], std::byte{0xef});
    EXPECT_EQ(buffer[at + 7], std::byte{0x01});
    EXPECT_EQ(load<std::uint64_t>(&buffer[at]), 0x0123456789abcdefull);
    EXPECT_EQ(load<std::uint16_t>(&buffer[at + 1]), 0xabcdu);
  }
}

TEST(Bytes, AViewOfValuesCoversAllOfThem) {
  const std::array<std::uint32_t, 3> values{1, 2, 0xff000000u};
  const ByteView view = as_bytes(values.data(), values.size());
  ASSERT_EQ(view.size(), 12u);
  EXPECT_EQ(view[4], std::byte{2});
  EXPECT_EQ(view[11], std::byte{0xff});
}

TEST(Bytes, AlignUpReturnsTheNextMultiple) {
  static_assert(align_up(0, 8) == 0 && align_up(1, 8) == 8 && align_up(8, 8) == 8 && align_up(9, 8) == 16);
  EXPECT_EQ(align_up(7, 1), 7u);
  EXPECT_EQ(align_up(7, 6), 12u);
}

}  // namespace
}  // namespace mobula::core
