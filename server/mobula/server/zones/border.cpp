#include <algorithm>
#include <map>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/server/interest/ghost.hpp>
#include <mobula/server/zones/border.hpp>
#include <utility>

namespace mobula::server {

Border::Border(ecs::Registry& registry, const ZoneMap& map, std::uint32_t zone)
    : registry_(registry), map_(map), zone_(zone), region_(map.zones()[zone].region) {
  const ecs::EntityPool& pool = registry.entities();
  registry.destroying().connect([&pool, ended = ended_](std::span<const ecs::Entity> entities) {
    for (const ecs::Entity entity : entities)
      if (!pool.is_own(entity.index) && !pool.is_ghost(entity)) ended->push_back(entity);
  });
}

// Nearly all entities are within the region, so that their other components are not read.
std::span<const Leaving> Border::leaving() {
  leaving_.clear();
  registry_.view<const hierarchy::WorldTransform>(ecs::exclude<Ghost>)
      .each([&](ecs::Entity entity, const hierarchy::WorldTransform& at) {
        if (region_.contains(at.position)) return;
        const std::uint32_t next = map_.next_zone(zone_, at.position);
        if (next == zone_) return;
        const auto* const parent = std::as_const(registry_).try_get<const engine::Parent>(entity);
        if (parent == nullptr || !registry_.valid(parent->entity)) leaving_.push_back({entity, next});
      });
  return leaving_;
}

std::vector<EndedGuests> Border::take_ended() {
  std::map<std::uint32_t, EndedGuests> by_home;
  for (const ecs::Entity entity : std::exchange(*ended_, {})) {
    EndedGuests& ended = by_home[map_.home(entity)];
    ended.home = map_.home(entity);
    ended.entities.push_back(entity);
  }
  std::vector<EndedGuests> all;
  for (auto& [home, ended] : by_home) all.push_back(std::move(ended));
  return all;
}

}  // namespace mobula::server
