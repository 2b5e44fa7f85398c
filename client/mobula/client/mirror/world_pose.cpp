#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/hierarchy/chain.hpp>

namespace mobula::client {
namespace {

// Pictures of a mirror, for hierarchy::compose_chain.
class Pictures {
 public:
  explicit Pictures(const Mirror& mirror) : mirror_(mirror), transforms_(pool("Transform")), parents_(pool("Parent")) {}

  [[nodiscard]] std::optional<hierarchy::Link> link_at(ecs::Entity entity, double tick) const {
    hierarchy::Link link;
    engine::Parent parent;
    if (!sample(entity, transforms_, tick, link.local)) return std::nullopt;
    if (sample(entity, parents_, tick, parent)) link.parent = parent.entity;
    return link;
  }
  [[nodiscard]] bool has(ecs::Entity entity) const { return mirror_.registry().valid(entity); }
  [[nodiscard]] ecs::Tick next_state(ecs::Entity entity, double tick) const {
    return Interpolation(mirror_).next_state(entity, tick);
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

  const Mirror& mirror_;
  ecs::PoolId transforms_;
  ecs::PoolId parents_;
};

}  // namespace

std::optional<hierarchy::WorldTransform> sample_world(const Mirror& mirror, ecs::Entity entity, double view_tick) {
  return hierarchy::compose_chain(Pictures(mirror), entity, view_tick);
}

}  // namespace mobula::client
