// Which entities live: one slot of 8 bytes per index.
//
//   slot of a living entity: generation | in_range bit, prototype
//   slot of a dead index:    the generation it will get next | dead bit, link to the next free index
//
// Recycling is Shipyard's: free indices form a queue, and an index whose generations
// are used up is retired for ever, so that a handle once seen never means another
// entity. `given` has no free list: a mirror creates the very handles it is told.
// The top bits of every generation are the incarnation of the world.
// Invariant: living + free + in dead ranges + retired == size of the index space in use.
#pragma once

#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <vector>

namespace mobula::ecs {

using PrototypeId = std::uint32_t;

enum class Recycling { queue, given };

struct EntityPoolConfig {
  Recycling recycling = Recycling::queue;
  std::uint32_t incarnation = 0;         // of 12 bits
  std::uint32_t reuse_bits = 20;         // bits of the generation that count reuse
  std::uint32_t index_limit = 1u << 26;  // indices are below this
};

// Entities that were made together: indices first … first + count - 1, all of one generation.
struct EntityRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t generation = 0;

  [[nodiscard]] Entity at(std::uint32_t offset) const { return {first + offset, generation}; }
  bool operator==(const EntityRange&) const = default;
};

class EntityPool {
 public:
  explicit EntityPool(EntityPoolConfig config = {});

  // null_entity when the index space is used up.
  Entity create();
  // Policy `given`: false if the handle is null, beyond the limit, or its index is alive.
  bool create_given(Entity entity);
  // `count` consecutive indices, which single creates never get: when all of them are dead they serve another
  // range of that size, in a new generation. Generation 0 (nothing made) when the index space is used up.
  EntityRange create_range(std::uint32_t count);
  // The entity must be alive.
  void destroy(Entity entity);
  // Whatever of the range still lives dies. Nothing happens if all of it is dead already.
  void destroy_range(const EntityRange& range);

  [[nodiscard]] bool valid(Entity entity) const {
    return entity.index < slots_.size() && slots_[entity.index].generation == entity.generation &&
           (slots_[entity.index].state & dead_bit) == 0;
  }
  // The living entity at an index, else null_entity.
  [[nodiscard]] Entity at(std::uint32_t index) const {
    if (index >= slots_.size() || (slots_[index].state & dead_bit) != 0) return null_entity;
    return {index, slots_[index].generation};
  }
  // Of a living entity's index.
  [[nodiscard]] PrototypeId prototype(std::uint32_t index) const { return slots_[index].state & state_mask; }
  void set_prototype(std::uint32_t index, PrototypeId prototype) {
    slots_[index].state = (slots_[index].state & in_range_bit) | prototype;
  }

  [[nodiscard]] std::uint32_t size() const { return alive_; }
  // All indices ever used are below it.
  [[nodiscard]] std::uint32_t index_end() const { return static_cast<std::uint32_t>(slots_.size()); }
  [[nodiscard]] std::uint32_t retired() const { return retired_; }
  [[nodiscard]] const EntityPoolConfig& config() const { return config_; }

  template <class Function>
  void each(Function&& function) const {
    for (std::uint32_t index = 0; index < slots_.size(); ++index)
      if ((slots_[index].state & dead_bit) == 0) function(Entity{index, slots_[index].generation});
  }

  // Asserts the invariant above by walking everything.
  void check() const;

 private:
  static constexpr std::uint32_t dead_bit = 1u << 31;
  static constexpr std::uint32_t in_range_bit = 1u << 30;
  static constexpr std::uint32_t state_mask = in_range_bit - 1;
  static constexpr std::uint32_t no_link = state_mask;

  struct Slot {
    std::uint32_t generation;
    std::uint32_t state;
  };
  struct RangeSlot {
    EntityRange range;  // generation: of the living, or the next one
    std::uint32_t alive = 0;
  };

  [[nodiscard]] std::uint32_t first_generation() const { return config_.incarnation << config_.reuse_bits | 1; }
  [[nodiscard]] bool used_up(std::uint32_t generation) const {
    return (generation & ((1ull << config_.reuse_bits) - 1)) == 0;
  }
  void release(std::uint32_t index);
  [[nodiscard]] std::uint32_t range_slot(std::uint32_t index) const;
  void kill_in_range(RangeSlot& slot, std::uint32_t index);

  EntityPoolConfig config_;
  std::vector<Slot> slots_;
  std::vector<RangeSlot> ranges_;           // by first index, for ever
  std::vector<std::uint32_t> free_ranges_;  // places in ranges_
  std::uint32_t free_head_ = no_link;
  std::uint32_t free_tail_ = no_link;
  std::uint32_t alive_ = 0;
  std::uint32_t retired_ = 0;
};

}  // namespace mobula::ecs
