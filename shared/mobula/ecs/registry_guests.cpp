#include <algorithm>
#include <mobula/ecs/registry_guests.hpp>
#include <vector>

namespace mobula::ecs {

bool Guests::receive(Entity entity, bool ghost) {
  registry_.journal_.make_room();
  if (!registry_.index_.entities().receive(entity, ghost)) return false;
  registry_.index_.prototypes().retain(empty_prototype);
  registry_.journal_.note(JournalEntry::Kind::create, entity);
  if (!registry_.created_.empty()) registry_.emit_created(entity);
  return true;
}

bool Guests::begin_spawn(std::span<const Entity> entities, std::span<const PrototypeId> prototypes) {
  MOBULA_CHECK(prototypes.size() == entities.size(), "a spawn has one prototype for each entity");
  const std::uint64_t components = registry_.components_of(prototypes);
  EntityPool& pool = registry_.index_.entities();
  std::vector<Entity> sorted(entities.begin(), entities.end());
  std::ranges::sort(sorted);
  if (!std::ranges::all_of(sorted, [&](Entity entity) { return pool.can_receive(entity); }) ||
      std::ranges::adjacent_find(sorted, {}, &Entity::index) != sorted.end())
    return false;
  registry_.journal_.make_room(2 * entities.size() + 1);  // also for undo_spawn()
  for (const Entity entity : entities) static_cast<void>(pool.receive(entity, true));
  registry_.journal_.note_all(JournalEntry::Kind::create, entities);
  registry_.assign_prototypes(entities, prototypes);
  registry_.missing_ += components;
  return true;
}

// The log has it, since a save has no ghosts.
void Guests::set_ghost(Entity entity, bool ghost) {
  registry_.journal_.make_room();
  registry_.index_.entities().set_ghost(entity, ghost);
  registry_.journal_.note_recomposed(entity);
}

void Guests::note_abroad(Entity entity) {
  if (registry_.valid(entity) || !registry_.entities().may_note_abroad(entity)) return;
  for (const Entity former : registry_.entities().former_of(entity))
    if (registry_.valid(former)) registry_.destroy(former);
  registry_.journal_.make_room();
  if (registry_.index_.entities().note_abroad(entity)) registry_.journal_.note(JournalEntry::Kind::destroy, entity);
}

bool Guests::end_abroad(Entity entity) {
  registry_.journal_.make_room();
  if (!registry_.index_.entities().end_abroad(entity)) return false;
  registry_.journal_.note(JournalEntry::Kind::destroy, entity);
  return true;
}

}  // namespace mobula::ecs
