// Pool of entity handles: one slot of 8 bytes per index.
//
//   living entity:        generation            | in_range bit, prototype
//   free index:           next generation       | dead bit, next free index or no_link
//   unused index:         0                     | dead bit, no_link
//   dead entity in range: 0                     | dead bit, in_range bit
//   living guest:         generation            | in_range bit, prototype
//   ghost:                generation            | in_range bit, ghost bit, prototype
//   abroad:               its generation        | dead bit, in_range bit
//
// Worlds that exchange entities share one index space, and each creates entities at indices of its own. A guest is an
// entity that another world has created. A ghost is a copy of an entity that another world has. An own entity that
// another world has, and of which there is no ghost, is abroad. entity_pool_guests.cpp has the transitions.
//
// Recycling policies:
// - `queue`, as in Shipyard: the index that has been free longest is reused first. An index whose generations are used
//   up is retired, so a handle never denotes a second entity.
// - `lifo`, as in EnTT: the index that died last is reused first, and generations wrap.
// - `given`, for mirrors: the caller chooses every handle, as a mirror receives them from the server. There is no free
//   list, and every dead index is unused. Slots are kept in given_entities.hpp, as a mirror has few.
//
// The top bits of every generation are the world's incarnation. A pool restored under a newer one keeps living entities
// as they are. New handles carry the new one, also at indices of older entities. Retired indices become free again.
//
// Invariant: living + free + dead in ranges + retired + abroad == number of used own indices (not under `given`).
// Guests do not count, and each free index is in the free list once. A failed allocation changes nothing. Destroying
// never allocates.
#pragma once

#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/core/owned.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity_batch.hpp>
#include <mobula/ecs/entity_pool_image.hpp>
#include <mobula/ecs/given_entities.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::ecs {

/// Recycling policy of entity indices, see the top of this file.
enum class Recycling : std::uint32_t { queue, lifo, given };

/// Indices of the entities that a world creates.
struct OwnIndices {
  std::uint32_t first = 0;
  std::uint32_t end = ~0u;  // entities_max if that is lower
  bool operator==(const OwnIndices&) const = default;
};
/// Configuration of an entity pool.
struct EntityPoolConfig {
  Recycling recycling = Recycling::queue;
  std::uint32_t incarnation = 0;          // 12 bits
  std::uint32_t reuse_bits = 20;          // generation bits that count reuse
  std::uint32_t entities_max = 1u << 26;  // indices are below it
  OwnIndices own{};                       // for `queue` only
};

/// Entity handles: creates, destroys and recycles them.
class EntityPool {
 public:
  class Iterator;

  /// Makes an empty pool. Checks that 1 to 32 bits count reuse, and that the incarnation fits above them. Checks that
  /// entities_max is below 2^29, and that own indices begin below it.
  explicit EntityPool(EntityPoolConfig config = {});

  /// Creates an entity. null_entity if the index space is used up. Under `given` each form without a handle is refused.
  Entity create(PrototypeId prototype = 0);
  /// Returns the index that create() will use. Requires free index space and a policy other than `given`.
  [[nodiscard]] std::uint32_t next_index() const { return free_head_ != no_link ? free_head_ : fresh(); }
  /// Fills `out` with new entities, free indices first. Returns false and creates nothing if the index space is too
  /// small.
  bool create(std::span<Entity> out, PrototypeId prototype = 0);
  /// Creates the given handle. Fails a check under other policies than `given`. Returns false if it is null, its index
  /// is beyond entities_max or alive.
  bool create_given(Entity entity);
  /// Creates `count` entities of consecutive indices. Single creates never reuse these indices: when all are dead they
  /// serve another range of the same size, in a new generation. Returns generation 0 if the index space is used up.
  EntityRange create_range(std::uint32_t count, PrototypeId prototype = 0);

