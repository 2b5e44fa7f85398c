// Counts courses of a world in an interval, on request.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/server/replication/published.hpp>
#include <vector>

namespace mobula::server {

/// Measuring starts with the first request and stops after 10 s without one. Costs nothing between requests.
class CourseMeter {
 public:
  struct Interval {
    core::Nanoseconds length = 0;
    std::uint64_t new_courses = 0;
    std::uint64_t checks = 0;
  };
  /// Returns the counts of a unit since the measurement began. `unit` is its place in RowCodec::courses().
  Interval measure(const Published& published, ecs::PoolId pool, std::size_t unit, core::Nanoseconds now);

 private:
  void begin(const Published& published, core::Nanoseconds now);

  bool runs_ = false;
  core::Nanoseconds since_ = 0;
  core::Nanoseconds asked_at_ = 0;
  std::vector<std::vector<CourseStats>> first_;  // by pool and unit: counts when the measurement began
};

}  // namespace mobula::server
