// Sparse set of entity indices: O(1) find, add and remove, dense iteration.
//
//   pages:    positions by entity index; pages are created on demand and given back when empty
//   packed:   entity index by position
//
// Mirrors hold few entities at scattered indices. For them there is a form without pages, whose memory follows the
// number of entities:
//
//   table:    positions, hashed by index with linear probing; with room for all of `packed`
//
// Removal moves the last index into the gap.
// Invariant: for each position p < size, find(packed[p]) == p; every other entry of a page or the table is `none`.
#pragma once

#include <bit>
#include <cstdint>
#include <mobula/core/assert.hpp>
#include <span>
#include <string>
#include <vector>

namespace mobula::ecs {

/// Set of entity indices with dense iteration.
class SparseSet {
 public:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t max_page_shift = 12;
  static constexpr std::uint32_t no_pages = 31;  // a single page would hold all indices

  /// A page holds 2^page_shift indices of 4 bytes. no_pages selects the table.
  explicit SparseSet(std::uint32_t page_shift);
  ~SparseSet();
  SparseSet(const SparseSet&) = delete;
  SparseSet& operator=(const SparseSet&) = delete;

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return {packed_.data(), size_}; }
  /// Returns the position of an index; none if the set lacks it.
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const {
    if (has_page(index)) return find_in_page(index);
    return has_pages() ? none : find_in_table(index);
  }
  /// Returns whether find_in_page() finds the index; false for indices beyond all pages, and without pages.
  [[nodiscard]] bool has_page(std::uint32_t index) const { return index >> page_shift_ < page_count_; }
  /// Returns the same. Requires has_page().
  [[nodiscard]] std::uint32_t find_in_page(std::uint32_t index) const {
    return pages_[index >> page_shift_][index & page_mask_];
  }
  /// Pages, for many look-ups; none in the form without pages. Valid until positions change.
  struct Pages {
    const std::uint32_t* const* pages;
    std::uint32_t count;
    std::uint32_t shift;
    std::uint32_t mask;

    [[nodiscard]] std::uint32_t find(std::uint32_t index) const {
      return index >> shift < count ? pages[index >> shift][index & mask] : none;
    }
  };
  [[nodiscard]] Pages pages() const { return {pages_.data(), page_count_, page_shift_, page_mask_}; }
  /// Finds several indices at once.
  void find(std::span<const std::uint32_t> indices, std::uint32_t* positions) const;
  [[nodiscard]] bool contains(std::uint32_t index) const { return find(index) != none; }
  [[nodiscard]] bool has_pages() const { return page_shift_ != no_pages; }
  /// Increases with every change of positions, and of the tables that lead to them.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// Notes that a table of positions has moved.
  void note_new_tables() { ++version_; }

  /// Place of a new index. Valid until the next page is created, or without pages until any index is added.
  struct Place {
    std::uint32_t* entry;
    std::uint32_t* used;  // number of entries of its page that are not `none`

    [[nodiscard]] bool is_free() const { return *entry == none; }
  };

