#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mobula/reflect/json_number.hpp>
#include <string>

namespace mobula::reflect {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_zero(const std::string& text) {
  EXPECT_EQ(read_json_number(text), 0.0) << text;
  EXPECT_EQ(std::signbit(read_json_number(text)), text.starts_with('-')) << text;
}

TEST(JsonNumber, ANumberTooSmallIsZeroWithItsSign) {
  const std::string zeros(400, '0');
  for (const std::string& text :
       {std::string("1e-400"), std::string("9.99E-9999"), "0." + zeros + "1", "0." + zeros + "1e5",
        "123" + zeros + "e-900", std::string("1e-99999999999999999999999"), std::string("1e-9223372036854775808"),
        std::string("0.0e99999")}) {
    expect_zero(text);
    expect_zero("-" + text);
  }
}

TEST(JsonNumber, ANumberTooLargeIsInfinite) {
  const std::string zeros(400, '0');
  for (const std::string& text :
       {std::string("1e400"), std::string("0.01E+9999"), "1" + zeros, "1" + zeros + ".5", "1" + zeros + "e-20",
        "0." + zeros + "1e900", std::string("1e99999999999999999999999"), std::string("1e9223372036854775807")}) {
    EXPECT_EQ(read_json_number(text), infinity) << text;
    EXPECT_EQ(read_json_number("-" + text), -infinity) << text;
  }
}

TEST(JsonNumber, OtherNumbersAreTheNearestDouble) {
  EXPECT_EQ(read_json_number("-0.1"), -0.1);
  EXPECT_EQ(read_json_number("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(read_json_number("4.9e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(read_json_number("-3e-324"), -std::numeric_limits<double>::denorm_min()) << "nearer to it than to zero";
  EXPECT_EQ(read_json_number("1" + std::string(400, '0') + "e-400"), 1.0);
  expect_zero("0");
  expect_zero("-0.0");
}

TEST(JsonNumber, DigitsOfAWholeNumberAreExact) {
  const std::pair<const char*, const char*> table[] = {
      {"100", "100"},
      {"100.0", "100"},
      {"1e2", "100"},
      {"-1.50e1", "-15"},
      {"0.05e2", "5"},
      {"1000e-3", "1"},
      {"0", "0"},
      {"-0.0", "-0"},
      {"0e999", "0"},
      {"007", "7"},
      {"1e20", "100000000000000000000"},
      {"1e99999999999999999999", "100000000000000000000"},
      {"18446744073709551615.0", "18446744073709551615"},
      {"1234567890123456789012345", "123456789012345678901"},
  };
  for (const auto& [text, digits] : table) EXPECT_EQ(whole_digits(text), digits) << text;
  for (const char* fraction : {"0.5", "1e-1", "125e-1", "1.0000000000000000000000001", "1e-99999999999999999999"})
    EXPECT_EQ(whole_digits(fraction), std::nullopt) << fraction;
}

TEST(JsonNumber, OtherTextIsRefused) {
  for (const char* text : {"", "x", "1x", "1e-400 ", "--1"}) EXPECT_TRUE(std::isnan(read_json_number(text))) << text;
}

}  // namespace
}  // namespace mobula::reflect