  /// Destroys a living entity and returns the prototype it had. Only builds with asserts check that it lives.
  PrototypeId destroy(Entity entity);
  /// Destroys living, distinct entities.
  void destroy(std::span<const Entity> entities);
  /// Returns whether this world creates the entities of an index.
  [[nodiscard]] bool is_own(std::uint32_t index) const { return index >= config_.own.first && index < own_end_; }
  /// Adds an entity of another world: a guest, or an own entity that was abroad; as a ghost if the other world keeps
  /// it. Policy `queue` only. Returns false if the handle is null, its index is beyond entities_max or alive, or an own
  /// entity is not abroad.
  bool receive(Entity entity, bool ghost);
  /// Returns whether receive() would add an entity.
  [[nodiscard]] bool can_receive(Entity entity) const;
  /// Notes whether another world has a living entity. If a ghost is destroyed, the entity lives on there.
  void set_ghost(Entity entity, bool ghost);
  /// Returns whether an entity lives here as a ghost.
  [[nodiscard]] bool is_ghost(Entity entity) const {
    return valid(entity) && !given_ && (slots_[entity.index].state & ghost_bit) != 0;
  }
  /// Frees the index of an entity that was abroad and has ended in another world. Returns false if it is not abroad.
  bool end_abroad(Entity entity);
  /// Returns whether a later run than that of this pool can have made an own entity that is elsewhere now.
  [[nodiscard]] bool may_note_abroad(Entity entity) const;
  /// Returns the living entities of its index and its range, which have ended in that run.
  [[nodiscard]] std::vector<Entity> former_of(Entity entity) const;
  /// Notes that it is abroad. Linear in the free indices. Returns false if it may not be, or a former one lives.
  bool note_abroad(Entity entity);
  /// Returns whether an own entity is abroad.
  [[nodiscard]] bool is_abroad(Entity entity) const;
  /// Returns the own entity at an index that another world has: it is abroad, or lives here as a ghost. Null if there
  /// is none.
  [[nodiscard]] Entity elsewhere_at(std::uint32_t index) const;
  /// Returns the number of own entities that are abroad.
  [[nodiscard]] std::uint32_t abroad() const { return abroad_; }

  /// Destroys the entities of the range that still live. Does nothing if all are dead or the range is empty. Fails a
  /// check if create_range() did not make it.
  void destroy_range(const EntityRange& range);
  /// Checks that create_range() made a range, dead or alive.
  void check_range(const EntityRange& range) const;

  /// Returns whether the entity lives. Inlined: a call would force handles into memory.
  [[nodiscard, gnu::always_inline]] bool valid(Entity entity) const {
    if (!has_slot(entity.index)) [[unlikely]]
      return given_ && entity && entity == given_at(entity.index);
    return slots_[entity.index].generation == entity.generation && !is_dead(slots_[entity.index]);
  }
  /// Returns the same for an index of which a set of living entities is known to contain it; not under `given`.
  [[nodiscard]] bool owns(Entity entity) const { return slots_[entity.index].generation == entity.generation; }
  /// Slots of all indices, for many checks; none under `given`. Valid until an entity is created.
  class Slots {
   public:
    /// Returns whether the entity lives, for an index of which a set of living entities is known to contain it.
    [[nodiscard]] bool owns(Entity entity) const { return slots_[entity.index].generation == entity.generation; }
    bool operator==(const Slots&) const = default;

   private:
    friend class EntityPool;
    Slots(const EntitySlot* slots, const EntitySlot* end) : slots_(slots), end_(end) {}
    const EntitySlot* slots_;
    const EntitySlot* end_;
  };
  [[nodiscard]] Slots slots() const { return {slots_.data(), slots_.data() + slots_.size()}; }
  /// Returns the living entity at an index, else null_entity.
  [[nodiscard]] Entity at(std::uint32_t index) const {
    if (!has_slot(index)) [[unlikely]]
      return given_ ? given_at(index) : null_entity;
    if (is_dead(slots_[index])) return null_entity;
    return {index, slots_[index].generation};
  }
  /// Returns the prototype of the living entity at an index. Requires one there; not checked.
  [[nodiscard]] PrototypeId prototype(std::uint32_t index) const { return slot(index).state & link_mask; }
  /// Reference to an entity's prototype, to read it and then change it. Valid until an entity is created or destroyed.
  class PrototypePlace {
   public:
    PrototypePlace() = default;
    [[nodiscard]] PrototypeId get() const { return *state_ & link_mask; }
    /// Replaces the prototype. `from`: the current one.
    void change(PrototypeId from, PrototypeId to) const {
      MOBULA_ASSERT(get() == from, "an entity's prototype changes from the one it has");
      *state_ += to - from;
    }
    bool operator==(const PrototypePlace&) const = default;
    /// Returns whether the place refers to an entity. get() and change() require it.
    explicit operator bool() const { return state_ != nullptr; }