  /// Allocates what push(index) needs. Functions other than make_room(), its parts and assign() allocate nothing.
  void make_room(std::uint32_t index) {
    reserve(size_ + 1);
    make_page(index);
  }
  /// Parts of make_room(): reserve() for the total number of indices, make_page() for an index's page.
  void reserve(std::uint32_t count) {
    if (count > packed_.size()) [[unlikely]]
      grow(count);
  }
  Place make_page(std::uint32_t index) {
    const std::uint32_t page = index >> page_shift_;
    if (page >= page_count_ || used_[page] == 0) [[unlikely]]
      return add_page(index);
    return place_in_page(index);
  }
  /// Returns the place of an index whose page exists.
  [[nodiscard]] Place place(std::uint32_t index) {
    if (!has_pages()) [[unlikely]]
      return place_in_table(index);
    return place_in_page(index);
  }
  /// Returns whether make_page() was called for an index, or its page is in use.
  [[nodiscard]] bool has_place(std::uint32_t index) const;
  /// Adds an index that is not in the set and returns its position, the last one.
  std::uint32_t push(std::uint32_t index) noexcept { return push(index, place(index)); }
  std::uint32_t push(std::uint32_t index, Place place) noexcept {
    MOBULA_ASSERT(place.is_free(), "index " + std::to_string(index) + " is added twice");
    const std::uint32_t position = size_;
    packed_[position] = index;
    *place.entry = position;
    ++*place.used;
    size_ = position + 1;
    ++version_;
    return position;
  }
  void make_pages(std::uint32_t first, std::uint32_t count);
  /// Creates the pages of first + offsets[i]; offsets ascend.
  void make_pages(std::uint32_t first, std::span<const std::uint32_t> offsets);
  /// Adds first … first + count - 1.
  void push_run(std::uint32_t first, std::uint32_t count) noexcept;
  /// Adds first + offsets[i]; offsets ascend.
  void push_rising(std::uint32_t first, std::span<const std::uint32_t> offsets) noexcept;
  /// Fills an empty set with distinct indices, allocating what it needs. Call clear() if it throws.
  void assign(std::span<const std::uint32_t> indices);
  /// Removes an index of the set. The last index fills the gap: calls on_move(to, from) with the two positions, unless
  /// the last one is removed.
  template <class OnMove>
  void erase(std::uint32_t index, OnMove on_move) noexcept {
    if (has_pages()) return erase_from_pages(index, on_move);
    erase_from_table(index, on_move);
  }
  /// Variants of erase() for callers that know the form beforehand.
  template <class OnMove>
  void erase_from_pages(std::uint32_t index, OnMove on_move) noexcept {
    const std::uint32_t last = size_ - 1;
    const Place erased = place_in_page(index);
    const std::uint32_t position = *erased.entry;
    const std::uint32_t moved = packed_[last];
    packed_[position] = moved;
    *place_in_page(moved).entry = position;
    *erased.entry = none;
    size_ = last;
    ++version_;
    if (position != last) on_move(position, last);
    if (--*erased.used == 0) [[unlikely]]
      give_back(index >> page_shift_);
  }
  template <class OnMove>
  void erase_from_table(std::uint32_t index, OnMove on_move) noexcept;
  /// Removes an index of the set.
  void erase(std::uint32_t index) noexcept {
    erase(index, [](std::uint32_t /*to*/, std::uint32_t /*from*/) {});
  }
  /// Swaps the indices at two positions.
  void swap(std::uint32_t a, std::uint32_t b) noexcept {
    std::uint32_t* const entry_a = place(packed_[a]).entry;
    std::uint32_t* const entry_b = place(packed_[b]).entry;
    std::swap(packed_[a], packed_[b]);
    *entry_a = b;
    *entry_b = a;
    ++version_;
  }
  /// Moves indices from position `first` on: first + i gets the index at order[i]. `order` is a permutation of these
  /// positions. `room`: memory for order.size() indices.
  void reorder(std::uint32_t first, std::span<const std::uint32_t> order, std::uint32_t* room) noexcept;
  void clear() noexcept;

  /// Asserts the invariant by checking every index. `name` is for the message.
  void check(const std::string& name) const;

 private:
  [[nodiscard]] Place place_in_page(std::uint32_t index) {
    const std::uint32_t page = index >> page_shift_;
    return {&pages_[page][index & page_mask_], &used_[page]};
  }
  void grow(std::uint32_t count);
  Place add_page(std::uint32_t index);
  void give_back(std::uint32_t page) noexcept;

  // Home slot in an existing table of page_mask_ + 1 entries. The salt is the set's address, so that a server that
  // chooses its mirrors' indices cannot provoke collisions.
  [[nodiscard]] std::uint32_t home(std::uint32_t index) const {
    const auto salt = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this) >> 4);
    std::uint32_t hash = (index ^ salt) * 0x9e3779b1u;
    hash = (hash ^ hash >> 15) * 0x85ebca6bu;
    return hash >> std::countl_zero(page_mask_);
  }
  [[nodiscard, gnu::noinline, gnu::pure]] std::uint32_t find_in_table(std::uint32_t index) const;
  [[gnu::noinline]] void find_in_table(std::span<const std::uint32_t> indices, std::uint32_t* positions) const;
  // Returns the entry of an index, or the one where it would be added.
  [[nodiscard, gnu::noinline]] Place place_in_table(std::uint32_t index);
  void close_gap(std::uint32_t gap) noexcept;
  void fill_table() noexcept;
  void replace_table(std::uint32_t* table, std::uint32_t entries) noexcept;
  void check_table(const std::string& name) const;

  std::uint32_t size_ = 0;
  std::uint32_t page_shift_;
  std::uint32_t page_mask_;
  std::uint32_t page_count_ = 0;
  std::vector<std::uint32_t*> pages_;  // never null; missing pages point to a shared page of `none`
  std::vector<std::uint32_t> used_;    // by page: entries that are not `none`; with a table never read
  std::vector<std::uint32_t> packed_;  // sized to the capacity
  std::uint64_t version_ = 1;
  // With pages: a spare page, all `none`, so that adding and removing one index creates no page each time. Without
  // pages: the table, at least a quarter `none`, or null. One pointer serves both: iteration in different orders loses
  // 5% if a pool grows by 32 bytes.
  std::uint32_t* spare_page_ = nullptr;
};

// Table entries are compared through `packed`: hence all are found before any is changed.
template <class OnMove>
void SparseSet::erase_from_table(std::uint32_t index, OnMove on_move) noexcept {
  const std::uint32_t last = size_ - 1;
  std::uint32_t* const erased = place_in_table(index).entry;
  std::uint32_t* const moved = place_in_table(packed_[last]).entry;
  const std::uint32_t position = *erased;
  packed_[position] = packed_[last];
  *moved = position;
  *erased = none;
  size_ = last;
  ++version_;
  close_gap(static_cast<std::uint32_t>(erased - spare_page_));
  if (position != last) on_move(position, last);
}

}  // namespace mobula::ecs
