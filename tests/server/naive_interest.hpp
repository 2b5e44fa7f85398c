// The rules of interest told once more, by looking at everything: for tests that compare.
#pragma once

#include <algorithm>
#include <mobula/server/server.hpp>
#include <set>
#include <vector>

namespace mobula::server::test {

struct NaiveInterest {
  const ecs::Registry& registry;
  std::vector<Layer> layers;
  std::set<std::uint32_t> published;  // indices
  const InterestRule* rule = nullptr;

  struct Look {
    std::vector<std::uint32_t> entering;
    std::vector<std::uint32_t> leaving;
  };

  // Of what the server has published.
  static NaiveInterest of(Server& server, std::vector<Layer> layers, const InterestRule* rule = nullptr) {
    NaiveInterest interest{server.world().registry(), std::move(layers), {}, rule};
    const Published& published = server.published();
    for (std::uint32_t index = 0; index < published.index_end(); ++index)
      if (published.entity(index).entity) interest.published.insert(index);
    return interest;
  }

  [[nodiscard]] Look look(const Viewer& viewer, const std::vector<std::uint32_t>& seen) const {
    Look found;
    for (const std::uint32_t index : published)
      if (std::find(seen.begin(), seen.end(), index) == seen.end() && relevant(viewer, index, false))
        found.entering.push_back(index);
    for (const std::uint32_t index : seen)
      if (!relevant(viewer, index, true)) found.leaving.push_back(index);
    return found;
  }

  [[nodiscard]] bool relevant(const Viewer& viewer, std::uint32_t index, bool in_view) const {
    if (published.count(index) == 0) return false;
    const ecs::Entity entity = registry.entities().at(index);
    return may_see(viewer, entity, relevance(entity), in_view);
  }

  // One that is published.
  [[nodiscard]] bool may_see(const Viewer& viewer, ecs::Entity entity, const Relevance& own, bool in_view) const {
    if (!viewer.is_in(own.room)) return false;
    const bool may_be = (own.owner != 0 && own.owner == viewer.player()) || is_viewpoint(viewer, entity) ||
                        near(viewer, entity, own, in_view);
    return may_be && (rule == nullptr || rule->may_see(viewer, entity));
  }

  [[nodiscard]] Relevance relevance(ecs::Entity entity) const {
    const Relevance* own = registry.try_get<const Relevance>(entity);
    return own == nullptr ? Relevance{} : *own;
  }

 private:
  static bool is_viewpoint(const Viewer& viewer, ecs::Entity entity) {
    const auto all = viewer.viewpoints();
    return std::find(all.begin(), all.end(), entity) != all.end();
  }
  [[nodiscard]] bool near(const Viewer& viewer, ecs::Entity entity, const Relevance& own, bool in_view) const {
    const Layer& layer = layers[own.layer];
    const auto* world = registry.try_get<const hierarchy::WorldTransform>(entity);
    if (layer.radius == 0 || world == nullptr) return true;
    const float limit = in_view ? leave_radius(layer) : layer.radius;
    for (const ecs::Entity viewpoint : viewer.viewpoints()) {
      const auto* eye = registry.try_get<const hierarchy::WorldTransform>(viewpoint);
      if (eye == nullptr) continue;
      const float x = world->position.x - eye->position.x;
      const float y = world->position.y - eye->position.y;
      const float z = world->position.z - eye->position.z;
      if (x * x + y * y + z * z <= limit * limit) return true;
    }
    return false;
  }
};

}  // namespace mobula::server::test