   private:
    friend class EntityPool;
    explicit PrototypePlace(std::uint32_t& state) : state_(&state) {}
    std::uint32_t* state_ = nullptr;
  };
  /// Returns the place of the prototype of the living entity at an index. Requires one there; not checked.
  [[nodiscard]] PrototypePlace prototype_place(std::uint32_t index) { return PrototypePlace(slot(index).state); }
  /// Returns the place of a valid entity's prototype, else null; only for policies other than `given`.
  [[nodiscard]] PrototypePlace find_flat_prototype_place(Entity entity) {
    MOBULA_ASSERT(!given_, "slots lie by index");
    if (!has_slot(entity.index)) [[unlikely]]
      return {};
    EntitySlot& slot = slots_[entity.index];
    return slot.generation == entity.generation && !is_dead(slot) ? PrototypePlace(slot.state) : PrototypePlace();
  }

  /// Returns the number of living entities.
  [[nodiscard]] std::uint32_t size() const { return alive_; }
  /// Returns the end of the index space ever used.
  [[nodiscard]] std::uint32_t index_end() const { return given_ ? given_->end() : slot_end(); }
  /// Returns the number of indices whose generations are used up.
  [[nodiscard]] std::uint32_t retired() const { return retired_; }
  [[nodiscard]] const EntityPoolConfig& config() const { return config_; }

  /// Calls function(Entity) for all living entities by index. The function may destroy any entity and create others;
  /// those at higher indices are visited too. Outside `given` it takes time in proportion to index_end().
  template <class Function>
  void each(Function&& function) const {
    if (given_) [[unlikely]] {
      for (std::uint32_t index = given_->next(0); index < given_->end(); index = given_->next(index + 1))
        function(at(index));
      return;
    }
    for (std::uint32_t index = 0; index < slots_.size(); ++index) {
      if (is_dead(slots_[index])) {
        index = next_living(index);
        if (index == slots_.size()) return;
      }
      function(Entity{index, slots_[index].generation});
    }
  }
  /// Returns an iterator over the living entities by index.
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

  /// Returns an image that points into the pool; valid until it changes. Under `given` slots are laid out in `room`.
  [[nodiscard]] EntityPoolImage image(std::vector<EntitySlot>& room) const;
  /// Returns the image of a pool in which exactly `living` live, under the config's incarnation, which must be a new
  /// one. `abroad`: the own entities that are abroad. Other own indices up to the last one are free. `ranges`: all
  /// ranges ever created, by first index; one without such entities is free as a whole. Points into `room`. Policy
  /// `queue` only. Errors: "too many entities". Other inconsistencies are found by restore().
  static core::Result<EntityPoolImage> image_of(const EntityPoolConfig& config, std::span<const LivingEntity> living,
                                                std::span<const Entity> abroad, std::span<const EntityRange> ranges,
                                                EntityPoolImageRoom& room);
  /// Returns the pool of an image, under the config's incarnation. Errors, if taken under another config: "other
  /// recycling", "other reuse bits", "later incarnation", "too many entities" (entities_max is lower here). Also "other
  /// indices" if own ones begin elsewhere. Every number is checked: "damaged snapshot" unless a pool with this config
  /// can reach that state.
  static core::Result<EntityPool> restore(const EntityPoolConfig& config, const EntityPoolImage& image,
                                          PrototypeId prototype_count);

  /// Asserts the invariant by checking every slot.
  void check() const;

 private:
  static constexpr std::uint32_t dead_bit = 1u << 31;
  static constexpr std::uint32_t in_range_bit = 1u << 30;
  static constexpr std::uint32_t ghost_bit = 1u << 29;
  static constexpr std::uint32_t link_mask = ghost_bit - 1;
  static constexpr std::uint32_t no_link = link_mask;
  static constexpr EntitySlot unused_slot{0, dead_bit | no_link};

  struct Counts {
    std::uint32_t alive = 0;
    std::uint32_t free = 0;
    std::uint32_t dead_in_ranges = 0;
    std::uint32_t retired = 0;
    std::uint32_t abroad = 0;
    std::uint32_t guests = 0;
  };

