#include <gtest/gtest.h>

#include <bench_test/steered.hpp>
#include <mobula/server/session/server_config.hpp>
#include <replication/replication_bench.hpp>

namespace mobula::bench {
namespace {

ReplicationOptions small() {
  ReplicationOptions options;
  options.walkers.entities = options.walkers.moving = 60;
  options.walkers.view = 20;
  options.clients = 12;
  options.seconds = 2;
  return options;
}

void expect_good(const ReplicationReport& report, const ReplicationOptions& options) {
  EXPECT_EQ(report.clients, options.clients);
  EXPECT_EQ(report.mismatches, 0u);
  EXPECT_GT(report.verified_ticks, 0u);
  EXPECT_GT(report.costs.sum(), 0);
  EXPECT_GT(report.bytes_per_moving_entity, 0);
  EXPECT_LE(report.tick_p50_ms, report.tick_p99_ms);
}

TEST(Replication, MirrorsAreRightAndViewsHaveTheirSize) {
  const ReplicationOptions options = small();
  const ReplicationReport report = run_replication(options).value();
  expect_good(report, options);
  EXPECT_GT(report.compared, 0u);
  EXPECT_GT(report.moving_per_client_tick, 10);
  EXPECT_LT(report.moving_per_client_tick, 30);
}

TEST(Replication, EverybodySeesAllThereIs) {
  ReplicationOptions options = small();
  options.walkers.view = options.walkers.entities;
  options.loss_percent = 0;
  const ReplicationReport report = run_replication(options).value();
  expect_good(report, options);
  EXPECT_DOUBLE_EQ(report.moving_per_client_tick, options.walkers.moving);
  EXPECT_LT(report.states_per_client_tick, options.walkers.moving / 2) << "most keep their course";
}

// The page's commands run with 5,000 clients, the server's default limit is 1,024.
TEST(Replication, MoreClientsThanAServersDefaultJoin) {
  ReplicationOptions options = small();
  options.clients = server::ServerConfig().players_max + 1;
  options.walkers.view = 1;
  options.walkers.moving = 2;
  options.seconds = 0.1;
  const ReplicationReport report = run_replication(options).value();
  EXPECT_EQ(report.clients, options.clients);
  EXPECT_EQ(report.mismatches, 0u);
}

// Owners have the exact value and no course, the others the course alone.
TEST(Replication, PredictedCoursesAreComparedAsReceived) {
  ReplicationOptions options = small();
  options.walkers.schema = steered::schema_bytes();
  options.walkers.view = options.walkers.entities;
  for (const std::uint32_t loss_percent : {0u, 10u}) {
    options.loss_percent = loss_percent;
    const ReplicationReport report = run_replication(options).value();
    expect_good(report, options);
    EXPECT_GT(report.compared, 0u);
  }
}

TEST(Replication, StillEntitiesTakeNoBytes) {
  ReplicationOptions options = small();
  options.walkers.view = options.walkers.entities;
  options.walkers.moving = 0;
  const ReplicationReport report = run_replication(options).value();
  EXPECT_EQ(report.mismatches, 0u);
  EXPECT_EQ(report.states_per_client_tick, 0);
}

TEST(Replication, RunsOverSocketsToo) {
  ReplicationOptions options = small();
  options.sockets = true;
  options.seconds = 0.5;
  expect_good(run_replication(options).value(), options);
}

TEST(Replication, JsonHasTheKeysThatOthersRead) {
  ReplicationReport report;
  report.clients = 7;
  report.mismatches = 2;
  EXPECT_EQ(to_json(report),
            R"({"clients":7,"cpu_us_per_client_tick":0.000,"publish_us":0.000,"choose_us":0.000,"encode_us":0.000,)"
            R"("seal_us":0.000,"send_us":0.000,"receive_us":0.000,"bytes_per_moving_entity":0.000,)"
            R"("tick_p50_ms":0.000,"tick_p99_ms":0.000,"mismatches":2})");
}

}  // namespace
}  // namespace mobula::bench
