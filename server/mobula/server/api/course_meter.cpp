#include <mobula/server/api/course_meter.hpp>
#include <mobula/server/replication/component_bytes.hpp>

namespace mobula::server {

CourseMeter::Interval CourseMeter::measure(const Published& published, ecs::PoolId pool, std::size_t unit,
                                           core::Nanoseconds now) {
  if (!runs_ || now - asked_at_ > measuring_timeout) begin(published, now);
  asked_at_ = now;
  const std::span<const CourseStats> stats = published.course_stats(pool);
  if (unit >= stats.size()) return {.length = now - since_};
  const CourseStats first = pool < first_.size() && unit < first_[pool].size() ? first_[pool][unit] : CourseStats{};
  return {.length = now - since_,
          .new_courses = stats[unit].new_courses - first.new_courses,
          .checks = stats[unit].checks - first.checks};
}

void CourseMeter::begin(const Published& published, core::Nanoseconds now) {
  runs_ = true;
  since_ = now;
  first_.clear();
  for (ecs::PoolId pool = 0; pool < published.registry().pool_count(); ++pool) {
    const std::span<const CourseStats> stats = published.course_stats(pool);
    first_.emplace_back(stats.begin(), stats.end());
  }
}

}  // namespace mobula::server
