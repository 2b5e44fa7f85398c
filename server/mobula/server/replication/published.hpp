// The published state: values of all entities that are sent, at the end of each tick, as rows of words. Former values
// are kept as far as the value log reaches.
//
// An entity has two hashes (entity_hash.hpp): one for clients that do not own it, and the difference for its owner.
// Invariant: a complete entity has rows exactly in the pools of its prototype.
//
// Units that follow courses (wire/course.hpp) are published as such. A row whose component has moved, or has a
// velocity, is followed (followed_rows.hpp) until the component stands still and the row holds its exact value.
#pragma once

#include <algorithm>
#include <memory>
#include <mobula/core/bit_set.hpp>
#include <mobula/ecs/standalone_pool.hpp>
#include <mobula/server/replication/followed_rows.hpp>
#include <mobula/server/replication/former_compositions.hpp>
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
  std::uint64_t owner_hash = 0;  // difference of the owner's hash from it
};

/// A component as it is published.
struct PublishedRow {
  const wire::RowCodec* codec = nullptr;
  const std::uint32_t* words = nullptr;  // null if it is not published
};

/// Values of the last publication, and former ones.
class Published {
 public:
  /// Registry and schema must outlive it. It is given only prototypes of pools that are sent, and holds those of its
  /// entities. `tick_seconds` is needed if the schema has an attribute `velocity`.
  Published(ecs::Registry& registry, const reflect::Schema& schema, std::size_t history_bytes, double tick_seconds = 0);
  ~Published();
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  [[nodiscard]] wire::SchemaCodecs& codecs() { return codecs_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }

  /// Returns the entity at an index; a null one if the index is free.
  [[nodiscard]] const PublishedEntity& entity(std::uint32_t index) const {
    return index < entities_.size() ? entities_[index] : nobody;
  }
  /// Returns the tick of the last change that the owner, or others, may see. Spawning and despawning are changes.
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

  /// Returns the component of an entity in a pool. Valid until the next publication.
  [[nodiscard]] PublishedRow row(ecs::Entity entity, ecs::PoolId pool) const;
  /// Returns the counts of the pool's courses, in the order of RowCodec::courses(). Empty if nothing of the pool was
  /// published yet.
  [[nodiscard]] std::span<const CourseStats> course_stats(ecs::PoolId pool) const;
  /// Writes the words of an entity, one row after the other.
  void words_now(std::uint32_t index, std::uint32_t* words);
  /// Writes the words at the end of a former tick. False if the index had another entity or prototype then, or the
  /// value log no longer has the words.
  [[nodiscard]] bool words_at(std::uint32_t index, ecs::Tick tick, std::uint32_t* words) {
    FormerWords former{tick, words};
    return words_at(index, std::span(&former, 1));
  }
  /// Words at the end of a former tick, and where they go.
  struct FormerWords {
    ecs::Tick tick;
    std::uint32_t* words;  // moves on while they are written
  };
  /// Does the same for several ticks, the newest first.
  [[nodiscard]] bool words_at(std::uint32_t index, std::span<FormerWords> wanted);
  /// Keeps what pictures of the last `ticks` ticks need, of entities that have a component of one of these types. If
  /// there are marks, the entities also have one of these. Once, before anything is published.
  void keep_past(std::span<const core::StringId32> components, ecs::Tick ticks,
                 std::span<const core::StringId32> marks = {});
  /// Returns whether entities without a mark are not kept.
  [[nodiscard]] bool has_marks() const { return !mark_types_.empty(); }
  [[nodiscard]] bool keeps_past() const { return !kept_types_.empty(); }
  /// Returns the number of ticks for which entities that no longer exist are kept; 0 if none are.
  [[nodiscard]] ecs::Tick past_ticks() const { return past_ticks_; }
  /// Returns whether an entity, or a component, is one of which the past is kept.
  [[nodiscard]] bool is_kept(std::uint32_t index) const { return keeps_past() && kept_.contains(index); }
  [[nodiscard]] bool is_kept_pool(ecs::PoolId pool) const {
    return pool < columns_.size() && columns_[pool] != nullptr && columns_[pool]->kept;
  }
  /// An entity at the end of a former tick.
  struct Past {
    ecs::Entity entity;  // null if it is not known
    ecs::PrototypeId prototype = ecs::empty_prototype;
    const FormerCompositions::Composition* former = nullptr;  // null if it has the composition still
  };
  /// Returns the entity that an index had. Valid until the next publication.
  [[nodiscard]] Past past(std::uint32_t index, ecs::Tick tick) const;
  /// Writes the words that pictures need: those of kept components, and of fields that are cuts. False if the value log
  /// no longer has them. The other words are not written.
  [[nodiscard]] bool words_of(const Past& past, ecs::Tick tick, std::uint32_t* words);
  /// Forgets the past before the kept ticks. Once per tick.
  void forget_past(ecs::Tick tick) {
    if (former_ != nullptr) former_->forget_before(tick - std::min(tick, past_ticks_));
  }
  /// Returns whether the value log still has all words of a tick, among the last 64 ticks with changes.
  [[nodiscard]] bool remembers(ecs::Tick tick) const { return log_.covers(tick); }
  /// Returns whether an entity has units that may be extrapolated.
  [[nodiscard]] bool extrapolates(std::uint32_t index) const { return extrapolated_.contains(index); }