  // Compares addresses, without the division that a vector's size() takes.
  [[nodiscard]] bool has_slot(std::uint32_t index) const {
    return reinterpret_cast<std::uintptr_t>(slots_.data()) + std::size_t{index} * sizeof(EntitySlot) <
           reinterpret_cast<std::uintptr_t>(slots_.data() + slots_.size());
  }
  static bool is_dead(const EntitySlot& slot) { return (slot.state & dead_bit) != 0; }
  static bool is_unused(const EntitySlot& slot) {
    return slot.generation == unused_slot.generation && slot.state == unused_slot.state;
  }
  static bool is_abroad(const EntitySlot& slot) {
    return slot.state == (dead_bit | in_range_bit) && slot.generation != 0;
  }
  // A living entity of an older incarnation is followed by the first generation of this one.
  [[nodiscard]] std::uint32_t generation_after(std::uint32_t generation) const {
    return generation < first_generation_ ? first_generation_ : generation + 1;
  }
  [[nodiscard]] bool used_up(std::uint32_t generation) const { return (generation & reuse_mask_) == 0; }
  [[nodiscard]] std::uint32_t fresh() const { return fresh_max_ != 0 ? slot_end() : fresh_; }
  [[nodiscard]] std::uint32_t slot_end() const { return static_cast<std::uint32_t>(slots_.size()); }
  [[nodiscard]] const EntitySlot& slot(std::uint32_t index) const {
    if (given_) [[unlikely]]
      return given_slot(index);
    return slots_[index];
  }
  [[nodiscard]] EntitySlot& slot(std::uint32_t index) {
    return const_cast<EntitySlot&>(std::as_const(*this).slot(index));
  }
  [[nodiscard, gnu::noinline, gnu::pure]] Entity given_at(std::uint32_t index) const;
  [[nodiscard, gnu::noinline, gnu::pure]] const EntitySlot& given_slot(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t free_count() const {
    return fresh() - config_.own.first - (alive_ - guests_) - dead_in_ranges_ - retired_ - abroad_;
  }
  [[nodiscard]] std::uint32_t next_living(std::uint32_t index) const;
  [[gnu::cold]] static std::string not_alive(Entity entity);

  Entity create_fresh(PrototypeId prototype);
  [[gnu::noinline, gnu::cold]] std::uint32_t create_below_guests(PrototypeId prototype);
  [[gnu::noinline, gnu::cold]] void grow();
  Entity pop_free(PrototypeId prototype);
  void link_free(std::uint32_t index);
  void unlink_free(std::uint32_t index);
  [[gnu::noinline, gnu::cold]] PrototypeId destroy_rare(std::uint32_t index);
  [[gnu::noinline]] PrototypeId destroy_given(std::uint32_t index);

  [[nodiscard]] std::uint32_t flags(std::uint32_t index, bool ghost) const;
  PrototypeId leave(std::uint32_t index);
  [[nodiscard]] std::size_t ranges_up_to(std::uint32_t index) const;
  [[nodiscard]] EntityRangeSlot& range_of(std::uint32_t index);
  [[nodiscard]] std::vector<EntityRangeList>::iterator list_from(std::uint32_t count);
  EntityRange create_fresh_range(std::uint32_t count, PrototypeId prototype);
  EntityRangeSlot& pop_free_range(EntityRangeList& list);
  void link_free_range(EntityRangeSlot& slot);
  void unlink_free_range(EntityRangeSlot& slot);
  void take_from_range(std::uint32_t index, std::uint32_t generation);
  [[nodiscard]] const EntityRangeSlot* find_range(std::uint32_t index) const;
  [[nodiscard]] EntityRange range_or_index(std::uint32_t index) const;
  void range_died(EntityRangeSlot& slot);

  void count_generations();
  void fold();
  void begin_incarnation(std::uint32_t incarnation);
  void add_slots(std::uint32_t count, std::uint32_t state);
  const char* survey(PrototypeId prototype_count, Counts& counts) const;
  const char* survey_guests(std::uint32_t begin, std::uint32_t end, PrototypeId prototypes, Counts& counts) const;
  const char* survey_singles(std::uint32_t begin, std::uint32_t end, PrototypeId prototypes, Counts& counts) const;
  const char* survey_range(const EntityRangeSlot& slot, PrototypeId prototype_count, Counts& counts) const;
  const char* survey_free_list(std::uint32_t expected) const;
  const char* survey_range_lists() const;

  // Members that create() and destroy() use, in one cache line.
  std::vector<EntitySlot> slots_;
  std::uint32_t first_generation_ = 0;
  std::uint32_t reuse_mask_ = 0;
  std::uint32_t fresh_max_ = 0;  // own_end_ while slots_ ends with own indices; 0 once it ends with a guest's
  std::uint32_t free_head_ = no_link;
  std::uint32_t free_tail_ = no_link;  // valid if a queue has a head
  std::uint32_t alive_ = 0;
  core::Owned<GivenEntities> given_;  // instead of slots_, under `given` only
  EntityPoolConfig config_;
  std::uint32_t own_end_ = 0;
  std::uint32_t fresh_ = 0;  // first own index that was never used, if fresh_max_ is 0
  std::uint32_t retired_ = 0;
  std::uint32_t dead_in_ranges_ = 0;  // in ranges that are not retired
  std::uint32_t abroad_ = 0;
  std::uint32_t guests_ = 0;             // living
  std::vector<EntityRangeSlot> ranges_;  // by first index; never erased
  // By count, created with the first range of a size. Few sizes exist (k different ones take k²/2 indices), so
  // inserting in the middle is cheap.
  std::vector<EntityRangeList> free_range_lists_;
};

class EntityPool::Iterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using value_type = Entity;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  Iterator(const EntityPool& pool, std::uint32_t index) : pool_(&pool), index_(index) {}
  Entity operator*() const { return {index_, pool_->slot(index_).generation}; }
  Iterator& operator++() {
    index_ = pool_->next_living(index_ + 1);
    return *this;
  }
  Iterator operator++(int) {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  /// The end moves if entities are created during iteration.
  bool operator==(const Iterator& other) const { return index_ == other.index_ || (is_end() && other.is_end()); }

 private:
  [[nodiscard]] bool is_end() const { return pool_ == nullptr || index_ >= pool_->index_end(); }

  const EntityPool* pool_ = nullptr;
  std::uint32_t index_ = 0;
};

inline EntityPool::Iterator EntityPool::begin() const { return {*this, next_living(0)}; }
inline EntityPool::Iterator EntityPool::end() const { return {*this, ~0u}; }

/// Skips runs of dead indices eight at a time.
inline std::uint32_t EntityPool::next_living(std::uint32_t index) const {
  if (given_) [[unlikely]]
    return given_->next(index);
  const EntitySlot* const slots = slots_.data();
  const std::uint32_t end = slot_end();
  const auto eight_dead = [&](const EntitySlot* s) {
    return ((s[0].state & s[1].state & s[2].state & s[3].state) & (s[4].state & s[5].state & s[6].state & s[7].state) &
            dead_bit) != 0;
  };
  while (index < end && is_dead(slots[index])) {
    ++index;
    while (end - index >= 8 && eight_dead(slots + index)) index += 8;
  }
  return index;
}

inline Entity EntityPool::create(PrototypeId prototype) {
  return free_head_ != no_link ? pop_free(prototype) : create_fresh(prototype);
}

inline Entity EntityPool::pop_free(PrototypeId prototype) {
  const std::uint32_t index = free_head_;
  EntitySlot& slot = slots_[index];
  free_head_ = slot.state & link_mask;
  slot.state = prototype;
  ++alive_;
  return {index, slot.generation};
}

// Under `given` no index is in the free list, so each create() of it comes here.
inline Entity EntityPool::create_fresh(PrototypeId prototype) {
  MOBULA_CHECK(config_.recycling != Recycling::given, "under `given` handles come from the caller: use create_given");
  std::uint32_t index = slot_end();
  if (index >= fresh_max_) [[unlikely]] {
    index = create_below_guests(prototype);  // no handle: as a second result it would be kept in a vector register
    if (index == no_link) return null_entity;
    return {index, first_generation_};
  }
  if (slots_.capacity() == index) [[unlikely]]
    grow();
  // Stated in terms of the vector's own pointers, or else its growth is inlined as well.
  if (slots_.data() + slots_.size() == slots_.data() + slots_.capacity()) __builtin_unreachable();
  slots_.push_back({first_generation_, prototype});
  ++alive_;
  return {index, first_generation_};
}

inline PrototypeId EntityPool::destroy(Entity entity) {
  MOBULA_ASSERT(valid(entity), not_alive(entity));
  if (given_) [[unlikely]]
    return destroy_given(entity.index);
  EntitySlot& slot = slots_[entity.index];
  const std::uint32_t next = generation_after(slot.generation);
  if ((slot.state & in_range_bit) != 0 || used_up(next)) [[unlikely]]
    return destroy_rare(entity.index);
  const PrototypeId prototype = slot.state;
  --alive_;
  slot.generation = next;
  link_free(entity.index);
  return prototype;
}

inline void EntityPool::link_free(std::uint32_t index) {
  if (config_.recycling == Recycling::lifo) {
    slots_[index].state = dead_bit | free_head_;
    free_head_ = index;
    return;
  }
  slots_[index].state = dead_bit | no_link;
  if (free_head_ == no_link) {
    free_head_ = index;
  } else {
    slots_[free_tail_].state = dead_bit | index;
  }
  free_tail_ = index;
}

}  // namespace mobula::ecs
