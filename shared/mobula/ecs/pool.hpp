// All components of one (component type, instance name): a sparse set with data.
//
//   set:      which entity is at which position
//   data:     blocks of 64 components by position, cut from slabs; a block never moves
//   stamps:   per block the tick of the last mutable access or move
//
// Removal swaps the last component into the gap. A reference into a pool lives until the
// pool's next structural change.
// Owned by a registry, whose entity handles it never sees: it knows indices alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <mobula/core/bytes.hpp>
#include <mobula/core/owned.hpp>
#include <mobula/ecs/component_type.hpp>
#include <mobula/ecs/entity_batch.hpp>
#include <mobula/ecs/sparse_set.hpp>
#include <vector>

namespace mobula::ecs {

using PoolId = std::uint32_t;
inline constexpr PoolId no_pool = ~0u;
using Tick = std::uint32_t;
inline constexpr Tick ticks_max = 0xFFFF'0000;  // that a world has: 6.8 years at 20 Hz

struct PoolWatch;  // who is told of a pool's changes: watch.hpp
class GroupSet;
class Scratch;

// Who decides in which order a pool's components lie. Nobody: the defragmenter may.
enum class OrderOwner : std::uint8_t { nobody, sort, group, hierarchy };

struct PoolConfig {
  // 2^10 indices, 4 KiB. SparseSet::no_pages: for mirrors, where few entities lie among many indices.
  std::uint32_t sparse_page_shift = 10;
};

class Pool {
 public:
  static constexpr std::uint32_t none = SparseSet::none;
  static constexpr std::uint32_t block_shift = 6;
  static constexpr std::uint32_t block_size = 1u << block_shift;

  Pool(PoolId id, const ComponentType& type, core::StringId32 instance, std::string instance_name, const Tick& now,
       PoolConfig config);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] PoolId id() const { return id_; }
  [[nodiscard]] const ComponentType& type() const { return type_; }
  [[nodiscard]] bool is_schema() const { return schema_; }
  [[nodiscard]] core::StringId32 instance() const { return instance_; }
  [[nodiscard]] const std::string& instance_name() const { return instance_name_; }

  // Which entities -----------------------------------------------------------------------

  [[nodiscard]] const SparseSet& set() const { return set_; }
  [[nodiscard]] std::uint32_t size() const { return set_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return set_.indices(); }
  // Position of an entity's component, or `none`.
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const { return set_.find(index); }
  [[nodiscard]] bool contains(std::uint32_t index) const { return set_.contains(index); }
  [[nodiscard]] std::uint64_t version() const { return set_.version(); }

  // Components ---------------------------------------------------------------------------

  [[nodiscard]] const std::byte* at(std::uint32_t position) const { return address(position); }
  // Stamps the position's block with the current tick.
  [[nodiscard]] std::byte* at_mutable(std::uint32_t position) {
    mark_changed(position);
    return address(position);
  }
  // Without a stamp: the caller has seen to it.
  [[nodiscard]] std::byte* address(std::uint32_t position) const {
    return blocks_[position >> block_shift] + static_cast<std::size_t>(position & block_mask) * element_size_;
  }
  template <class T>
  [[nodiscard]] T* typed_address(std::uint32_t position) const {
    return reinterpret_cast<T*>(blocks_[position >> block_shift]) + (position & block_mask);
  }
  // The first block of the slab that a block lies in: from there to here all is one array.
  [[nodiscard]] std::uint32_t slab_begin(std::uint32_t block) const { return slab_begins_[block]; }
  // The end, at most `end`, of the array that a position lies in.
  [[nodiscard]] std::uint32_t slab_end(std::uint32_t position, std::uint32_t end) const;

  // Tick stamps of the blocks: block b holds positions 64 b … 64 b + 63.
  [[nodiscard]] std::span<const Tick> change_ticks() const {
    return {change_ticks_.data(), (size() + block_mask) >> block_shift};
  }
  void mark_changed(std::uint32_t position) { change_ticks_[position >> block_shift] = now_; }
  // All blocks that positions first … end - 1 are in.
  void mark_run_changed(std::uint32_t first, std::uint32_t end) {
    const Tick now = now_;  // else read again after each write
    Tick* const change_ticks = change_ticks_.data();
    for (std::uint32_t block = first >> block_shift; block < (end + block_mask) >> block_shift; ++block)
      change_ticks[block] = now;
  }

  // Adding and removing ------------------------------------------------------------------

  // Adding is three steps, so that whatever throws changes nothing: make_room allocates, the caller constructs at
  // end(), commit lets the component in, at the place that make_room has found, and returns its position.
  SparseSet::Place make_room(std::uint32_t index) {
    MOBULA_ASSERT(!contains(index), "index " + std::to_string(index) + " already has component " + instance_name_);
    if (size() == capacity_) [[unlikely]]
      add_slab(capacity_ + 1);
    return set_.make_page(index);
  }
  [[nodiscard]] std::byte* end() const { return address(size()); }
  std::uint32_t commit(std::uint32_t index, SparseSet::Place place) noexcept {
    const std::uint32_t position = set_.push(index, place);
    mark_changed(position);
    return position;
  }
  std::uint32_t commit(std::uint32_t index) noexcept { return commit(index, set_.place(index)); }
  // Many at once, for schema components: entities batch.at(offsets[i]), offsets rising, and their components packed in
  // `rows`.
  void append_rows(const EntityBatch& batch, std::span<const std::uint32_t> offsets, const std::byte* rows);
  void make_room(std::span<const Entity> entities);
  // For snapshots: fills an empty pool of a schema component, indices in this order and none twice, and their
  // components packed in `rows`. It stays empty if an allocation fails.
  void assign(std::span<const std::uint32_t> indices, const std::byte* rows);
  // The two halves of it: positions for so many in all, and what finds entities first … first + count - 1.
  void reserve(std::uint32_t count) {
    if (capacity_ < count) add_slab(count);
  }
  void make_pages(std::uint32_t first, std::uint32_t count) { set_.make_pages(first, count); }
  // Lets entities first … first + count - 1 in, each with the component whose bytes are at `value`. Schema components.
  void commit_run(std::uint32_t first, std::uint32_t count, const std::byte* value) noexcept;

