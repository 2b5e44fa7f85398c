// Fixed-capacity hash map, used for addresses, client ids and connect tokens.
// Keys are hashed with a secret seed, so that a hostile client cannot choose colliding keys. A value stays in its slot
// until it is erased, also when its key changes. Memory doubles up to the capacity as entries are added, and moves
// then: a reference to a value ends with the next insert.
//
//   slots   {key, value}; unused slots form a list through `next`
//   index   {hash, slot}; open addressing with linear probing, at most half full
//
// Invariant: there is no hole between the home position of an index entry and its actual position. Each used slot has
// exactly one index entry.
#pragma once

#include <algorithm>
#include <bit>
#include <mobula/core/assert.hpp>
#include <mobula/core/hash.hpp>
#include <type_traits>
#include <vector>

namespace mobula::transport {

/// Fixed-capacity hash map with stable slots.
template <class Key, class Value>
class BoundedTable {
  static_assert(std::has_unique_object_representations_v<Key>, "keys are hashed as raw memory");

 public:
  static constexpr std::uint32_t none = ~0u;

  BoundedTable(std::uint32_t entries_max, std::uint64_t seed) : seed_(seed), capacity_(entries_max) {
    MOBULA_ASSERT(entries_max > 0, "a table needs a capacity");
    grow();
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  /// Returns the number of slots that have memory.
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }
  [[nodiscard]] bool full() const { return size_ == capacity(); }

  /// Returns the slot of the key, or `none`.
  [[nodiscard]] std::uint32_t find(const Key& key) const { return index_[place(key, hash_of(key))].slot; }
  [[nodiscard]] bool contains(const Key& key) const { return find(key) != none; }
  [[nodiscard]] bool used(std::uint32_t slot) const { return slot < slots_.size() && slots_[slot].next == used_slot; }

  /// Returns the key or value of a used slot.
  [[nodiscard]] const Key& key(std::uint32_t slot) const { return at(slot).key; }
  Value& operator[](std::uint32_t slot) { return at(slot).value; }
  const Value& operator[](std::uint32_t slot) const { return at(slot).value; }

  /// Inserts a default-constructed value and returns its slot. The table must not be full or hold the key.
  std::uint32_t insert(const Key& key) {
    MOBULA_ASSERT(!full(), "the table is full");
    if (first_free_ == none) grow();
    const std::uint32_t hash = hash_of(key);
    Place& entry = index_[place(key, hash)];
    MOBULA_ASSERT(entry.slot == none, "the key is already in the table");
    const std::uint32_t slot = first_free_;
    first_free_ = slots_[slot].next;
    slots_[slot].key = key;
    slots_[slot].next = used_slot;
    entry = {hash, slot};
    ++size_;
    return slot;
  }

  /// Changes the key of a used slot to one that the table does not hold. The value stays.
  void rename(std::uint32_t slot, const Key& key) {
    const Key& former = at(slot).key;
    close_hole(place(former, hash_of(former)));
    const std::uint32_t hash = hash_of(key);
    Place& entry = index_[place(key, hash)];
    MOBULA_ASSERT(entry.slot == none, "the key is already in the table");
    slots_[slot].key = key;
    entry = {hash, slot};
  }

  void erase(std::uint32_t slot) {
    const Key& erased = at(slot).key;
    close_hole(place(erased, hash_of(erased)));
    slots_[slot].key = Key{};
    slots_[slot].value = Value{};
    release(slot);
    --size_;
  }

  /// Visits the next `count` slots, cyclically, and erases those for which `ended(key, value)` is true.
  template <class Ended>
  void sweep(std::uint32_t count, Ended&& ended) {
    for (; count > 0 && size_ > 0; --count) {
      swept_ = swept_ + 1 < slots_.size() ? swept_ + 1 : 0;
      if (used(swept_) && ended(key(swept_), slots_[swept_].value)) erase(swept_);
    }
  }

 private:
  static constexpr std::uint32_t used_slot = none - 1;
  static constexpr std::uint32_t slots_min = 16;
  struct Place {
    std::uint32_t hash = 0;
    std::uint32_t slot = none;
  };
  struct Slot {
    Key key{};
    std::uint32_t next = none;
    Value value{};
  };

  // New slots are used in their order, after all that were released.
  void grow() {
    const std::uint32_t before = slots();
    slots_.resize(std::min(capacity_, std::max(slots_min, 2 * before)));
    for (std::uint32_t slot = slots(); slot-- > before;) release(slot);
    mask_ = std::bit_ceil(2 * slots()) - 1;
    std::vector<Place> former(mask_ + 1);
    former.swap(index_);
    for (const Place& entry : former) {
      if (entry.slot == none) continue;
      std::uint32_t at = entry.hash & mask_;
      while (index_[at].slot != none) at = (at + 1) & mask_;
      index_[at] = entry;
    }
  }
  [[nodiscard]] std::uint32_t hash_of(const Key& key) const {
    return static_cast<std::uint32_t>(core::hash64(core::as_bytes(&key, 1), seed_));
  }
  // Returns the index position of the key, or of the hole where it would be inserted.
  [[nodiscard]] std::uint32_t place(const Key& key, std::uint32_t hash) const {
    std::uint32_t at = hash & mask_;
    while (index_[at].slot != none && !(index_[at].hash == hash && slots_[index_[at].slot].key == key)) {
      at = (at + 1) & mask_;
    }
    return at;
  }
  // Moves entries that probed past the hole back into it. Otherwise a lookup would stop at the hole and miss them.
  void close_hole(std::uint32_t hole) {
    for (std::uint32_t at = (hole + 1) & mask_; index_[at].slot != none; at = (at + 1) & mask_) {
      const std::uint32_t probed = (at - index_[at].hash) & mask_;
      if (probed >= ((at - hole) & mask_)) {
        index_[hole] = index_[at];
        hole = at;
      }
    }
    index_[hole] = {};
  }
  void release(std::uint32_t slot) {
    slots_[slot].next = first_free_;
    first_free_ = slot;
  }
  Slot& at(std::uint32_t slot) {
    MOBULA_ASSERT(used(slot), "the slot is not used");
    return slots_[slot];
  }
  const Slot& at(std::uint32_t slot) const { return const_cast<BoundedTable&>(*this).at(slot); }

  std::uint64_t seed_;
  std::uint32_t capacity_;
  std::uint32_t mask_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t first_free_ = none;
  std::uint32_t swept_ = 0;
  std::vector<Place> index_;
  std::vector<Slot> slots_;
};

}  // namespace mobula::transport
