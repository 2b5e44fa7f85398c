// A set of entity indices: found, added and removed in O(1), walked without gaps.
//
//   pages:    positions by entity index, in pages made on need and given back when empty
//   packed:   entity index by position
//
// Removal moves the last index into the gap.
// Invariant: for each position p < size, find(packed[p]) == p; every other entry of a page is `none`.
#pragma once

#include <cstdint>
#include <mobula/core/assert.hpp>
#include <span>
#include <string>
#include <vector>

namespace mobula::ecs {

class SparseSet {
 public:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t max_page_shift = 12;

  // A page holds 2^page_shift indices of 4 bytes.
  explicit SparseSet(std::uint32_t page_shift);
  ~SparseSet();
  SparseSet(const SparseSet&) = delete;
  SparseSet& operator=(const SparseSet&) = delete;

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return {packed_.data(), size_}; }
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const {
    const std::uint32_t page = index >> page_shift_;
    return page < page_count_ ? pages_[page][index & page_mask_] : none;
  }
  // The same for many.
  void find(std::span<const std::uint32_t> indices, std::uint32_t* positions) const;
  [[nodiscard]] bool contains(std::uint32_t index) const { return find(index) != none; }
  // Grows with every change of which indices are where.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  // Where an index is to be entered. Good until the next page is made.
  struct Place {
    std::uint32_t page;
    std::uint32_t* entry;
  };

  // Allocates what `push(index)` needs; all else here allocates nothing.
  void make_room(std::uint32_t index) {
    reserve(size_ + 1);
    make_page(index);
  }
  // The two halves of it, for many: `packed` for so many in all, and the page of an index.
  void reserve(std::uint32_t count) {
    if (count > packed_.size()) [[unlikely]]
      grow(count);
  }
  Place make_page(std::uint32_t index) {
    const std::uint32_t page = index >> page_shift_;
    if (page >= page_count_ || used_[page] == 0) [[unlikely]]
      add_page(page);
    return place(index);
  }
  // Of an index whose page has been made.
  [[nodiscard]] Place place(std::uint32_t index) {
    const std::uint32_t page = index >> page_shift_;
    return {page, &pages_[page][index & page_mask_]};
  }
  // The index must not be in the set. Returns its position: the last.
  std::uint32_t push(std::uint32_t index) noexcept { return push(index, place(index)); }
  std::uint32_t push(std::uint32_t index, Place place) noexcept {
    MOBULA_ASSERT(*place.entry == none, "index " + std::to_string(index) + " is added twice");
    const std::uint32_t position = size_;
    packed_[position] = index;
    *place.entry = position;
    ++used_[place.page];
    size_ = position + 1;
    ++version_;
    return position;
  }
  void make_pages(std::uint32_t first, std::uint32_t count);
  // Of first + offsets[i], rising.
  void make_pages(std::uint32_t first, std::span<const std::uint32_t> offsets);
  // Pushes first … first + count - 1.
  void push_run(std::uint32_t first, std::uint32_t count) noexcept;
  // Pushes first + offsets[i], rising.
  void push_rising(std::uint32_t first, std::span<const std::uint32_t> offsets) noexcept;
  // Fills an empty set, none twice. Allocates what it needs; if that throws, clear() must follow.
  void assign(std::span<const std::uint32_t> indices);
  // The index must be in the set. What was last fills the gap: on_move(to, from) is called with the two positions,
  // unless the last is erased.
  template <class OnMove>
  void erase(std::uint32_t index, OnMove on_move) noexcept {
    const std::uint32_t last = size_ - 1;
    const Place erased = place(index);
    const std::uint32_t position = *erased.entry;
    const std::uint32_t moved = packed_[last];
    packed_[position] = moved;
    entry(moved) = position;
    *erased.entry = none;
    size_ = last;
    ++version_;
    if (position != last) on_move(position, last);
    if (--used_[erased.page] == 0) [[unlikely]]
      give_back(erased.page);
  }
  void erase(std::uint32_t index) noexcept {
    erase(index, [](std::uint32_t /*to*/, std::uint32_t /*from*/) {});
  }
  void swap(std::uint32_t a, std::uint32_t b) noexcept {
    std::swap(packed_[a], packed_[b]);
    entry(packed_[a]) = a;
    entry(packed_[b]) = b;
    ++version_;
  }
  // Positions first … first + order.size() - 1 get what is now at order[0], order[1], …: a permutation of them.
  // `room` for as many indices.
  void reorder(std::uint32_t first, std::span<const std::uint32_t> order, std::uint32_t* room) noexcept;
  void clear() noexcept;

  // Asserts the invariant by walking everything; `name` is for the message.
  void check(const std::string& name) const;

 private:
  [[nodiscard]] std::uint32_t& entry(std::uint32_t index) { return *place(index).entry; }
  void grow(std::uint32_t count);
  void add_page(std::uint32_t page);
  void give_back(std::uint32_t page) noexcept;

  std::uint32_t size_ = 0;
  std::uint32_t page_shift_;
  std::uint32_t page_mask_;
  std::uint32_t page_count_ = 0;
  std::vector<std::uint32_t*> pages_;  // none is null: where nothing is, a page of `none` that all sets share
  std::vector<std::uint32_t> used_;    // by page: entries that are not `none`
  std::vector<std::uint32_t> packed_;  // as long as there is room
  std::uint64_t version_ = 1;
  std::uint32_t* spare_page_ = nullptr;  // all `none`: who adds and removes one index makes no page each time
};

}  // namespace mobula::ecs
