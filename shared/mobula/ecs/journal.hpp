// Structural change log of a registry, in order, since its last clear().
//
// Contains creates, destroys, and adds and removes of schema components. Changes of one kind to consecutive entities
// in ascending order share an entry. Changes to an entity right after its create are part of the create entry: an
// entry means "read the entity again". Owned by the registry. The code that runs the tick clears it once all readers
// have read it.
#pragma once

#include <cstdint>
#include <mobula/ecs/entity.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

/// One structural change, of a run of entities.
struct JournalEntry {
  enum class Kind : std::uint8_t { create, destroy, recompose };

  Kind kind{};
  Entity first;  // indices first.index … first.index + count - 1, all of first.generation
  std::uint32_t count = 1;
};

/// Structural change log.
class Journal {
 public:
  [[nodiscard]] std::span<const JournalEntry> entries() const { return entries_; }
  void clear() { entries_.clear(); }

  /// Allocates for `count` entries, so that noting them cannot fail.
  void make_room(std::size_t count = 1) {
    if (entries_.capacity() - entries_.size() < count) [[unlikely]]
      grow(count);
  }
  /// Allocates for the entities' runs, one entry each.
  void make_room(std::span<const Entity> entities);
  /// Notes a change. This function and those that follow require make_room().
  [[gnu::always_inline]] void note(JournalEntry::Kind kind, Entity first, std::uint32_t count = 1) noexcept {
    if (!entries_.empty()) {
      JournalEntry& last = entries_.back();
      if (last.kind == kind && last.first.index + last.count == first.index &&
          last.first.generation == first.generation) {
        last.count += count;
        return;
      }
    }
    append({kind, first, count});
  }
  void note_recomposed(Entity entity) noexcept {
    if (!entries_.empty()) {
      JournalEntry& last = entries_.back();
      const std::uint32_t offset = entity.index - last.first.index;
      if (last.first.generation == entity.generation) [[likely]] {
        if (offset < last.count) return;  // "read the entity again" is noted
        if (offset == last.count && last.kind == JournalEntry::Kind::recompose) [[likely]] {
          ++last.count;
          return;
        }
      }
    }
    append({JournalEntry::Kind::recompose, entity});
  }
  void note_all(JournalEntry::Kind kind, std::span<const Entity> entities) noexcept;

 private:
  void append(const JournalEntry& entry) noexcept {
    // Room has been made. Stated in terms of the vector's own pointers, or else its growth is inlined as well.
    if (entries_.data() + entries_.size() == entries_.data() + entries_.capacity()) __builtin_unreachable();
    entries_.push_back(entry);
  }
  void grow(std::size_t count);

  std::vector<JournalEntry> entries_;
};

}  // namespace mobula::ecs
