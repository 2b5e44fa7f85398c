// What changed in structure since the journal was last cleared, in order. Creates, destroys,
// adds and removes of schema components are noted; changes of one kind to consecutive entities, in this order, are
// one entry, and so is a create with what is then added to the entity: an entry says look again.
// Owned by the registry; whoever runs the tick clears it when all readers have read.
#pragma once

#include <cstdint>
#include <mobula/ecs/entity.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

struct JournalEntry {
  enum class Kind : std::uint8_t { create, destroy, recompose };

  Kind kind{};
  Entity first;  // indices first.index … first.index + count - 1, all of first.generation
  std::uint32_t count = 1;
};

class Journal {
 public:
  [[nodiscard]] std::span<const JournalEntry> entries() const { return entries_; }
  void clear() { entries_.clear(); }

  // Allocates what `count` notes need: noting itself cannot fail.
  void make_room(std::size_t count = 1) {
    if (entries_.capacity() - entries_.size() < count) [[unlikely]]
      grow(count);
  }
  // What a note of each of them needs: one entry for each run.
  void make_room(std::span<const Entity> entities);
  void note(JournalEntry::Kind kind, Entity first, std::uint32_t count = 1) noexcept {
    if (!entries_.empty()) {
      JournalEntry& last = entries_.back();
      if (last.kind == kind && last.first.index + last.count == first.index &&
          last.first.generation == first.generation) {
        last.count += count;
        return;
      }
    }
    // Room has been made. Said in the vector's own pointers, or else its growth is inlined as well.
    if (entries_.data() + entries_.size() == entries_.data() + entries_.capacity()) __builtin_unreachable();
    entries_.push_back({kind, first, count});
  }
  void note_recomposed(Entity entity) noexcept {
    if (entries_.empty() || !covers(entries_.back(), entity)) note(JournalEntry::Kind::recompose, entity);
  }
  void note_all(JournalEntry::Kind kind, std::span<const Entity> entities) noexcept;

 private:
  static bool covers(const JournalEntry& entry, Entity entity) {
    return entity.index - entry.first.index < entry.count && entity.generation == entry.first.generation;
  }
  void grow(std::size_t count);

  std::vector<JournalEntry> entries_;
};

}  // namespace mobula::ecs
