// Pool: all components of one (component type, instance name). A sparse set with data.
//
//   set:           which entity is at which position
//   data:          blocks of 64 components by position, cut from slabs; a block never moves
//   change ticks:  per block the tick of the last mutable access or move
//
// Removal swaps the last component into the gap. A reference into a pool is valid until the pool's next structural
// change. Owned by a registry; knows entity indices only, not handles.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <mobula/core/bytes.hpp>
#include <mobula/core/owned.hpp>
#include <mobula/ecs/component_type.hpp>
#include <mobula/ecs/entity_batch.hpp>
#include <mobula/ecs/iteration_progress.hpp>
#include <mobula/ecs/sparse_set.hpp>
#include <vector>

namespace mobula::ecs {

using PoolId = std::uint32_t;
inline constexpr PoolId no_pool = ~0u;
using Tick = std::uint32_t;
inline constexpr Tick ticks_max = 0xFFFF'0000;  // 6.8 years at 20 Hz

struct PoolWatch;  // groups and listeners: watch.hpp
class Commands;
class GroupSet;
class Registry;
class Scratch;
class SnapshotLoader;
namespace detail {
class SortGuard;
struct SortTarget;
}  // namespace detail

/// Owner of the order of a pool's components. With `nobody` the defragmenter may reorder them.
enum class OrderOwner : std::uint8_t { nobody, sort, group, hierarchy };

/// Configuration of a pool.
struct PoolConfig {
  /// 2^10 indices, 4 KiB. SparseSet::no_pages for mirrors: few entities at scattered indices.
  std::uint32_t sparse_page_shift = 10;
};

/// All components of one (component type, instance name).
class Pool {
 public:
  static constexpr std::uint32_t none = SparseSet::none;
  static constexpr std::uint32_t block_shift = 6;
  static constexpr std::uint32_t block_size = 1u << block_shift;

  /// Makes an empty pool. Refers to `type` and to `now`, the registry's tick: both must outlive it. Checks that the
  /// type is aligned to at most 64 bytes.
  Pool(PoolId id, const ComponentType& type, core::StringId32 instance, std::string instance_name, const Tick& now,
       PoolConfig config);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] PoolId id() const { return id_; }
  [[nodiscard]] const ComponentType& type() const { return type_; }
  /// Returns whether the type is in the schema; other components are server-only.
  [[nodiscard]] bool is_schema() const { return schema_; }
  [[nodiscard]] core::StringId32 instance() const { return instance_; }
  [[nodiscard]] const std::string& instance_name() const { return instance_name_; }
  /// Fails a check if a component of C++ has another size than the pool's.
  void check_size(std::size_t size) const {
    if (type_.size != size) [[unlikely]]
      fail_size(size);
  }

  // Which entities -----------------------------------------------------------------------

