#include <mobula/client/mirror/mirror_state.hpp>

namespace mobula::client {

ecs::Entity MirrorState::level_entity(std::uint32_t index) const {
  if (level.copy == nullptr) return ecs::null_entity;
  const ecs::EntityRange& range = level.copy->range();
  return index - range.first < range.count ? range.at(index - range.first) : ecs::null_entity;
}

ecs::Tick MirrorState::tick_of(ecs::Entity entity) const {
  const MirroredEntity* shown_entity = find(entity);
  if (shown_entity != nullptr) return shown_entity->versions.newest().tick;
  return is_as_loaded(entity) ? level.tick : 0;
}

Presence MirrorState::presence(ecs::Entity entity, ecs::Tick seen) const {
  if (tick_of(entity) != 0) return Presence::in_view;
  const std::uint32_t id = former.find(entity.index);
  if (id != ShownIds::none && known[id].former == entity && (known[id].destroyed || known[id].lost_tick >= seen))
    return Presence::removed;
  // Another entity has the index since that tick.
  const ecs::Entity there = registry.entities().at(entity.index);
  return there && there != entity && tick_of(there) >= seen ? Presence::removed : Presence::unknown;
}

bool MirrorState::is_moving(std::uint32_t id, std::uint32_t ack) const {
  const MirroredEntity& entity = known[id];
  if (entity.lost && entity.lost_ack <= ack) return false;
  const EntityVersions::Version baseline = entity.versions.baseline(ack);
  return baseline.tick != 0 && at(ack).tick - baseline.tick <= wire::moving_age_max;
}

}  // namespace mobula::client
