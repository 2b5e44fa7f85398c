#include <gtest/gtest.h>

#include <mobula/core/base64.hpp>

namespace mobula::core {
namespace {

Bytes bytes_of(std::string_view text) {
  const ByteView view = as_bytes(text.data(), text.size());
  return {view.begin(), view.end()};
}

TEST(Base64, MatchesTheVectorsOfRfc4648) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"},
                                                         {"\xfb\xff", "+/8="}};
  for (const auto& [plain, text] : vectors) {
    EXPECT_EQ(to_base64(bytes_of(plain)), text);
    EXPECT_EQ(from_base64(text), bytes_of(plain));
  }
}

TEST(Base64, EveryLengthRoundTrips) {
  Bytes bytes;
  for (int i = 0; i < 2'050; ++i) {
    const std::string text = to_base64(bytes);
    ASSERT_EQ(text.size(), (bytes.size() + 2) / 3 * 4);
    ASSERT_EQ(from_base64(text), bytes);
    bytes.push_back(static_cast<std::byte>(i * 7));
  }
}

TEST(Base64, RefusesAnyOtherText) {
  for (const char* bad : {"Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9", "Zm9=", "Zm9v\n", " Zm9v", "Zm 9v",
                          "-_8=", "====", "Zg==Zg==", "Zm9v="}) {
    EXPECT_FALSE(from_base64(bad)) << bad;
  }
  EXPECT_FALSE(from_base64(std::string_view("Zm9v\0", 5)));
}

TEST(Base64, AcceptsExactlySixtyFourCharacters) {
  int digits = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text{'Z', static_cast<char>(byte), '9', 'v'};
    const std::optional<Bytes> bytes = from_base64(text);
    EXPECT_TRUE(!bytes || to_base64(*bytes) == text) << byte;
    digits += bytes ? 1 : 0;
  }
  EXPECT_EQ(digits, 64);
}

}  // namespace
}  // namespace mobula::core
