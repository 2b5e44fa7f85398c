#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/client/mirror/interpolation.hpp>
#include <simulation/picture_oracle.hpp>

namespace mobula::sim {
namespace {

constexpr float range_edge = 512;
constexpr float drawn_tolerance = 0.02f;  // two steps

std::uint64_t pose_key(ecs::Entity entity) { return std::uint64_t{entity.generation} << 32 | entity.index; }

template <class Component>
std::optional<Component> copied(const ecs::Registry& registry, ecs::Entity entity) {
  const auto* const there = registry.try_get<const Component>(entity);
  return there == nullptr ? std::nullopt : std::optional(*there);
}

std::array<float, 3> coordinates(const engine::Vec3& position) { return {position.x, position.y, position.z}; }

// Returns the value of the range that is sent for a coordinate.
float sent_value(float coordinate) {
  return std::isnan(coordinate) ? -range_edge : std::clamp(coordinate, -range_edge, range_edge);
}

}  // namespace

void PictureOracle::note(server::Server& server, ecs::Tick now) {
  server::Published& published = server.published();
  const ecs::Registry& registry = server.world().registry();
  for (std::uint32_t index = 0; index < published.index_end(); ++index) {
    const ecs::Entity entity = published.entity(index).entity;
    if (!entity || published.changed(index, true) != now) continue;
    const std::optional<engine::Transform> transform = copied<engine::Transform>(registry, entity);
    if (!transform) continue;
    poses_[pose_key(entity)].push_back(
        {transform->position, copied<engine::Parent>(registry, entity), copied<engine::Cuts>(registry, entity)});
  }
}

std::optional<PictureOracle::Pose> PictureOracle::drawn(const client::Mirror& mirror, ecs::Entity entity,
                                                        double view_tick) {
  const auto transform = client::sample<engine::Transform>(mirror, entity, view_tick);
  if (!transform) return std::nullopt;
  return Pose{transform->position, client::sample<engine::Parent>(mirror, entity, view_tick),
              client::sample<engine::Cuts>(mirror, entity, view_tick)};
}

std::optional<std::string> PictureOracle::check(const client::Mirror& mirror, ecs::Entity entity) const {
  const auto had = poses_.find(pose_key(entity));
  if (had == poses_.end()) return std::nullopt;
  for (const double age : {0.25, 1.5, 3.75}) {
    const std::optional<Pose> shown = drawn(mirror, entity, static_cast<double>(mirror.tick()) - age);
    if (!shown) continue;
    const std::array<float, 3> at = coordinates(shown->position);
    std::array<float, 3> low{1e9f, 1e9f, 1e9f};
    std::array<float, 3> high{-1e9f, -1e9f, -1e9f};
    for (const Pose& pose : had->second) {
      if (pose.parent != shown->parent || pose.cuts != shown->cuts) continue;
      const std::array<float, 3> each = coordinates(pose.position);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], sent_value(each[axis]));
        high[axis] = std::max(high[axis], sent_value(each[axis]));
      }
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!(at[axis] >= low[axis] - drawn_tolerance && at[axis] <= high[axis] + drawn_tolerance))
        return "entity " + to_string(entity) + " is drawn where it never was " + std::to_string(age) +
               " ticks before tick " + std::to_string(mirror.tick()) + ": at " + std::to_string(at[axis]) +
               " on axis " + std::to_string(axis);
  }
  return std::nullopt;
}

}  // namespace mobula::sim
