// Reference implementation of the interest rules that checks every entity, for comparison in tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <mobula/server/session/server.hpp>
#include <set>
#include <vector>

namespace mobula::server::test {

struct ReferenceInterest {
  const ecs::Registry& registry;
  std::vector<Layer> layers;
  std::set<std::uint32_t> published;  // indices
  const InterestRule* rule = nullptr;

  struct Query {
    std::vector<std::uint32_t> gained;
    std::vector<std::uint32_t> lost;
  };

  // The published entities.
  static ReferenceInterest of(Server& server, std::vector<Layer> layers, const InterestRule* rule = nullptr) {
    ReferenceInterest interest{server.world().registry(), std::move(layers), {}, rule};
    const Published& published = server.published();
    for (std::uint32_t index = 0; index < published.index_end(); ++index)
      if (published.entity(index).entity) interest.published.insert(index);
    return interest;
  }

  [[nodiscard]] Query query(const Viewer& viewer, const std::vector<std::uint32_t>& seen) const {
    const auto in_view = [&](std::uint32_t index) { return std::find(seen.begin(), seen.end(), index) != seen.end(); };
    const std::set<std::uint32_t> now = relevant(viewer, in_view);
    Query found;
    for (const std::uint32_t index : now)
      if (!in_view(index)) found.gained.push_back(index);
    for (const std::uint32_t index : seen)
      if (!now.contains(index)) found.lost.push_back(index);
    return found;
  }

  // Returns what is relevant when the indices with in_view(index) are visible: entities that are so for their own sake,
  // and their parents.
  template <class InView>
  [[nodiscard]] std::set<std::uint32_t> relevant(const Viewer& viewer, InView in_view) const {
    std::set<std::uint32_t> found;
    for (const std::uint32_t index : published) {
      if (!relevant(viewer, index, in_view(index))) continue;
      found.insert(index);
      for (const ecs::Entity parent : above(registry.entities().at(index))) found.insert(parent.index);
    }
    return found;
  }

  // Returns whether an entity is relevant for its own sake.
  [[nodiscard]] bool relevant(const Viewer& viewer, std::uint32_t index, bool in_view) const {
    if (published.count(index) == 0) return false;
    const Sight seen = sight(viewer, subject(registry.entities().at(index)));
    return in_view ? seen.stays : seen.enters;
  }

  // Returns the living entities above an entity, up to a root or once around a cycle.
  [[nodiscard]] std::vector<ecs::Entity> above(ecs::Entity entity) const {
    std::vector<ecs::Entity> found;
    const auto* parent = registry.try_get<const engine::Parent>(entity);
    while (parent != nullptr && registry.valid(parent->entity) && parent->entity != entity &&
           std::ranges::count(found, parent->entity) == 0) {
      found.push_back(parent->entity);
      parent = registry.try_get<const engine::Parent>(parent->entity);
    }
    return found;
  }

  // The properties of an entity that its visibility depends on.
  struct Subject {
    ecs::Entity entity;
    Relevance own;
    const hierarchy::WorldTransform* world = nullptr;
  };
  [[nodiscard]] Subject subject(ecs::Entity entity) const {
    return {entity, relevance(entity), registry.try_get<const hierarchy::WorldTransform>(entity)};
  }

  struct Sight {
    bool enters = false;  // becomes visible
    bool stays = false;
  };
  // A published entity, for its own sake. A forbidden one hides all below it.
  [[nodiscard]] Sight sight(const Viewer& viewer, const Subject& subject) const {
    const Relevance& own = subject.own;
    if (!permits(viewer, subject.entity)) return {};
    for (const ecs::Entity parent : above(subject.entity))
      if (published.count(parent.index) == 0 || !permits(viewer, parent)) return {};
    const Layer& layer = layers[own.layer < layers.size() ? own.layer : 0];
    const bool is_everywhere = layer.radius == 0 || subject.world == nullptr;
    if (is_everywhere || (own.owner != 0 && own.owner == viewer.player())) return {true, true};
    if (is_viewpoint(viewer, subject.entity)) return {true, true};
    const float distance = std::min(distance_squared(viewer, subject.world->position),
                                    distance_squared(viewer.zone(), subject.world->position));
    return {distance <= layer.radius * layer.radius, distance <= leave_radius(layer) * leave_radius(layer)};
  }

  [[nodiscard]] Relevance relevance(ecs::Entity entity) const {
    const Relevance* own = registry.try_get<const Relevance>(entity);
    return own == nullptr ? Relevance{} : *own;
  }

  // Interest group and rule of the game.
  [[nodiscard]] bool permits(const Viewer& viewer, ecs::Entity entity) const {
    if (viewer.zone()) return !registry.entities().is_ghost(entity);
    return viewer.is_in(relevance(entity).interest_group) && (rule == nullptr || rule->may_see(viewer, entity));
  }

 private:
  static bool is_viewpoint(const Viewer& viewer, ecs::Entity entity) {
    const auto all = viewer.viewpoints();
    return std::find(all.begin(), all.end(), entity) != all.end();
  }
  // Distance to the nearest viewpoint that has a position.
  [[nodiscard]] float distance_squared(const Viewer& viewer, const engine::Vec3& position) const {
    float nearest = std::numeric_limits<float>::infinity();
    for (const ecs::Entity viewpoint : viewer.viewpoints()) {
      const auto* transform = registry.try_get<const hierarchy::WorldTransform>(viewpoint);
      if (transform == nullptr) continue;
      const float x = position.x - transform->position.x;
      const float y = position.y - transform->position.y;
      const float z = position.z - transform->position.z;
      nearest = std::min(nearest, x * x + y * y + z * z);
    }
    return nearest;
  }
  static float distance_squared(const std::optional<ZoneRegion>& zone, const engine::Vec3& position) {
    if (!zone || std::isnan(position.x) || std::isnan(position.z)) return std::numeric_limits<float>::infinity();
    const float x = position.x - std::clamp(position.x, zone->region.x_min, zone->region.x_max);
    const float z = position.z - std::clamp(position.z, zone->region.z_min, zone->region.z_max);
    return x * x + z * z;
  }
};

}  // namespace mobula::server::test