  /// Publishes an entity at its index, or gives the entity there another prototype. Rows that the new composition lacks
  /// are dropped; the caller sets those that it adds.
  void place(ecs::Entity entity, ecs::PrototypeId prototype, ecs::Tick tick);
  void erase(std::uint32_t index, ecs::Tick tick);
  /// Publishes a component's value. True if its row is new or its words changed. A component with courses that has
  /// moved, or that is new and has a velocity, is published by follow(), in the same tick.
  bool update(std::uint32_t index, ecs::PoolId pool, const std::byte* component, ecs::Tick tick);
  /// Returns the rows of a pool that follow courses, which update() skips. Null if its components have no courses.
  [[nodiscard]] const FollowedRows* followed(ecs::PoolId pool) const {
    return pool < columns_.size() && columns_[pool] != nullptr ? columns_[pool]->followed.get() : nullptr;
  }
  /// Publishes the components of a pool that follow courses, once per tick, after the others. Components that were not
  /// written after tick `since` have left their course at most. Calls function(index) for each whose words changed.
  template <class Function>
  void follow(const ecs::Pool& pool, ecs::Tick tick, ecs::Tick since, Function&& function);
  /// Drops the layouts of prototypes that no longer exist.
  void forget(std::span<const ecs::PrototypeId> prototypes) { codecs_.forget(prototypes); }

  /// Asserts that every hash agrees with its parts.
  void check();

 private:
  static constexpr PublishedEntity nobody{};

  // Header of an entry of `rows`. The words follow, then the component's bytes from which they were made: comparing
  // these is the fastest way to find out if anything was written. Those of a followed row are old.
  struct Row {
    std::uint64_t hash = 0;
    std::uint64_t owner_hash = 0;
    ValueLog::Place before = 0;
    ecs::Tick tick = 0;
    bool has_moved = false;  // was followed before
  };
  struct Column {
    Column(const wire::RowCodec& codec, const ecs::Pool& pool, std::vector<GivenVelocity> velocities);
    const wire::RowCodec& codec;
    std::uint64_t key;
    std::uint32_t component_size;
    ecs::ComponentType row_type;
    ecs::Tick unused_tick = 0;
    bool kept = false;  // its past is kept
    bool mark = false;  // it marks entities whose past is kept
    ecs::StandalonePool rows;
    std::vector<std::uint32_t> scratch;
    std::unique_ptr<FollowedRows> followed;  // null without courses

    [[nodiscard]] std::uint32_t* words(std::byte* row) const {
      return reinterpret_cast<std::uint32_t*>(row + sizeof(Row));
    }
    [[nodiscard]] const std::uint32_t* words(const std::byte* row) const {
      return reinterpret_cast<const std::uint32_t*>(row + sizeof(Row));
    }
    [[nodiscard]] std::byte* bytes(std::byte* row) const { return row + sizeof(Row) + codec.words() * 4; }
    void remove(std::uint32_t index);
  };

  Column& column(ecs::PoolId pool);
  void note_kept(std::uint32_t index, ecs::PrototypeId prototype);
  void end_composition(std::uint32_t index, ecs::Tick tick);
  void resize(std::uint32_t end);
  void note_change(std::uint32_t index, ecs::Tick tick);
  void add_hashes(PublishedEntity& entity, std::uint64_t hash, std::uint64_t owner_hash);
  bool add(std::uint32_t index, Column& column, const std::byte* component, ecs::Tick tick);
  bool store(std::uint32_t index, Column& column, std::byte* row, const std::byte* component, ecs::Tick tick);
  bool store_followed(Column& column, const FollowedRows::Changed& changed, ecs::Tick tick);
  bool store_words(std::uint32_t index, Column& column, std::byte* row, const std::byte* component, ecs::Tick tick);

  ecs::Registry& registry_;
  wire::SchemaCodecs codecs_;
  ValueLog log_;
  double tick_seconds_;
  std::vector<std::unique_ptr<Column>> columns_;  // by pool; null until needed
  std::vector<PublishedEntity> entities_;
  std::vector<ecs::Tick> public_ticks_;
  std::vector<ecs::Tick> owner_ticks_;
  core::BitSet changed_last_;
  core::BitSet extrapolated_;                 // by index: its layout has units that may be extrapolated
  std::vector<core::StringId32> kept_types_;  // component types of which the past is kept
  std::vector<core::StringId32> mark_types_;  // component types that mark entities. If empty, all are marked
  ecs::Tick past_ticks_ = 0;
  core::BitSet kept_;                           // by index: the entity has such a component, and a mark
  std::unique_ptr<FormerCompositions> former_;  // null unless the past is kept
  ecs::Tick last_change_ = 0;
  ecs::Tick change_before_ = 0;
  std::uint64_t hash_ = 0;
  std::uint32_t size_ = 0;
};

template <class Function>
inline void Published::follow(const ecs::Pool& pool, ecs::Tick tick, ecs::Tick since, Function&& function) {
  if (followed(pool.id()) == nullptr) return;
  Column& column = *columns_[pool.id()];
  column.followed->check(registry_, pool, tick, since, [&](const FollowedRows::Changed& changed) {
    if (store_followed(column, changed, tick)) function(changed.index);
  });
}

}  // namespace mobula::server
