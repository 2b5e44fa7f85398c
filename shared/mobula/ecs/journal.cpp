#include <mobula/ecs/journal.hpp>

namespace mobula::ecs {

void Journal::make_room(std::span<const Entity> entities) {
  std::size_t runs = 0;
  for (; !entities.empty(); ++runs) entities = entities.subspan(run_length(entities));
  make_room(runs);
}

void Journal::note_all(JournalEntry::Kind kind, std::span<const Entity> entities) noexcept {
  while (!entities.empty()) {
    const std::uint32_t count = run_length(entities);
    note(kind, entities[0], count);
    entities = entities.subspan(count);
  }
}

void Journal::grow(std::size_t count) { entries_.reserve(2 * entries_.capacity() + count); }

}  // namespace mobula::ecs
