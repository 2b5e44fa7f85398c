#include <gtest/gtest.h>

#include <mobula/core/secret_stream.hpp>
#include <set>

namespace mobula::core {
namespace {

SecretKey key_of(int number) {
  SecretKey key{};
  key[0] = static_cast<std::byte>(number);
  return key;
}

Bytes next_bytes(SecretStream& stream, std::size_t size) {
  Bytes bytes(size);
  stream.fill(bytes);
  return bytes;
}

TEST(SecretStream, BytesDependOnlyOnTheKey) {
  SecretStream one(key_of(1));
  SecretStream same(key_of(1));
  SecretStream other(key_of(2));
  for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{31}, std::size_t{32}, std::size_t{100}}) {
    const Bytes bytes = next_bytes(one, size);
    EXPECT_EQ(bytes, next_bytes(same, size));
    const Bytes different = next_bytes(other, size);
    if (size >= 8) {
      EXPECT_NE(bytes, different);
    }
  }
}

TEST(SecretStream, NeverRepeatsABlock) {
  SecretStream stream(key_of(3));
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(seen.insert(stream.next()).second);
  const Bytes bytes = next_bytes(stream, 64);
  EXPECT_NE(Bytes(bytes.begin(), bytes.begin() + 32), Bytes(bytes.begin() + 32, bytes.end()));
}

}  // namespace
}  // namespace mobula::core