  [[nodiscard]] const SparseSet& set() const { return set_; }
  [[nodiscard]] std::uint32_t size() const { return set_.size(); }
  /// Returns the indices by position. Valid until the next structural change.
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return set_.indices(); }
  /// Returns the position of an entity's component, or `none`.
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const { return set_.find(index); }
  [[nodiscard]] bool contains(std::uint32_t index) const { return set_.contains(index); }
  /// Returns a counter that rises with every change of positions, and when the pool grows.
  [[nodiscard]] std::uint64_t version() const { return set_.version(); }

  // Components ---------------------------------------------------------------------------

  /// Returns a component. Fails a check if the position is not below size().
  [[nodiscard]] const std::byte* at(std::uint32_t position) const {
    check_position(position);
    return address(position);
  }
  /// Marks the position's block as changed in the current tick.
  [[nodiscard]] std::byte* at_mutable(std::uint32_t position) {
    check_position(position);
    mark_held(position);
    return address(position);
  }
  /// Leaves the change tick alone: marking is up to the caller. The position is not checked.
  [[nodiscard]] std::byte* address(std::uint32_t position) const {
    return blocks_[position >> block_shift] + static_cast<std::size_t>(position & block_mask) * element_size_;
  }
  /// Returns address() as a T, which is the type of the pool.
  template <class T>
  [[nodiscard, gnu::returns_nonnull]] T* typed_address(std::uint32_t position) const {
    return typed_address<T>(blocks_.data(), position);
  }
  /// Where components and their change ticks lie, for many accesses. Valid until the pool's next structural change.
  struct Table {
    std::byte* const* blocks;
    Tick* change_ticks;
    const Tick* now;

    template <class T>
    [[nodiscard, gnu::returns_nonnull]] T* typed_address(std::uint32_t position) const {
      return Pool::typed_address<T>(blocks, position);
    }
    /// Marks the position's block as changed. The position is not checked.
    void mark_changed(std::uint32_t position) const { change_ticks[position >> block_shift] = *now; }
  };
  [[nodiscard]] Table table() { return {blocks_.data(), change_ticks_.data(), &now_}; }
  /// Returns the first block of the slab that a block lies in. The slab's blocks are one array.
  [[nodiscard]] std::uint32_t slab_begin(std::uint32_t block) const {
    check_position(block << block_shift);
    return slab_begins_[block];
  }
  /// Returns the end, at most `end`, of the array that a position lies in. Requires position < end <=
  /// size().
  [[nodiscard]] std::uint32_t slab_end(std::uint32_t position, std::uint32_t end) const;

  /// Returns the change ticks by block; block b holds positions 64 b … 64 b + 63.
  [[nodiscard]] std::span<const Tick> change_ticks() const {
    return {change_ticks_.data(), (size() + block_mask) >> block_shift};
  }
  /// Marks the position's block as changed.
  void mark_changed(std::uint32_t position) {
    check_position(position);
    mark_held(position);
  }
  /// Marks all blocks of positions first … end - 1 as changed. Requires end <= size(); not checked.
  void mark_run_changed(std::uint32_t first, std::uint32_t end) {
    const Tick now = now_;  // else read again after each write
    Tick* const change_ticks = change_ticks_.data();
    for (std::uint32_t block = first >> block_shift; block < (end + block_mask) >> block_shift; ++block)
      change_ticks[block] = now;
  }

  /// Returns whether components have a destructor. It may change the registry: the pool calls it as its last step.
  [[nodiscard]] bool has_destructor() const { return !plain_; }
  /// Fills an empty pool of a schema component from a snapshot: distinct indices in this order. `rows`: the components,
  /// packed. The pool stays empty if an allocation fails.
  void assign(std::span<const std::uint32_t> indices, const std::byte* rows);
  /// Removes all components; those that their destructors add stay. Fails a check in code of the game: its entities
  /// would keep their prototypes.
  void clear() noexcept;

  // Order --------------------------------------------------------------------------------

  [[nodiscard]] OrderOwner order_owner() const { return order_owner_; }
  /// Claims the order. Checks that it has no owner, or that a sort claims it from a sort, and that no iteration is in
  /// progress. `group`: the group that claims it.
  void claim_order(OrderOwner owner, const GroupSet* group = nullptr);
  /// Ends the ownership of the order. Fails a check if a group has it: that is for good.
  void release_order() {
    MOBULA_CHECK(owner_group_ == nullptr, "pool " + instance_name_ + " belongs to a group for good");
    order_owner_ = OrderOwner::nobody;
  }
  /// Returns the group that owns the order; null if none does.
  [[nodiscard]] const GroupSet* owner_group() const { return owner_group_; }
  /// Swaps the components at two positions. Marks both blocks as changed. Does nothing if the positions are equal.
  /// Fails a check if one is not below size(), and during a sort. Does not check who owns the order.
  void swap(std::uint32_t a, std::uint32_t b) noexcept;
  /// Returns the bytes of scratch that a reorder() of `count` positions takes.
  [[nodiscard]] std::size_t reorder_bytes(std::size_t count) const {
    return count * (element_size_ > sizeof(std::uint32_t) ? element_size_ : sizeof(std::uint32_t));
  }

  /// Returns for iteration a bit per block of `lead`, set if this pool holds the same entities at the same positions.
  /// Null if all are set. Valid until the structure of either changes.
  [[nodiscard]] const std::uint64_t* blocks_aligned_with(const SparseSet& lead);

  /// Returns whether an iteration or a sort is in progress. Reordering then fails a check.
  [[nodiscard]] bool is_iterated() const { return iterations_.any(); }
  /// Registers an iteration. Removals are reported to it until it ends.
  void begin_iteration(Iterations::Link& link) {
    iterations_.begin(link);
    remove_ = remove_reported;
  }
  /// Ends an iteration that begin_iteration() registered with the same link.
  void end_iteration(Iterations::Link& link) {
    iterations_.end(link);
    if (!iterations_.any()) remove_ = remove_for(type_);
  }

  /// Groups and listeners; null if there are none.
  [[nodiscard]] PoolWatch* watch() const { return watch_.get(); }
  /// Returns watch(), which is created if needed.
  PoolWatch& make_watch();

  /// Asserts the invariants by checking every entity.
  void check() const;

 protected:
  friend class Commands;
  friend class GroupSet;
  friend class Registry;
  friend class SnapshotLoader;
  friend class detail::SortGuard;
  friend struct detail::SortTarget;

  // Structural changes: by the owners of what must change with a registry's pool, or of a StandalonePool.

  /// Allocates and finds the place of a new component, the first of three steps. The place is not free if the entity
  /// has the component. The caller then constructs at end(), and commit() adds the component and returns its position.
  /// An exception on the way leaves the pool unchanged.
  SparseSet::Place make_room(std::uint32_t index) {
    if (size() == capacity_) [[unlikely]]
      add_slab(capacity_ + 1);
    return set_.make_page(index);
  }
  [[nodiscard]] std::byte* end() const { return address(size()); }
  std::uint32_t commit(std::uint32_t index, SparseSet::Place place) noexcept {
    const std::uint32_t position = set_.push(index, place);
    mark_held(position);
    return position;
  }
  /// Does the same without a place. Fails a check if there is no room for the index.
  std::uint32_t commit(std::uint32_t index) noexcept {
    MOBULA_CHECK(has_room(index), "pool " + instance_name_ + " has no room for index " + std::to_string(index) +
                                      ": call make_room first");
    return commit_prepared(index);
  }
  /// Adds schema components of entities batch.at(offsets[i]), offsets ascending. `rows`: the components, packed.
  void append_rows(const EntityBatch& batch, std::span<const std::uint32_t> offsets, const std::byte* rows);
  /// Allocates what commit() of these entities needs.
  void make_room(std::span<const Entity> entities);
  /// Parts of make_room(entities): reserve() for the total number of positions, make_pages() for entities first … first
  /// + count - 1.
  void reserve(std::uint32_t count) {
    if (capacity_ < count) add_slab(count);
  }
  void make_pages(std::uint32_t first, std::uint32_t count) { set_.make_pages(first, count); }
  /// Adds entities first … first + count - 1, each with the schema component at `value`.
  void commit_run(std::uint32_t first, std::uint32_t count, const std::byte* value) noexcept;

  /// Removes the component of an entity that has one. Allocates nothing.
  void remove(std::uint32_t index) noexcept {
    MOBULA_CHECK(contains(index), "index " + std::to_string(index) + " has no component " + instance_name_);
    remove_held<0>(index);
  }
  /// Removes a component, calls vacated() and then destroys the value. Allocates memory only for values above 4 KiB.
  template <class Vacated>
  [[gnu::noinline]] void remove_then(std::uint32_t index, Vacated vacated) noexcept;
  /// Moves `value` to a position and then destroys the former value there.
  void replace(std::uint32_t position, std::byte* value) noexcept;
  /// Moves components from position `first` on: first + i gets the component at order[i]. `order` is a permutation of
  /// the positions from `first` on. Blocks in which nothing moves are not marked. Cannot fail if `scratch` has
  /// reorder_bytes() of room.
  void reorder(std::uint32_t first, std::span<const std::uint32_t> order, Scratch& scratch);
  /// Registers a sort by the game's code. Until it ends, that code may change values alone: to add, remove or move a
  /// component fails a check.
  void begin_sort(Iterations::Link& link);
  void end_sort(Iterations::Link& link);

 private:
  [[noreturn, gnu::cold]] void fail_size(std::size_t size) const;

  static constexpr std::uint32_t block_mask = block_size - 1;
  static constexpr std::uint16_t destructors_max = 1024;  // within each other, by pool

  // Cached result of blocks_aligned_with().
  struct Alignment {
    const SparseSet* lead;
    std::uint64_t lead_version;
    std::uint64_t own_version;
    bool whole;
    std::vector<std::uint64_t> blocks;
  };

  // The compiler must know that the address is not null, or else callers of try_get() test it again.
  template <class T>
  static T* typed_address(std::byte* const* blocks, std::uint32_t position) {
    T* const address = reinterpret_cast<T*>(blocks[position >> block_shift]) + (position & block_mask);
    if (address == nullptr) __builtin_unreachable();
    return address;
  }
  // Copies one to two words: the first and the last, which may overlap.
  template <class Word>
  static void copy_ends(std::byte* to, const std::byte* from, std::uint32_t size) noexcept {
    const std::uint32_t last = size - static_cast<std::uint32_t>(sizeof(Word));
    const auto front = core::load<Word>(from);
    const auto back = core::load<Word>(from + last);
    core::store(to, front);
    core::store(to + last, back);
  }
  // Alignment of memory for one component on the stack. A function of its own cannot allocate it.
  static constexpr std::size_t stack_alignment_bits = 512;
  static constexpr std::size_t stack_bytes_max = 4096;
  // Moves a component to uninitialised memory and destroys `from`. Components are small: word copies beat a call of
  // memcpy.
  void relocate(std::byte* to, std::byte* from) const noexcept {
    if (!plain_) return type_.relocate(to, from);
    const std::uint32_t size = element_size_;
    if (size < 4 || size > 16) {
      std::memcpy(to, from, size);
    } else if (size >= 8) {
      copy_ends<std::uint64_t>(to, from, size);
    } else {
      copy_ends<std::uint32_t>(to, from, size);
    }
  }
  [[nodiscard]] std::byte* allocate_value() const;
  static void free_value(std::byte* value) noexcept;
  static void remove_with_value(Pool& pool, std::uint32_t index) noexcept;
  void report_removal(std::uint32_t index);
  // A destructor may destroy the next entity of a chain, but not without end.
  void destroy_value(std::byte* value) noexcept {
    if (destructors_ == destructors_max) [[unlikely]]
      fail_endless_destructors();
    ++destructors_;
    type_.destroy(value);
    --destructors_;
  }
  [[noreturn, gnu::cold]] void fail_endless_destructors() const;
  // Variants without a check, for callers that know what the pool holds.
  void mark_held(std::uint32_t position) { change_ticks_[position >> block_shift] = now_; }
  std::uint32_t commit_prepared(std::uint32_t index) noexcept {
    const SparseSet::Place place = set_.place(index);
    MOBULA_CHECK(place.is_free(), "index " + std::to_string(index) + " is added to " + instance_name_ + " twice");
    return commit(index, place);
  }
  // Removes a schema component of a known size from a set with pages. `plain_size` 0 stands for any component.
  template <std::size_t plain_size>
  void remove_held(std::uint32_t index) noexcept {
    MOBULA_ASSERT(contains(index), "index " + std::to_string(index) + " has no component " + instance_name_);
    if (plain_size == 0 || iterations_.any()) [[unlikely]]
      return remove_(*this, index);
    remove_one<plain_size>(*this, index);
  }
  void swap_held(std::uint32_t a, std::uint32_t b) noexcept;
  void clear_held() noexcept;

  [[nodiscard]] bool has_room(std::uint32_t index) const { return size() < capacity_ && set_.has_place(index); }
  void check_position(std::uint32_t position) const {
    if (position >= size()) [[unlikely]]
      fail_position(position);
  }
  [[noreturn, gnu::cold]] void fail_position(std::uint32_t position) const;
  // Removal, compiled for the common sizes of plain components. The size 0 covers everything else, and sets without
  // pages.
  using Remove = void (*)(Pool& pool, std::uint32_t index) noexcept;
  template <std::size_t plain_size>
  static void remove_one(Pool& pool, std::uint32_t index) noexcept;
  static void remove_reported(Pool& pool, std::uint32_t index) noexcept;
  [[nodiscard]] Remove remove_for(const ComponentType& type) const;
  void compare_blocks(const SparseSet& lead, Alignment& alignment) const;
  template <class Copy>
  void reorder_blocks(std::uint32_t first, std::span<const std::uint32_t> order, std::byte* room,
                      std::size_t element_size, Copy copy);
  void add_slab(std::uint32_t capacity);
  void check_unsorted() const;
  // Copies rows to positions first … end - 1 and marks them as changed.
  void copy_rows(std::uint32_t first, std::uint32_t end, const std::byte* rows) noexcept;

  SparseSet set_;
  std::uint32_t element_size_;
  // Positions that set_, blocks_ and change_ticks_ have room for. While the pool is sorted its size, so that every
  // addition comes to add_slab().
  std::uint32_t capacity_ = 0;
  bool schema_;
  bool plain_;  // components are plain bytes: no destructor
  Iterations iterations_;
  Remove remove_;
  std::vector<std::byte*> blocks_;
  std::vector<Tick> change_ticks_;          // by block, as the next
  std::vector<std::uint32_t> slab_begins_;  // first block of the block's slab
  const Tick& now_;
  const ComponentType& type_;
  core::Owned<PoolWatch> watch_;
  PoolId id_;
  OrderOwner order_owner_ = OrderOwner::nobody;
  std::uint16_t sorts_ = 0;        // in progress
  std::uint16_t destructors_ = 0;  // within each other
  const GroupSet* owner_group_ = nullptr;
  core::StringId32 instance_;
  std::string instance_name_;
  std::byte* scratch_ = nullptr;  // room for one component during a swap
  std::vector<Alignment> alignments_;
};

