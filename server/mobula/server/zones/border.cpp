#include <algorithm>
#include <map>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/server/interest/changed_positions.hpp>
#include <mobula/server/interest/own_root.hpp>
#include <mobula/server/zones/border.hpp>
#include <utility>

namespace mobula::server {

Border::Border(ecs::Registry& registry, const ZoneMap& map, std::uint32_t zone)
    : registry_(registry), map_(map), zone_(zone) {
  const ecs::EntityPool& pool = registry.entities();
  registry.destroying().connect([&pool, ended = ended_](std::span<const ecs::Entity> entities) {
    for (const ecs::Entity entity : entities)
      if (!pool.is_own(entity.index) && !pool.is_ghost(entity)) ended->push_back(entity);
  });
}

std::span<const Leaving> Border::leaving() {
  note_beyond();
  leaving_.clear();
  std::erase_if(beyond_, [this](ecs::Entity entity) {
    const std::uint32_t next = next_zone(entity);
    if (next != zone_ && is_own_root(registry_, entity)) leaving_.push_back({entity, next});
    return next == zone_;
  });
  return leaving_;
}

// Most entities of a world stand still, and nearly all that move are within the region. The current tick is looked at
// once more: it goes on after this.
void Border::note_beyond() {
  const ecs::Pool& places = registry_.pool<hierarchy::WorldTransform>();
  const Zone& own = map_.zones()[zone_];
  each_changed_after(places, seen_, [&](std::uint32_t position) {
    const auto& at = *places.typed_address<const hierarchy::WorldTransform>(position);
    if (own.merged || !own.region.contains(at.position))
      beyond_.insert(registry_.entities().at(places.indices()[position]));
  });
  seen_ = registry_.tick() - 1;
}

// Ghosts are where another zone has them.
std::uint32_t Border::next_zone(ecs::Entity entity) const {
  const auto* const at = std::as_const(registry_).try_get<const hierarchy::WorldTransform>(entity);
  return at == nullptr || registry_.entities().is_ghost(entity) ? zone_ : map_.next_zone(zone_, at->position);
}

std::uint32_t Border::nearest_zone(ecs::Entity entity, float most) const {
  const auto* const at = std::as_const(registry_).try_get<const hierarchy::WorldTransform>(entity);
  std::uint32_t nearest = ZoneMap::no_zone;
  float least = most * most;
  for (std::uint32_t zone = 0; at != nullptr && zone < map_.zones().size(); ++zone) {
    const float distance = map_.zones()[zone].region.distance_squared(at->position);
    if (zone == zone_ || map_.zones()[zone].merged || !(distance <= least)) continue;
    least = distance;
    nearest = zone;
  }
  return nearest;
}

std::vector<EndedGuests> Border::take_ended() {
  std::map<std::uint32_t, std::vector<ecs::Entity>> by_home;
  for (const ecs::Entity entity : std::exchange(*ended_, {})) {
    if (map_.home(entity) >= map_.zones().size()) {  // a zone of a newer map
      ended_->push_back(entity);
      continue;
    }
    by_home[map_.home(entity)].push_back(entity);
  }
  std::vector<EndedGuests> all;
  for (const auto& [home, entities] : by_home)
    for (std::size_t i = 0; i < entities.size(); i += ended_max)
      all.push_back({home,
                     {entities.begin() + static_cast<std::ptrdiff_t>(i),
                      entities.begin() + static_cast<std::ptrdiff_t>(std::min(i + ended_max, entities.size()))}});
  return all;
}

void Border::forget_ended(std::span<const ecs::Entity> entities) {
  std::erase_if(*ended_, [&](ecs::Entity each) { return std::ranges::count(entities, each) > 0; });
}

}  // namespace mobula::server
