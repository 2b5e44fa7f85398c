// Courses of fields with dead reckoning, in answers. Private to this folder.
#pragma once

#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {

// The courses of a field.
struct FieldCourses {
  std::string path;
  double tolerance = 0;
  std::uint16_t unit = 0;  // place in RowCodec::courses()
  CourseStats stats;
};
// Returns the courses of each field of a pool that has dead reckoning.
std::vector<FieldCourses> courses_of(Inspection& world, ecs::PoolId pool);
// Returns the same as JSON, with what was measured.
json courses_json(Inspection& world, ecs::PoolId pool);

// A component as clients compute it at the last finished tick.
class PublishedComponent {
 public:
  PublishedComponent(Inspection& world, ecs::Entity entity, ecs::PoolId pool);

  // Returns the published value of a field with dead reckoning, and its course. Null for other fields, and if the
  // component is not published yet.
  [[nodiscard]] json course_of(const reflect::Field& field) const;

 private:
  [[nodiscard]] json velocity(const wire::CourseUnit& unit, std::uint32_t part) const;

  Inspection& world_;
  ecs::Tick tick_;
  PublishedRow row_;
  core::Bytes value_;  // empty if the component is not published
};

}  // namespace mobula::server::api
