// Quantised component values by entity index, and the hashes of them: on the server what
// was published last, in a mirror what was received last. If both hold the same, their
// hashes are the same.
//
//   row:    the bits of one component of one entity as its ComponentCodec wrote them, with the tick they are of
//   entity: handle, prototype, tick of the last change, hash
//
// An entity's hash is hash(handle, prototype's hash) plus the wrapping sum of its rows'
// hashes; a row's hash depends on the handle and on (component type, instance name).
// Invariant: an entity has rows exactly in the pools of its prototype, once it is complete.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/core/bit_stream.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/component_codec.hpp>
#include <span>
#include <vector>

namespace mobula::wire {

struct Row {
  ecs::Tick tick;
  std::uint32_t bits;
  const std::byte* data;
};

struct EntityRow {
  ecs::Entity entity;  // null: no entity at this index
  ecs::PrototypeId prototype = ecs::empty_prototype;
  ecs::Tick structure_tick = 0;  // when entity or prototype changed
  ecs::Tick tick = 0;            // when anything changed
  std::uint64_t hash = 0;
};

inline constexpr EntityRow no_entity_row{};

class RowTable {
 public:
  // Both outlive the table. Only prototypes of pools that are sent are given to it; it holds those of its entities.
  RowTable(ecs::Registry& registry, const reflect::Schema& schema) : registry_(registry), schema_(schema) {}
  ~RowTable();
  RowTable(const RowTable&) = delete;
  RowTable& operator=(const RowTable&) = delete;

  // The codec of a pool's component; null for components that are not sent.
  [[nodiscard]] const ComponentCodec* codec(ecs::PoolId pool);

  [[nodiscard]] const EntityRow& entity(std::uint32_t index) const {
    return index < entities_.size() ? entities_[index] : no_entity_row;
  }
  [[nodiscard]] std::uint32_t index_end() const { return static_cast<std::uint32_t>(entities_.size()); }
  // Sum of all entities' hashes, and how many there are.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }

  // Puts an entity at its index, or gives the one there another prototype. Rows that the new
  // composition lacks are dropped, those it adds are the caller's to set.
  void place(ecs::Entity entity, ecs::PrototypeId prototype, ecs::Tick tick);
  void erase(std::uint32_t index);
  // Prototypes that no longer are.
  void forget(std::span<const ecs::PrototypeId> prototypes);

  // From a component's memory; true if the row is new or differs from what it was.
  bool update(std::uint32_t index, ecs::PoolId pool, const std::byte* component, ecs::Tick tick);
  // From `bits` bits as they arrived.
  void assign(std::uint32_t index, ecs::PoolId pool, core::BitReader source, std::uint32_t bits, ecs::Tick tick);

  // The entity must have a row in that pool.
  [[nodiscard]] Row row(std::uint32_t index, ecs::PoolId pool) const;

  // Asserts that every hash is what its parts say.
  void check() const;

 private:
  struct StoredRow {
    std::uint64_t hash;
    ecs::Tick tick;
    std::uint32_t bits;
  };
  // `rows` has components of runtime size: a StoredRow, then the bits, zero-filled.
  struct Column {
    Column(const reflect::Component& component, const ecs::Pool& pool);
    ComponentCodec codec;
    std::uint64_t key;  // type, instance
    ecs::ComponentType row_type;
    ecs::Tick unused_tick = 0;
    ecs::Pool rows;
  };

  Column* column(ecs::PoolId pool);
  std::uint64_t prototype_hash(ecs::PrototypeId prototype);
  core::MutableBytes scratch(std::uint32_t bits);
  bool store(std::uint32_t index, Column& column, ecs::Tick tick, std::uint32_t bits);
  void add_to_hash(EntityRow& row, std::uint64_t change);

  ecs::Registry& registry_;
  const reflect::Schema& schema_;
  std::vector<std::unique_ptr<Column>> columns_;  // by pool id; null: not sent
  std::vector<bool> known_;                       // by pool id: columns_ is decided
  std::vector<std::uint64_t> prototype_hashes_;   // by prototype; 0: not computed yet
  std::vector<EntityRow> entities_;
  std::vector<std::byte> scratch_;
  std::uint64_t hash_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace mobula::wire
