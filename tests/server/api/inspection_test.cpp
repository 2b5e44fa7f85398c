#include <gtest/gtest.h>

#include <ecs/allocations.hpp>
#include <mobula/server/admin/request_queue.hpp>
#include <mobula/server/replication/component_bytes.hpp>
#include <server/api/api_world.hpp>

namespace mobula::server {
namespace {

TEST(Inspection, ATickAllocatesNothingWithoutQueries) {
  test::ApiWorld world;
  world.ticks(3);
  admin::RequestQueue queue;
  const std::uint64_t before = ecs::test::allocations();
  for (int i = 0; i < 1000; ++i) {
    world.inspection.note_tick();
    queue.serve(core::millisecond);
  }
  EXPECT_EQ(ecs::test::allocations(), before);
}

// Rows are differences of counters, so they add up to the counters.
TEST(Inspection, RowsAddUp) {
  test::ApiWorld world;
  core::Nanoseconds delays = 0;
  core::Nanoseconds durations = 0;
  for (int i = 0; i < 20; ++i) {
    const core::Nanoseconds due = world.pacer.due();
    world.pacer.begin(due + 100 * i);
    world.village.tick();
    world.pacer.end(due + 100 * i + 77);
    world.inspection.note_tick();
    delays += 100 * i;
    durations += 77;
  }
  const TickLog& ticks = world.inspection.ticks();
  ASSERT_EQ(ticks.end(), 20u);
  for (std::uint64_t row = 0; row < 20; ++row) {
    EXPECT_EQ(ticks.row(row).tick, row + 1);
    delays -= ticks.row(row).start_delay;
    durations -= ticks.row(row).duration;
  }
  EXPECT_EQ(delays, 0);
  EXPECT_EQ(durations, 0);
}

TEST(TickLog, KeepsTheLastRows) {
  const auto log = std::make_unique<TickLog>();
  EXPECT_EQ(log->first(), 0u);
  for (ecs::Tick tick = 1; tick <= 1000; ++tick) log->add({.tick = tick});
  EXPECT_EQ(log->end(), 1000u);
  EXPECT_EQ(log->first(), 1000u - TickLog::rows_max);
  for (std::uint64_t row = log->first(); row < log->end(); ++row) EXPECT_EQ(log->row(row).tick, row + 1);
  EXPECT_EQ(log->phase(TickPhase::seal).count(), 1000u);
}

TEST(ComponentBytes, AreListedLargestFirst) {
  ComponentBytes sent{.bytes = 100};
  sent.add(std::array<ecs::PoolId, 2>{3, 1}, std::array<std::uint32_t, 2>{200, 300});
  sent.add(std::array<ecs::PoolId, 1>{3}, std::array<std::uint32_t, 1>{10});
  EXPECT_EQ(sent.by_size(),
            (std::vector<std::pair<ecs::PoolId, std::uint64_t>>{{1, 300}, {ecs::no_pool, 290}, {3, 210}}));
}

}  // namespace
}  // namespace mobula::server
