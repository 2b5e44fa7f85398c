#include <mobula/ecs/registry_guests.hpp>

namespace mobula::ecs {

bool Guests::receive(Entity entity, bool ghost) {
  registry_.journal_.make_room();
  if (!registry_.index_.entities().receive(entity, ghost)) return false;
  registry_.index_.prototypes().retain(empty_prototype);
  registry_.journal_.note(JournalEntry::Kind::create, entity);
  if (!registry_.created_.empty()) registry_.emit_created(entity);
  return true;
}

void Guests::set_ghost(Entity entity, bool ghost) { registry_.index_.entities().set_ghost(entity, ghost); }
bool Guests::end_abroad(Entity entity) { return registry_.index_.entities().end_abroad(entity); }

}  // namespace mobula::ecs
