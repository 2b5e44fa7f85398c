#include <array>
#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/hierarchy/members.hpp>

namespace mobula::client {
namespace {

// Transform of an entity and what it is relative to.
struct Link {
  engine::Transform local;
  ecs::Entity parent;  // null for a root
};

class WorldPose {
 public:
  WorldPose(const Mirror& mirror, double view_tick)
      : mirror_(mirror), view_tick_(view_tick), transforms_(pool("Transform")), parents_(pool("Parent")) {}

  std::optional<hierarchy::WorldTransform> of(ecs::Entity entity) const {
    std::array<Link, hierarchy::max_depth> chain;
    std::size_t depth = 0;
    for (ecs::Entity at = entity; at; at = chain[depth++].parent) {
      const std::optional<Link> link = link_of(at);
      if (!link) break;
      if (depth == chain.size()) {  // a circle, or too deep
        depth = 1;
        break;
      }
      chain[depth] = *link;
    }
    if (depth == 0) return std::nullopt;
    hierarchy::WorldTransform world{chain[depth - 1].local.position, chain[depth - 1].local.rotation};
    while (--depth > 0) world = hierarchy::compose(world, chain[depth - 1].local);
    return world;
  }

 private:
  [[nodiscard]] ecs::PoolId pool(std::string_view component) const {
    return mirror_.registry().find_pool(core::StringId32(component), core::StringId32(component));
  }
  template <class Component>
  bool sample(ecs::Entity entity, ecs::PoolId pool, double tick, Component& component) const {
    return pool != ecs::no_pool && mirror_.registry().pool(pool).type().size == sizeof(Component) &&
           Interpolation(mirror_).sample(entity, pool, tick, reinterpret_cast<std::byte*>(&component));
  }
  [[nodiscard]] std::optional<Link> link_at(ecs::Entity entity, double tick) const {
    Link link;
    engine::Parent parent;
    if (!sample(entity, transforms_, tick, link.local)) return std::nullopt;
    if (sample(entity, parents_, tick, parent)) link.parent = parent.entity;
    return link;
  }
  // Skips states whose parent is no longer there.
  [[nodiscard]] std::optional<Link> link_of(ecs::Entity entity) const {
    std::optional<Link> link = link_at(entity, view_tick_);
    double tick = view_tick_;
    while (link && link->parent && !mirror_.registry().valid(link->parent)) {
      const ecs::Tick next = Interpolation(mirror_).next_state(entity, tick);
      if (next == 0) break;
      tick = next;
      link = link_at(entity, tick);
    }
    return link;
  }

  const Mirror& mirror_;
  double view_tick_;
  ecs::PoolId transforms_;
  ecs::PoolId parents_;
};

}  // namespace

std::optional<hierarchy::WorldTransform> sample_world(const Mirror& mirror, ecs::Entity entity, double view_tick) {
  return WorldPose(mirror, view_tick).of(entity);
}

}  // namespace mobula::client
