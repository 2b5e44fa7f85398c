#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/reflect/quantise.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

Quantiser quantiser(const std::shared_ptr<const Schema>& schema, std::string_view path = "value") {
  return Quantiser(*schema->find("C")->find_field(path));
}

TEST(Quantise, EveryStepSurvivesTheRoundTrip) {
  for (const char* range : {"range:\"-512 512\", step:\"0.01\"", "range:\"-32 32\", step:\"0.01\"",
                            "range:\"0 1\", step:\"0.01\"", "range:\"-0.3 0.7\", step:\"0.1\"",
                            "range:\"1000000 1000001\", step:\"0.125\"", "range:\"3.3 4.7\", bits:\"17\""}) {
    SCOPED_TRACE(range);
    const auto schema = test::load_schema(std::string("struct C (component) { value:float (default:\"") +
                                          (range[7] == '1'   ? "1000000"
                                           : range[7] == '3' ? "4"
                                                             : "0") +
                                          "\", " + range + "); }");
    const Quantiser quantiser_of = quantiser(schema);
    const std::uint64_t steps = schema->find("C")->find_field("value")->steps;
    for (std::uint64_t q = 0; q <= steps; ++q) {
      const auto value = static_cast<float>(quantiser_of.value(q));
      ASSERT_EQ(quantiser_of.quantise(static_cast<double>(value)), q);
    }
  }
}

TEST(Quantise, TheFinestAcceptedDoubleSurvivesTheRoundTrip) {
  const auto schema = test::load_schema("struct C (component) { value:double (range:\"-1000 1000\", bits:\"32\"); }");
  const Quantiser quantiser_of = quantiser(schema);
  core::Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t q = random.below(0xffffffffu);
    ASSERT_EQ(quantiser_of.quantise(quantiser_of.value(q)), q);
  }
  EXPECT_EQ(quantiser_of.quantise(quantiser_of.value(0xffffffffu)), 0xffffffffu);
}

TEST(Quantise, RoundsClampsAndMapsNanToLow) {
  const auto schema = test::load_schema("struct C (component) { value:float (range:\"-1 1\", step:\"0.25\"); }");
  const Quantiser quantiser_of = quantiser(schema);
  EXPECT_EQ(quantiser_of.quantise(-1), 0u);
  EXPECT_EQ(quantiser_of.quantise(0.1), 4u);
  EXPECT_EQ(quantiser_of.quantise(0.13), 5u);
  EXPECT_EQ(quantiser_of.quantise(0.99), 8u);
  EXPECT_EQ(quantiser_of.quantise(-7), 0u);
  EXPECT_EQ(quantiser_of.quantise(1e30), 8u);
  EXPECT_EQ(quantiser_of.quantise(std::numeric_limits<double>::infinity()), 8u);
  EXPECT_EQ(quantiser_of.quantise(-std::numeric_limits<double>::infinity()), 0u);
  EXPECT_EQ(quantiser_of.quantise(std::numeric_limits<double>::quiet_NaN()), 0u);
}

TEST(Quantise, ZeroIsExactlyZero) {
  const auto schema = test::load_schema("struct C (component) { value:float (range:\"-0.3 0.7\", step:\"0.1\"); }");
  const Quantiser quantiser_of = quantiser(schema);
  EXPECT_EQ(quantiser_of.value(3), 0.0);
  EXPECT_FALSE(std::signbit(quantiser_of.value(3)));
}

}  // namespace
}  // namespace mobula::reflect
