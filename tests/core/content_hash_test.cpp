#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/content_hash.hpp>
#include <string_view>

namespace mobula::core::content_hash_test {
namespace {

ByteView bytes_of(std::string_view text) { return as_bytes(text.data(), text.size()); }

// Values from another implementation (Python's hashlib).
TEST(ContentHash, IsBlake2bOf256Bits) {
  EXPECT_EQ(to_string(content_hash({})), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(to_string(content_hash(bytes_of("abc"))),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(ContentHash, KeyedHashIsKeyedBlake2b) {
  SecretKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  EXPECT_EQ(to_string(keyed_hash(key, bytes_of("abc"))),
            "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f");
  const ContentHash before = keyed_hash(key, {});
  key[31] ^= std::byte{1};
  EXPECT_NE(keyed_hash(key, {}), before) << "every byte of the key counts";
}

TEST(ContentHash, EqualInConstantTimeMeansEqual) {
  const ContentHash hash = content_hash(bytes_of("abc"));
  EXPECT_TRUE(equal_in_constant_time(hash.bytes, hash.bytes));
  EXPECT_TRUE(equal_in_constant_time({}, {}));
  EXPECT_FALSE(equal_in_constant_time(hash.bytes, ByteView(hash.bytes).first(31))) << "sizes differ";
  for (std::size_t bit = 0; bit < 256; ++bit) {
    ContentHash other = hash;
    other.bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_FALSE(equal_in_constant_time(hash.bytes, other.bytes));
    EXPECT_NE(hash, other);
  }
}

}  // namespace
}  // namespace mobula::core::content_hash_test
