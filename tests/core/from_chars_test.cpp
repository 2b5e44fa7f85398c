#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mobula/core/from_chars.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/random.hpp>
#include <string>
#include <vector>

namespace mobula::core {
namespace {

struct ParsedText {
  double value = -7;  // stays if there is no number
  std::size_t length = 0;
  std::errc error{};
};

ParsedText parsed(const std::string& text, std::chars_format format = std::chars_format::general) {
  ParsedText result;
  const auto [end, error] = core::from_chars(text.data(), text.data() + text.size(), result.value, format);
  result.length = static_cast<std::size_t>(end - text.data());
  result.error = error;
  return result;
}

double value_of(const std::string& text) {
  const ParsedText result = parsed(text);
  EXPECT_EQ(result.error, std::errc()) << text;
  EXPECT_EQ(result.length, text.size()) << text;
  return result.value;
}

// Returns a decimal number with at most 25 digits and mostly in range.
std::string random_number(Random& random) {
  std::string text = random.chance(1, 2) ? "-" : "";
  for (std::uint32_t left = 1 + random.below(20); left > 0; --left) text += static_cast<char>('0' + random.below(10));
  text += '.';
  for (std::uint32_t left = 1 + random.below(5); left > 0; --left) text += static_cast<char>('0' + random.below(10));
  return text + 'e' + std::to_string(static_cast<std::int32_t>(random.below(600)) - 310);
}

TEST(FromChars, NumbersAreTheNearestDoubles) {
  EXPECT_EQ(value_of("0"), 0.0);
  EXPECT_TRUE(std::signbit(value_of("-0")));
  EXPECT_EQ(value_of("0.1"), 0.1);
  EXPECT_EQ(value_of("-12.5e3"), -12500.0);
  EXPECT_EQ(value_of("9007199254740993"), 9007199254740992.0) << "halfway, to the even one";
  EXPECT_EQ(value_of("9007199254740993.00000000000000000000000000001"), 9007199254740994.0) << "above halfway";
  EXPECT_EQ(value_of("2.2250738585072011e-308"), 0x0.fffffffffffffp-1022);
  EXPECT_EQ(value_of("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(value_of("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(FromChars, NumbersOutOfRangeChangeNothing) {
  for (const std::string text : {"1e309", "-1e400", "1e-400", "-2.4703282292062327e-324"}) {
    const ParsedText result = parsed(text);
    EXPECT_EQ(result.error, std::errc::result_out_of_range) << text;
    EXPECT_EQ(result.length, text.size()) << text;
    EXPECT_EQ(result.value, -7) << text;
  }
}

TEST(FromChars, TextThatIsNoNumberChangesNothing) {
  for (const std::string text : {"", "-", "+1", " 1", ".", "e5", "x1"}) {
    const ParsedText result = parsed(text);
    EXPECT_EQ(result.error, std::errc::invalid_argument) << text;
    EXPECT_EQ(result.length, 0u) << text;
    EXPECT_EQ(result.value, -7) << text;
  }
}

TEST(FromChars, ParsingEndsBehindTheNumber) {
  EXPECT_EQ(parsed("1.5x").length, 3u);
  EXPECT_EQ(parsed("1e").length, 1u);
  EXPECT_EQ(parsed("1,5").length, 1u) << "whatever the locale";
  EXPECT_EQ(parsed("1e5", std::chars_format::fixed).length, 1u);
  EXPECT_EQ(parsed("1e5", std::chars_format::fixed).value, 1.0);
}

TEST(FromChars, RandomNumbersMatchTheLibraryOfC) {
  Random random(20);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_number(random);
    const double expected = std::strtod(text.c_str(), nullptr);
    const ParsedText result = parsed(text);
    if (result.error == std::errc::result_out_of_range) {
      ASSERT_TRUE(expected == 0 || std::isinf(expected)) << text;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(result.value), std::bit_cast<std::uint64_t>(expected)) << text;
    }
  }
}

TEST(FromChars, ValuesAreTheSameOnEveryPlatform) {
  Random random(21);
  std::uint64_t hash = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(parsed(random_number(random)).value);
    hash = hash64({reinterpret_cast<const std::byte*>(&bits), sizeof bits}, hash);
  }
  EXPECT_EQ(hash, 0x77fc8117ef295003ull);
}

}  // namespace
}  // namespace mobula::core
