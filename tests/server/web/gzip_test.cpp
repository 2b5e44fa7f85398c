#include <cstdint>
#include <mobula/server/web/gzip.hpp>
#include <random>
#include <server/web/gunzip.hpp>

namespace mobula::server::web {
namespace {

// Bytes as Python's gzip.compress and zlib.crc32 have them.
TEST(Gzip, HasTheFormatOfOtherPrograms) {
  using namespace std::string_literals;
  EXPECT_EQ(gzip(""), "\x1f\x8b\x08\0\0\0\0\0\x02\xff\x03\0\0\0\0\0\0\0\0\0"s);
  const std::string packed = gzip("123456789");
  EXPECT_EQ(packed.substr(packed.size() - 8), "\x26\x39\xf4\xcb\x09\0\0\0"s) << "the checksum of CRC-32, and the size";
}

TEST(Gzip, ContentIsWhatItWas) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {1u, 2u, 300u, 65'535u, 65'536u, 300'000u}) {
    for (const unsigned letters : {1u, 2u, 30u, 256u}) {
      std::string content(size, '\0');
      for (char& c : content) c = static_cast<char>(random() % letters);
      const std::string packed = gzip(content);
      EXPECT_TRUE(gunzip(packed, size) == content) << size << " bytes of " << letters;
      if (letters <= 2 && size >= 300) EXPECT_LT(packed.size(), size / 2);
    }
  }
}

}  // namespace
}  // namespace mobula::server::web