template <std::size_t plain_size>
inline void Pool::remove_one(Pool& pool, std::uint32_t index) noexcept {
  const auto fill_gap = [&pool](std::uint32_t to, std::uint32_t from) {
    if constexpr (plain_size == 0) {
      pool.relocate(pool.address(to), pool.address(from));
    } else {
      using Bytes = std::array<std::byte, plain_size>;
      *pool.typed_address<Bytes>(to) = *pool.typed_address<Bytes>(from);
    }
    pool.mark_held(to);
  };
  if constexpr (plain_size == 0) {
    pool.set_.erase(index, fill_gap);
  } else {
    pool.set_.erase_from_pages(index, fill_gap);
  }
}

// The value leaves the pool before it is destroyed, so its destructor finds the pool without it.
template <class Vacated>
[[gnu::noinline]] void Pool::remove_then(std::uint32_t index, Vacated vacated) noexcept {
  if (iterations_.any()) report_removal(index);
  const bool is_large = element_size_ > stack_bytes_max;
  auto* const value = is_large
                          ? allocate_value()
                          : static_cast<std::byte*>(__builtin_alloca_with_align(element_size_, stack_alignment_bits));
  relocate(value, address(find(index)));
  remove_one<0>(*this, index);
  vacated();
  destroy_value(value);
  if (is_large) free_value(value);
}

}  // namespace mobula::ecs
