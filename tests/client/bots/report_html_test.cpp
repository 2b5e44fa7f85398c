#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/report_html.hpp>
#include <client/bots/reports.hpp>

namespace mobula::client {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string html_of(const BotsReport& report) {
  return to_html(report, judge(report, limits_of({*parse_limit("p99_interval_ms<=60")}, report.clients, true)));
}

// Checks that every element is closed, in order.
void expect_well_formed(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find("<body"); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::string tag = html.substr(at + 1, html.find('>', at) - at - 1);
    if (tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    if (tag == "/html") break;
    ASSERT_FALSE(open.empty()) << tag;
    EXPECT_EQ("/" + open.back(), tag);
    open.pop_back();
  }
  EXPECT_THAT(open, testing::IsEmpty());
}

TEST(ReportHtml, IsSelfContained) {
  const std::string html = html_of(test::some_report());
  EXPECT_THAT(html, testing::StartsWith("<!doctype html>"));
  for (const char* part : {"http:", "https:", "src=", "<script", "<link", "@import", "url("})
    EXPECT_THAT(html, Not(HasSubstr(part)));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  expect_well_formed(html);
}

TEST(ReportHtml, HasConditionsAndResults) {
  const std::string html = html_of(test::some_report());
  for (const char* part : {"Load test: 20 bots, 10 s", "2023-11-14 22:13:20 UTC", "✗ 4 of 5 limits not met",
                           "wander=70,churn=30", "0 to 20", "<code>p99_interval_ms&lt;=60</code>",
                           "mobula-bots --connect &#39;&lt;there&gt;&#39; --clients 20", "timed out"})
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_THAT(html, HasSubstr("server full: &lt;no&gt; room &amp; &quot;none&quot;"));
  EXPECT_THAT(html, Not(HasSubstr("<there>")));
}

TEST(ReportHtml, HasASectionOfPredictions) {
  const std::string html = html_of(test::report_of_predictions());
  EXPECT_THAT(html, HasSubstr("<h2>Predictions</h2>"));
  EXPECT_THAT(html, HasSubstr("<td>remote mispredictions</td><td class=\"n\">3</td>"));
  EXPECT_THAT(html, HasSubstr("<td>level mispredictions</td><td class=\"n\">5</td>"));
  EXPECT_THAT(html, HasSubstr("<td>max correction cm</td><td class=\"n\">100</td>"));
  expect_well_formed(html);
  EXPECT_THAT(html_of(test::some_report()), Not(HasSubstr("<h2>Predictions")));
}

TEST(ReportHtml, IsValidForAnEmptyRun) {
  const std::string html = html_of(test::empty_report());
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  expect_well_formed(html);
}

}  // namespace
}  // namespace mobula::client
