#include <client/client_bench.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mobula::bench {
namespace {

TEST(ClientBench, BothClientsHaveTheSameMirror) {
  const ClientReport report = run_clients({.entities = 40, .ticks = 30, .joins = 1}).value();
  EXPECT_EQ(report.mismatches, 0u);
  EXPECT_GT(report.verified_ticks, 10u);
  EXPECT_GT(report.cpp.changes, 10) << "all move, and most follow a course";
  EXPECT_NEAR(report.cpp.changes, report.c.changes, 1);
  EXPECT_GT(report.c_by_cpp, 0);
  EXPECT_GT(report.first_entity_cpp_ms, 0);
  EXPECT_GT(report.first_entity_c_ms, 0);
}

TEST(ClientBench, JsonHasTheKeysThatOthersRead) {
  ClientReport report;
  report.entities = 7;
  report.c_by_cpp = 1.25;
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["entities"], 7);
  EXPECT_EQ(json["c_by_cpp"], 1.25);
  for (const char* key : {"cpp_us_per_tick", "c_us_per_tick", "first_entity_cpp_ms", "first_entity_c_ms",
                          "shared_library_bytes", "static_library_bytes", "mismatches"})
    EXPECT_TRUE(json.contains(key)) << key;
}

}  // namespace
}  // namespace mobula::bench
