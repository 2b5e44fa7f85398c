#include <algorithm>
#include <cmath>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/reflect/yaw.hpp>
#include <mobula/server/replication/given_velocity.hpp>
#include <utility>

namespace mobula::server {
namespace {

// Returns the turn of a tick about axes of the world, the shorter way. Nothing if the angle is not finite.
std::optional<CourseSpeed> turn_of(const CourseSpeed& radians) {
  constexpr double degrees = 57.29577951308232;
  const double angle = std::sqrt(radians[0] * radians[0] + radians[1] * radians[1] + radians[2] * radians[2]);
  if (!std::isfinite(angle)) return std::nullopt;
  const reflect::YawQuaternion half = reflect::quaternion_of_yaw(angle * degrees);  // the same bits everywhere
  const double part = angle > 1e-12 ? half.y / angle : 0.5;
  return CourseSpeed{radians[0] * part, radians[1] * part, radians[2] * part, half.w};
}

const std::byte* find(const ecs::Pool& pool, std::uint32_t index) {
  const std::uint32_t position = pool.find(index);
  return position == ecs::Pool::none ? nullptr : pool.at(position);
}

}  // namespace

GivenVelocity::GivenVelocity(const ecs::Registry& registry, const wire::RowCodec& codec, const wire::CourseUnit& unit,
                             std::span<const reflect::Field> fields, double tick_seconds)
    : turns_(unit.turns) {
  for (std::uint32_t i = 0; i < unit.velocities(); ++i) {
    const reflect::VelocityField& velocity = fields[codec.field(unit.first_field + (turns_ ? 0 : i))].velocity;
    if (velocity.path.empty()) return;
    MOBULA_CHECK(tick_seconds > 0, "velocities are per second: the length of a tick is not known");
    const bool is_double = velocity.kind == reflect::FieldKind::float64;
    const std::uint32_t axis = turns_ ? i * (is_double ? 8u : 4u) : 0;
    const double steps = turns_ ? 1 : 1 / unit.quantisers[i].step();
    const ecs::PoolId pool = registry.find_pool(velocity.component, velocity.component);
    places_[i] = {pool, velocity.offset + axis, is_double, tick_seconds * steps};
  }
  count_ = unit.velocities();
}

std::optional<CourseSpeed> GivenVelocity::read(const ecs::Registry& registry, std::uint32_t index) const {
  if (count_ == 0) return std::nullopt;
  CourseSpeed speed{};
  ecs::PoolId pool = ecs::no_pool;
  const std::byte* component = nullptr;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Place& place = places_[i];
    if (place.pool == ecs::no_pool) return std::nullopt;
    if (std::exchange(pool, place.pool) != place.pool) component = find(registry.pool(pool), index);
    if (component == nullptr) return std::nullopt;
    const std::byte* const at = component + place.offset;
    const double value = place.is_double ? core::load<double>(at) : static_cast<double>(core::load<float>(at));
    speed[i] = value * place.per_tick;
    if (!std::isfinite(speed[i])) return std::nullopt;
  }
  return turns_ ? turn_of(speed) : speed;
}

}  // namespace mobula::server
