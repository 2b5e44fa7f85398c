#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/chart.hpp>
#include <cmath>

namespace mobula::client {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Axis, HasFewRoundSteps) {
  for (const double greatest : {0.003, 0.7, 1.0, 4.9, 5.0, 52.0, 99.0, 100.0, 123456.0, 7e9}) {
    const double step = axis_step(greatest, 5);
    EXPECT_LE(greatest / step, 5 + 1e-9) << greatest;
    EXPECT_GE(greatest / step, 1.99) << greatest;
    const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    EXPECT_TRUE(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6) << digit;
  }
}

TEST(Axis, LabelsAreShort) {
  EXPECT_EQ(axis_label(0), "0");
  EXPECT_EQ(axis_label(12.5), "12.5");
  EXPECT_EQ(axis_label(2000), "2000");
  EXPECT_EQ(axis_label(20'000), "20k");
  EXPECT_EQ(axis_label(1'500'000), "1.5M");
}

TEST(Html, EscapesText) { EXPECT_EQ(escape_html("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"); }

TEST(Chart, DrawsGapsWhereNothingWasMeasured) {
  const double none = std::nan("");
  const Chart chart{.title = "A & B",
                    .unit = " ms",
                    .times = {1, 2, 3, 4, 5, 6},
                    .lines = {{"p50", {10, 20, none, 20, 10, none}}, {"p99", {none, none, 7, none, none, none}}}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count_of(svg, "class=\"line a"), 2u) << "two pieces";
  EXPECT_EQ(count_of(svg, "class=\"line b dot"), 1u) << "one value is a dot";
  EXPECT_THAT(svg, HasSubstr("aria-label=\"A &amp; B\""));
  EXPECT_THAT(svg, HasSubstr("p50 20 ms"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Chart, DrawsALimitAndTheBeginningsOfSteps) {
  const Chart chart{
      .title = "x", .unit = "", .times = {1, 2}, .lines = {{"a", {1, 2}}}, .limit = 60, .steps = {1, 1.5}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count_of(svg, "class=\"limit\""), 1u);
  EXPECT_EQ(count_of(svg, "class=\"step\""), 2u);
  EXPECT_THAT(svg, HasSubstr(">60</text>")) << "the axis reaches it";
}

TEST(Chart, IsEmptyWithoutValues) {
  const std::string svg = to_svg({.title = "x", .unit = "", .times = {}, .lines = {{"a", {}}}});
  EXPECT_EQ(count_of(svg, "class=\"line"), 0u);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Chart, BoundsTheNumberOfHints) {
  Chart chart{.title = "x", .unit = "", .times = {}, .lines = {{"a", {}}}};
  for (int i = 1; i <= 600; ++i) {
    chart.times.push_back(60 * i);
    chart.lines[0].values.push_back(i);
  }
  const std::string svg = to_svg(chart);
  EXPECT_LE(count_of(svg, "<rect"), 150u);
  EXPECT_THAT(svg, HasSubstr("10:00 h"));
}

}  // namespace
}  // namespace mobula::client
