#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/core/log.hpp>
#include <workload/purrnet.hpp>

namespace mobula::bench {
namespace {

class Purrnet : public testing::Test {
 protected:
  void TearDown() override { core::set_log_level(core::LogLevel::info); }

  static PurrnetOptions few(Motion motion) {
    PurrnetOptions options;
    options.motion = motion;
    options.clients = 4;
    options.objects = 12;
    options.ticks_per_second = 60;
    options.seconds = 0.5;
    options.settle_seconds = 0.1;
    options.latency = "5ms";
    return options;
  }
};

void expect_right(const PurrnetReport& report, const PurrnetOptions& options) {
  EXPECT_TRUE(is_right(report));
  EXPECT_GT(report.compared, 0u);
  EXPECT_GT(report.verified_ticks, 0u);
  EXPECT_GT(report.server.ticks, 0u);
  EXPECT_GT(report.server.cpu, 0);
  EXPECT_GT(report.server.delta_bytes, 0u);
  EXPECT_GT(report.server.bytes_down, report.server.delta_bytes);
  EXPECT_GE(report.server.datagrams_down, report.server.ticks * options.clients / 2);
  EXPECT_GT(report.server.bytes_up, 0u);
}

TEST_F(Purrnet, PosesAreWithinTheTolerance) {
  for (const Motion motion : {Motion::wander, Motion::move_y}) {
    PurrnetOptions options = few(motion);
    options.tolerance = {.position = 0.02, .rotation = 0.01};
    const PurrnetReport report = run_purrnet(options).value();
    expect_right(report, options);
    EXPECT_LE(report.worst.position, 0.0201);
    EXPECT_GT(report.worst.position, 0.002);
    EXPECT_LE(report.worst.rotation, 0.01001);
  }
}

TEST_F(Purrnet, PosesAreWithinHalfAStepWithoutDeadReckoning) {
  PurrnetOptions options = few(Motion::wander);
  options.tolerance = {};
  const PurrnetReport report = run_purrnet(options).value();
  expect_right(report, options);
  EXPECT_LE(report.worst.position, 0.000502);
  EXPECT_LE(report.worst.rotation, 0.00105);
}

TEST_F(Purrnet, RefusesABadLatency) {
  PurrnetOptions options = few(Motion::wander);
  options.latency = "soon";
  EXPECT_STREQ(run_purrnet(options).error().reason, "bad value");
}

TEST_F(Purrnet, ReportsWhyTheServerDoesNotStart) {
  PurrnetOptions options = few(Motion::wander);
  options.tolerance = {.position = 1e-9, .rotation = 0.01};
  const core::Error error = run_purrnet(options).error();
  EXPECT_STREQ(error.reason, "server ended");
  EXPECT_THAT(error.message, testing::HasSubstr("position"));
}

TEST(PurrnetReport, CountsHeadersOfUdpAndIp) {
  PurrnetOptions options;
  options.clients = 10;
  options.objects = 50;
  PurrnetReport report;
  report.server = {.ticks = 2,
                   .datagrams_down = 20,
                   .bytes_down = 440,
                   .datagrams_up = 20,
                   .bytes_up = 440,
                   .delta_bytes = 400,
                   .cpu = 100 * core::microsecond,
                   .phases = {}};
  report.worst = {.position = 0.25, .rotation = 0.5};
  report.compared = 7;
  report.missing = 3;
  EXPECT_EQ(to_json(report, options),
            R"({"wire_bytes_per_update":1.000,"goodput_bytes_per_update":0.400,"kB_per_client_and_second":1.000,)"
            R"("kB_up_per_client_and_second":1.000,"server_us_per_client_and_tick":5.00,)"
            R"("worst_position_error":0.250000,"worst_rotation_error":0.500000,"compared":7,"missing":3,)"
            R"("mismatches":0})");
  EXPECT_THAT(to_table(report, options), testing::HasSubstr("server: 5.00 us"));
}

}  // namespace
}  // namespace mobula::bench
