// Handles of the engine that the text describes (Bitsquid, "Building a data-oriented entity system, part 1"): 32 bits
// with 22 of index and 8 of generation. The index that has been free longest is reused first, and only when 1024 are
// free. The free list is stored in the slots: 4 bytes per index.
#pragma once

#include <cstdint>
#include <vector>

namespace mobula::bench {

struct TextHandle {
  std::uint32_t id = 0;  // generation << 22 | index

  bool operator==(const TextHandle&) const = default;
};

class TextHandles {
 public:
  TextHandle create() {
    if (free_count_ > kept_free) return reuse();
    slots_.push_back(0);
    return {static_cast<std::uint32_t>(slots_.size() - 1)};
  }
  // Destroys a live handle.
  void destroy(TextHandle handle) {
    const std::uint32_t index = handle.id & index_mask;
    slots_[index] = ((handle.id | index_mask) + 1) & generation_mask;
    if (free_count_ == 0) {
      free_head_ = index;
    } else {
      slots_[free_tail_] |= index;
    }
    free_tail_ = index;
    ++free_count_;
  }

 private:
  static constexpr std::uint32_t kept_free = 1024;
  static constexpr std::uint32_t index_mask = (1u << 22) - 1;
  static constexpr std::uint32_t generation_mask = 0xffu << 22;

  TextHandle reuse() {
    const std::uint32_t index = free_head_;
    std::uint32_t& slot = slots_[index];
    free_head_ = slot & index_mask;
    slot &= generation_mask;
    --free_count_;
    return {slot | index};
  }

  std::vector<std::uint32_t> slots_;  // generation << 22; for a free index also the next free index
  std::uint32_t free_head_ = 0;
  std::uint32_t free_tail_ = 0;
  std::uint32_t free_count_ = 0;
};

}  // namespace mobula::bench
