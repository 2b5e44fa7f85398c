// Hash map from 64-bit numbers to 32-bit ones. Memory grows with the entries, and never shrinks.
//
//   slots   {key, value}; open addressing with linear probing, at most half full
//
// Invariant: no slot between the home position of an entry and its actual position is empty.
#pragma once

#include <cstdint>
#include <mobula/core/assert.hpp>
#include <utility>
#include <vector>

namespace mobula::core {

/// Keys are the program's own: chosen ones could collide.
class NumberMap {
 public:
  static constexpr std::uint32_t none = ~0u;

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Returns the value of a key; none if the map lacks it.
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const { return slots_[place(key)].value; }

  /// Adds a key that the map lacks. The value is not `none`. A failed allocation changes nothing.
  void add(std::uint64_t key, std::uint32_t value) {
    MOBULA_ASSERT(value != none && find(key) == none, "a new key has a value");
    if (2 * (size_ + 1) > slots_.size()) grow();
    slots_[place(key)] = {key, value};
    ++size_;
  }

  /// Removes a key and returns its value; none if the map lacks it.
  std::uint32_t remove(std::uint64_t key) noexcept {
    std::size_t hole = place(key);
    const std::uint32_t value = slots_[hole].value;
    if (value == none) return none;
    --size_;
    // Entries behind the hole move into it, unless their home is behind it.
    for (std::size_t at = next(hole); slots_[at].value != none; at = next(at)) {
      const std::size_t from_home = (at - home(slots_[at].key)) & mask();
      if (from_home < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    return value;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = none;
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  [[nodiscard]] std::size_t home(std::uint64_t key) const {
    key *= 0x9e3779b97f4a7c15ull;
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15ull;
    return static_cast<std::size_t>(key >> 32) & mask();
  }
  // Returns where the key is, or would be added.
  [[nodiscard]] std::size_t place(std::uint64_t key) const {
    std::size_t at = home(key);
    while (slots_[at].value != none && slots_[at].key != key) at = next(at);
    return at;
  }
  void grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.value != none) slots_[place(slot.key)] = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(8);  // power of two
  std::size_t size_ = 0;
};

}  // namespace mobula::core
