#include <mobula/ecs/journal.hpp>

namespace mobula::ecs {

void Journal::note_all(JournalEntry::Kind kind, std::span<const Entity> entities) noexcept {
  for (const Entity entity : entities) note(kind, entity);
}

void Journal::grow(std::size_t count) { entries_.reserve(2 * entries_.capacity() + count); }

}  // namespace mobula::ecs
