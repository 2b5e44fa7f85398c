// The hashes of what a mirror has, and what it does when they are wrong.
#include <mobula/client/mirror/delta_decoder.hpp>

namespace mobula::client {

void Mirror::rehash(Known& known) {
  const std::uint64_t hash = hash_of(known);
  hash_ += hash - std::exchange(known.hash, hash);
}

void Mirror::rehash_all() {
  hash_ = 0;
  for (std::uint32_t i = 0; i < level_.here.size(); ++i)
    if (level_.here[i]) hash_ += level_.copy->hash(level_.copy->range().first + i);
  for (Known& known : known_)
    if (known.entity && !known.gone) hash_ += known.hash = hash_of(known);
}

// With each acknowledgement, so that what goes wrong at rest is found too.
void Mirror::rehash_some() {
  for (std::uint32_t i = 0; i < rehashed_at_once && i < known_.size(); ++i) {
    if (next_rehashed_ >= known_.size()) next_rehashed_ = 0;
    Known& known = known_[next_rehashed_++];
    if (known.entity && !known.gone) rehash(known);
  }
}

bool Mirror::drop(bool of_level, std::uint32_t place, ecs::Entity entity, ecs::Tick tick) {
  const bool has_id = !of_level && place < known_.size();
  if (has_id && known_[place].entity == entity && !known_[place].gone && known_[place].versions.newest().tick == tick) {
    Entry entry{};
    entry.kind = Entry::Kind::gone;
    entry.destroyed = true;
    entry.id = place;
    apply_gone(entry, tick);
    known_[place].left = ecs::null_entity;  // only by the server's view of this client: it may be anywhere
  } else if (of_level && is_as_loaded(entity)) {
    end_loaded(entity, true);
  } else {
    return false;
  }
  registry_.clear_journal();
  return true;
}

}  // namespace mobula::client
