#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "entity_index/table.hpp"

namespace mobula::bench {
namespace {

using testing::HasSubstr;

const std::vector<TableRow> rows{
    {10'000, {{{0.004, 1}, {0.003, 0.5}, {0.002, 0.25}, {0.001, 0.125}, {0.0005, 0.1}}}},
    {20'000, {{{0.008, 2}, {0.006, 0.5}, {0.006, 0.25}, {0.002, 0.125}, {0.001, 0.1}}}},
};

TEST(Table, IsWrittenAsJson) {
  std::ostringstream out;
  print_json(out, rows);
  EXPECT_EQ(out.str(),
            R"({"rows":[{"total":10000,"legacy_us":0.4000,"chain_us":0.2000,"mobula_us":0.1000,"cached_us":0.0500,)"
            R"("legacy_mib":1.000,"chain_mib":0.250,"mobula_mib":0.125},)"
            R"({"total":20000,"legacy_us":0.4000,"chain_us":0.3000,"mobula_us":0.1000,"cached_us":0.0500,)"
            R"("legacy_mib":2.000,"chain_mib":0.250,"mobula_mib":0.125}]})"
            "\n");
}

TEST(Table, ARowEndsWithTheTextsOwnNumbers) {
  std::ostringstream out;
  print_row(out, rows[1]);
  EXPECT_THAT(out.str(), HasSubstr("    20,000     0.0080  2.00  0.4000"));
  EXPECT_THAT(out.str(), testing::EndsWith("    5.79   0.488    0.51   0.488\n"));
}

TEST(Table, EndsWithHowManyTimesAsFastMobulaIs) {
  std::ostringstream out;
  print_ratios(out, rows);
  EXPECT_THAT(out.str(), HasSubstr("chain, by name     / Mobula, one by one  3.00 at 20,000 (2.00 to 3.00 over all"));
  EXPECT_THAT(out.str(), HasSubstr("chain, by name     / Mobula, ready       6.00 at 20,000 (4.00 to 6.00 over all"));
}

}  // namespace
}  // namespace mobula::bench
