// Hashes of a mirror, and the repair of what the server does not know.
#include <mobula/client/mirror/mirror.hpp>

namespace mobula::client {

void Mirror::rehash(MirroredEntity& known) {
  const std::uint64_t hash = hash_of(known);
  hash_ += hash - std::exchange(known.hash, hash);
}

void Mirror::rehash_all() {
  hash_ = 0;
  for (std::uint32_t i = 0; i < state_.level.here.size(); ++i)
    if (state_.level.here[i]) hash_ += state_.level.copy->hash(state_.level.copy->range().first + i);
  for (MirroredEntity& known : state_.known)
    if (known.entity && !known.lost) hash_ += known.hash = hash_of(known);
}

// Called with each acknowledgement, so that damage to an entity at rest is found too.
void Mirror::rehash_some() {
  for (std::uint32_t i = 0; i < rehashed_at_once && i < state_.known.size(); ++i) {
    if (next_rehashed_ >= state_.known.size()) next_rehashed_ = 0;
    MirroredEntity& known = state_.known[next_rehashed_++];
    if (known.entity && !known.lost) rehash(known);
  }
}

bool Mirror::drop(bool of_level, std::uint32_t place, ecs::Entity entity, ecs::Tick tick) {
  const bool has_id = !of_level && place < state_.known.size();
  if (has_id && state_.known[place].entity == entity && !state_.known[place].lost &&
      state_.known[place].versions.newest().tick == tick) {
    DeltaEntry entry{};
    entry.kind = DeltaEntry::Kind::lost;
    entry.destroyed = true;
    entry.id = place;
    apply_lost(entry, tick);
    forget_former(place);
    state_.known[place].former = ecs::null_entity;  // it left this client's view only, and may exist elsewhere
  } else if (of_level && state_.is_as_loaded(entity)) {
    end_loaded(entity, true);
  } else {
    return false;
  }
  state_.registry.clear_journal();
  return true;
}

}  // namespace mobula::client
