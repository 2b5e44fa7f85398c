// The published state: values of all entities that are sent, at the end of each tick, as rows of words. Former values
// are kept as far as the value log reaches.
//
// An entity has two hashes (entity_hash.hpp): one of the words that everyone receives, one of the owner_only words.
// Invariant: a complete entity has rows exactly in the pools of its prototype.
//
// Units that follow courses (wire/course.hpp) are published as such. A row with one is checked in each tick until the
// component stands still and the row holds its exact value.
#pragma once

#include <memory>
#include <mobula/core/bit_set.hpp>
#include <mobula/server/replication/course_keeper.hpp>
#include <mobula/server/replication/value_log.hpp>
#include <mobula/wire/schema_codecs.hpp>
#include <span>
#include <vector>

namespace mobula::server {

/// An entity as it is published.
struct PublishedEntity {
  ecs::Entity entity;  // null if the index is free
  ecs::PrototypeId prototype = ecs::empty_prototype;
  ecs::Tick structure_tick = 0;  // last change of entity or prototype
  std::uint64_t hash = 0;
  std::uint64_t owner_hash = 0;  // hash of the owner_only words alone
};

/// Values of the last publication, and former ones.
class Published {
 public:
  /// Registry and schema must outlive it. It is given only prototypes of pools that are sent, and holds those of its
  /// entities.
  Published(ecs::Registry& registry, const reflect::Schema& schema, std::size_t history_bytes);
  ~Published();
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  [[nodiscard]] wire::SchemaCodecs& codecs() { return codecs_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }

  /// Returns the entity at an index; a null one if the index is free.
  [[nodiscard]] const PublishedEntity& entity(std::uint32_t index) const {
    return index < entities_.size() ? entities_[index] : nobody;
  }
  /// Returns the tick of the last change that everyone, or the owner, may see. Spawning and despawning are changes.
  [[nodiscard]] ecs::Tick changed(std::uint32_t index, bool owner) const {
    return owner ? owner_ticks_[index] : public_ticks_[index];
  }
  /// Returns the last tick in which anything changed.
  [[nodiscard]] ecs::Tick last_change() const { return last_change_; }
  /// Returns the last tick before last_change() in which anything changed.
  [[nodiscard]] ecs::Tick change_before() const { return change_before_; }
  /// Returns whether anything of the entity changed in tick last_change().
  [[nodiscard]] bool changed_last(std::uint32_t index) const { return changed_last_.contains(index); }
  [[nodiscard]] std::uint32_t index_end() const { return static_cast<std::uint32_t>(entities_.size()); }
  /// Returns the sum of all entities' public hashes.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// Returns the number of entities.
  [[nodiscard]] std::uint32_t size() const { return size_; }

  /// Writes the words of an entity, one row after the other.
  void words_now(std::uint32_t index, std::uint32_t* words);
  /// Writes the words at the end of a former tick. False if the index had another entity or prototype then, or the
  /// value log no longer has the words.
  [[nodiscard]] bool words_at(std::uint32_t index, ecs::Tick tick, std::uint32_t* words);

  /// Publishes an entity at its index, or gives the entity there another prototype. Rows that the new composition lacks
  /// are dropped; the caller sets those that it adds.
  void place(ecs::Entity entity, ecs::PrototypeId prototype, ecs::Tick tick);
  void erase(std::uint32_t index, ecs::Tick tick);
  /// Publishes a component's value, once per tick. True if its row is new or its words changed.
  bool update(std::uint32_t index, ecs::PoolId pool, const std::byte* component, ecs::Tick tick);
  /// Calls function(index) for each entity whose component of the pool was not updated in this tick, and may have left
  /// its course. Each is to be updated.
  template <class Function>
  void each_under_way(ecs::PoolId pool, ecs::Tick tick, Function&& function);
  /// Drops the layouts of prototypes that no longer exist.
  void forget(std::span<const ecs::PrototypeId> prototypes) { codecs_.forget(prototypes); }

  /// Asserts that every hash agrees with its parts.
  void check();

 private:
  static constexpr PublishedEntity nobody{};

  // Header of an entry of `rows`. The words follow, then the component's bytes from which they were made: comparing
  // these is the fastest way to find out if anything was written. Then a CourseTrack for each course.
  struct Row {
    std::uint64_t hash = 0;
    std::uint64_t owner_hash = 0;
    ValueLog::Place before = 0;
    ecs::Tick tick = 0;
    ecs::Tick checked = 0;  // last tick in which the courses were checked
  };
  struct Column {
    Column(const wire::RowCodec& codec, const ecs::Pool& pool);
    const wire::RowCodec& codec;
    std::uint64_t key;
    std::uint32_t component_size;
    ecs::ComponentType row_type;
    ecs::Tick unused_tick = 0;
    ecs::Pool rows;
    std::vector<std::uint32_t> scratch;
    core::BitSet under_way;  // by index: to be checked in each tick

    [[nodiscard]] std::uint32_t* words(std::byte* row) const {
      return reinterpret_cast<std::uint32_t*>(row + sizeof(Row));
    }
    [[nodiscard]] std::byte* bytes(std::byte* row) const { return row + sizeof(Row) + codec.words() * 4; }
    [[nodiscard]] std::size_t tracks_at() const {
      return core::align_up(static_cast<std::uint32_t>(sizeof(Row)) + codec.words() * 4 + component_size, 8);
    }
    [[nodiscard]] CourseTrack* tracks(std::byte* row) const {
      return reinterpret_cast<CourseTrack*>(row + tracks_at());
    }
  };

  Column& column(ecs::PoolId pool);
  void resize(std::uint32_t end);
  void note_change(std::uint32_t index, ecs::Tick tick);
  void add_hashes(PublishedEntity& entity, std::uint64_t hash, std::uint64_t owner_hash);
  bool store(std::uint32_t index, Column& column, std::byte* row, const std::byte* component, ecs::Tick tick);
  static bool has_to_follow(const Column& column, const std::byte* row, std::uint32_t index, ecs::Tick tick);
  static void follow_courses(std::uint32_t index, Column& column, const Row& header, std::byte* row,
                             const std::byte* component, ecs::Tick tick);

  ecs::Registry& registry_;
  wire::SchemaCodecs codecs_;
  ValueLog log_;
  std::vector<std::unique_ptr<Column>> columns_;  // by pool; null until needed
  std::vector<PublishedEntity> entities_;
  std::vector<ecs::Tick> public_ticks_;
  std::vector<ecs::Tick> owner_ticks_;
  core::BitSet changed_last_;
  ecs::Tick last_change_ = 0;
  ecs::Tick change_before_ = 0;
  std::uint64_t hash_ = 0;
  std::uint32_t size_ = 0;
};

template <class Function>
inline void Published::each_under_way(ecs::PoolId pool, ecs::Tick tick, Function&& function) {
  if (pool >= columns_.size() || columns_[pool] == nullptr) return;
  Column& column = *columns_[pool];
  column.under_way.each([&](std::size_t index) {
    const std::uint32_t position = column.rows.find(static_cast<std::uint32_t>(index));
    if (position == ecs::Pool::none) return column.under_way.erase(index);
    if (core::load<Row>(column.rows.at(position)).checked != tick) function(static_cast<std::uint32_t>(index));
  });
}

}  // namespace mobula::server
