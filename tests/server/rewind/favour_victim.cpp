#include <mobula/hierarchy/world_transform.hpp>
#include <server/rewind/favour_victim.hpp>

namespace mobula::test {
namespace {

constexpr server::HitShape body{.centre = {.x = 0, .y = 0.9f, .z = 0}, .half = {.x = 0.3f, .y = 0.9f, .z = 0.3f}};

}  // namespace

std::optional<server::Rewound::Hit> favour_victim(const server::World& world, server::Rewound& past,
                                                  const server::Ray& ray, double seconds_max) {
  const bool is_old = past.age() > seconds_max * world.ticks_per_second();
  const auto shape = [&](ecs::Entity entity) -> std::optional<server::HitShape> {
    const auto* const now = world.registry().try_get<const hierarchy::WorldTransform>(entity);
    if (now == nullptr) return std::nullopt;                           // it was destroyed
    if (is_old && !server::hit(ray, body, *now)) return std::nullopt;  // it has reached cover
    return body;
  };
  return past.ray(ray, body.reach(), shape);
}

}  // namespace mobula::test
