#include <gtest/gtest.h>

#include <mobula/core/hash.hpp>
#include <set>
#include <string>

namespace mobula::core {
namespace {

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  return hash64(as_bytes(text.data(), text.size()), seed);
}

// Golden values: prototype and state hashes are compared between machines.
TEST(Hash, IsXxh3) {
  EXPECT_EQ(hash_of(""), 0x2d06800538d394c2ull);
  EXPECT_EQ(hash_of("abc"), 0x78af5f94892f3950ull);
  EXPECT_EQ(hash_of("abc", 1), 0x6b4467b443c76228ull);
  EXPECT_EQ(hash_of(std::string(1000, 'x')), 0xc0a4877b962cba82ull);
}

TEST(Hash, EveryByteAndTheSeedCount) {
  std::set<std::uint64_t> seen;
  std::string text(300, '\0');
  seen.insert(hash_of(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = 1;
    EXPECT_TRUE(seen.insert(hash_of(changed)).second) << "byte " << i;
    EXPECT_TRUE(seen.insert(hash_of(text.substr(0, i))).second) << i << " bytes";
    EXPECT_TRUE(seen.insert(hash_of(text, i + 1)).second) << "seed " << i + 1;
  }
}

}  // namespace
}  // namespace mobula::core