  // Moves a component to uninitialised memory; `from` is destroyed. Components are small: words beat a call of memcpy.
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
  // The entity must have a component here. Allocates nothing.
  void remove(std::uint32_t index) noexcept {
    MOBULA_ASSERT(contains(index), "index " + std::to_string(index) + " has no component " + instance_name_);
    remove_(*this, index);
  }
  void clear() noexcept;

  // Order --------------------------------------------------------------------------------

  [[nodiscard]] OrderOwner order_owner() const { return order_owner_; }
  // Asserts that the order is free, or already a sort's and wanted for a sort. `group`: the one that owns it.
  void claim_order(OrderOwner owner, const GroupSet* group = nullptr);
  void release_order() {
    MOBULA_ASSERT(owner_group_ == nullptr, "pool " + instance_name_ + " belongs to a group for good");
    order_owner_ = OrderOwner::nobody;
  }
  [[nodiscard]] const GroupSet* owner_group() const { return owner_group_; }
  // Swaps what is at two positions. A move stamps its destinations.
  void swap(std::uint32_t a, std::uint32_t b) noexcept;
  // Positions first … get what is now at order[0], order[1], …: a permutation of the positions from `first` on. Blocks
  // in which nothing moves are not stamped. Cannot fail when `scratch` has the room that reordering takes.
  void reorder(std::uint32_t first, std::span<const std::uint32_t> order, Scratch& scratch);
  [[nodiscard]] std::size_t reorder_bytes(std::size_t count) const {
    return count * (element_size_ > sizeof(std::uint32_t) ? element_size_ : sizeof(std::uint32_t));
  }

  // For walks: a bit for each block of 64 positions of `lead`, set where this pool holds the same entities at the same
  // positions; null where all are set. Kept until one of them changes in structure. Valid until then.
  [[nodiscard]] const std::uint64_t* blocks_aligned_with(const SparseSet& lead);

  // While a walk goes over the pool nothing may reorder it: that asserts.
  [[nodiscard]] bool is_iterated() const { return iterations_ > 0; }
  void begin_iteration() { ++iterations_; }
  void end_iteration() { --iterations_; }

  // Groups and listeners; null while there is none.
  [[nodiscard]] PoolWatch* watch() const { return watch_.get(); }
  PoolWatch& make_watch();

  // Asserts the invariants by walking everything.
  void check() const;

 private:
  static constexpr std::uint32_t block_mask = block_size - 1;

  // What blocks_aligned_with found, and when.
  struct Alignment {
    const SparseSet* lead;
    std::uint64_t lead_version;
    std::uint64_t own_version;
    bool whole;
    std::vector<std::uint64_t> blocks;
  };

  // Between one and two words: the first and the last, which may overlap.
  template <class Word>
  static void copy_ends(std::byte* to, const std::byte* from, std::uint32_t size) noexcept {
    const std::uint32_t last = size - static_cast<std::uint32_t>(sizeof(Word));
    const auto front = core::load<Word>(from);
    const auto back = core::load<Word>(from + last);
    core::store(to, front);
    core::store(to + last, back);
  }
  void destroy_value(std::uint32_t position) noexcept;
  // Removal, compiled for the usual sizes of plain components; 0: for any component, of a set without pages too.
  using Remove = void (*)(Pool& pool, std::uint32_t index) noexcept;
  template <std::size_t plain_size>
  static void remove_one(Pool& pool, std::uint32_t index) noexcept;
  [[nodiscard]] Remove remove_for(const ComponentType& type) const;
  void compare_blocks(const SparseSet& lead, Alignment& alignment) const;
  template <class Copy>
  void reorder_blocks(std::uint32_t first, std::span<const std::uint32_t> order, std::byte* room,
                      std::size_t element_size, Copy copy);
  void add_slab(std::uint32_t capacity);
  // Into positions first … end - 1, and stamps them.
  void copy_rows(std::uint32_t first, std::uint32_t end, const std::byte* rows) noexcept;

  SparseSet set_;
  std::uint32_t element_size_;
  std::uint32_t capacity_ = 0;  // positions there is room for in set_, blocks_ and change_ticks_
  bool schema_;
  bool plain_;  // components are bytes: copied and forgotten
  Remove remove_;
  std::vector<std::byte*> blocks_;
  std::vector<Tick> change_ticks_;          // by block, as the next
  std::vector<std::uint32_t> slab_begins_;  // of the slab that a block is cut from: its first block
  const Tick& now_;
  const ComponentType& type_;
  core::Owned<PoolWatch> watch_;
  std::uint32_t iterations_ = 0;
  PoolId id_;
  OrderOwner order_owner_ = OrderOwner::nobody;
  const GroupSet* owner_group_ = nullptr;
  core::StringId32 instance_;
  std::string instance_name_;
  std::byte* scratch_ = nullptr;  // room for one component, while two swap
  std::vector<Alignment> alignments_;
};

}  // namespace mobula::ecs
