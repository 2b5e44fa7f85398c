// What the world looked like to the outside at the end of each tick: for each entity that is sent its rows of words,
// now and, as far as the log goes back, before.
//
// An entity has two hashes (entity_hash.hpp), of what everyone may see and of what its owner sees besides.
// Invariant: an entity has rows exactly in the pools of its prototype, once it is complete.
#pragma once

#include <memory>
#include <mobula/core/bit_set.hpp>
#include <mobula/server/replication/value_log.hpp>
#include <mobula/wire/schema_codecs.hpp>
#include <span>
#include <vector>

namespace mobula::server {

struct PublishedEntity {
  ecs::Entity entity;  // null: no entity at this index
  ecs::PrototypeId prototype = ecs::empty_prototype;
  ecs::Tick structure_tick = 0;  // when entity or prototype changed
  std::uint64_t hash = 0;
  std::uint64_t owner_hash = 0;  // of the owner_only words alone
};

class Published {
 public:
  // Registry and schema outlive it. Only prototypes of pools that are sent are given to it; it holds those of its
  // entities.
  Published(ecs::Registry& registry, const reflect::Schema& schema, std::size_t log_bytes);
  ~Published();
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  [[nodiscard]] wire::SchemaCodecs& codecs() { return codecs_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }

  [[nodiscard]] const PublishedEntity& entity(std::uint32_t index) const {
    return index < entities_.size() ? entities_[index] : nobody;
  }
  // When something that everyone, or the owner, may see changed; also when it came or went.
  [[nodiscard]] ecs::Tick changed(std::uint32_t index, bool owner) const {
    return owner ? owner_ticks_[index] : public_ticks_[index];
  }
  // The last tick in which anything changed, and the one before it in which anything did.
  [[nodiscard]] ecs::Tick last_change() const { return last_change_; }
  [[nodiscard]] ecs::Tick change_before() const { return change_before_; }
  // Whether anything of the entity changed in that last tick, for whoever sees it.
  [[nodiscard]] bool changed_last(std::uint32_t index) const { return changed_last_.contains(index); }
  [[nodiscard]] std::uint32_t index_end() const { return static_cast<std::uint32_t>(entities_.size()); }
  // Sum of all entities' public hashes, and how many there are.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }

  // The words of an entity, its rows one after the other.
  void words_now(std::uint32_t index, std::uint32_t* words);
  // As they were at the end of that tick. False: it was another entity or prototype then, or the log does not know.
  [[nodiscard]] bool words_at(std::uint32_t index, ecs::Tick tick, std::uint32_t* words);

  // Puts an entity at its index, or gives the one there another prototype. Rows that the new composition lacks are
  // dropped, those it adds are the caller's to set.
  void place(ecs::Entity entity, ecs::PrototypeId prototype, ecs::Tick tick);
  void erase(std::uint32_t index, ecs::Tick tick);
  // From a component's memory; true if the row is new or differs from what it was.
  bool update(std::uint32_t index, ecs::PoolId pool, const std::byte* component, ecs::Tick tick);
  // Prototypes that no longer are.
  void forget(std::span<const ecs::PrototypeId> prototypes) { codecs_.forget(prototypes); }

  // Asserts that every hash is what its parts say.
  void check();

 private:
  static constexpr PublishedEntity nobody{};

  // In `rows`: a Row, the words, and the component's bytes that they were made of, which tell fastest whether anything
  // was written.
  struct Row {
    std::uint64_t hash = 0;
    std::uint64_t owner_hash = 0;
    ValueLog::Place before = 0;
    ecs::Tick tick = 0;
    std::uint32_t unused = 0;
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

    [[nodiscard]] std::uint32_t* words(std::byte* row) const {
      return reinterpret_cast<std::uint32_t*>(row + sizeof(Row));
    }
    [[nodiscard]] std::byte* bytes(std::byte* row) const { return row + sizeof(Row) + codec.words() * 4; }
  };

  Column& column(ecs::PoolId pool);
  void resize(std::uint32_t end);
  void note_change(std::uint32_t index, ecs::Tick tick);
  void add_hashes(PublishedEntity& entity, std::uint64_t hash, std::uint64_t owner_hash);
  bool store(std::uint32_t index, Column& column, std::byte* row, const std::byte* component, ecs::Tick tick);

  ecs::Registry& registry_;
  wire::SchemaCodecs codecs_;
  ValueLog log_;
  std::vector<std::unique_ptr<Column>> columns_;  // by pool; null: not needed yet
  std::vector<PublishedEntity> entities_;
  std::vector<ecs::Tick> public_ticks_;
  std::vector<ecs::Tick> owner_ticks_;
  core::BitSet changed_last_;
  ecs::Tick last_change_ = 0;
  ecs::Tick change_before_ = 0;
  std::uint64_t hash_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace mobula::server
