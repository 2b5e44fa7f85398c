#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <mobula/ecs/sparse_set.hpp>
#include <numeric>
#include <utility>

namespace mobula::ecs {
namespace {

using LargestPage = std::array<std::uint32_t, 1u << SparseSet::max_page_shift>;

constexpr LargestPage all_none = [] {
  LargestPage page{};
  page.fill(SparseSet::none);
  return page;
}();

// Page shared by all sets, never written: add_page() replaces it with an own page before entries are written.
std::uint32_t* empty_page() { return const_cast<std::uint32_t*>(all_none.data()); }

}  // namespace

SparseSet::SparseSet(std::uint32_t page_shift) : page_shift_(page_shift), page_mask_((1u << page_shift) - 1) {
  MOBULA_CHECK(page_shift <= max_page_shift || page_shift == no_pages, "a page holds at most 4096 indices");
  if (has_pages()) return;
  page_mask_ = 0;
  used_.resize(1);  // push() counts there too
}

SparseSet::~SparseSet() {
  for (const std::uint32_t* page : pages_)
    if (page != empty_page()) delete[] page;
  delete[] spare_page_;
}

void SparseSet::find(std::span<const std::uint32_t> indices, std::uint32_t* positions) const {
  if (!has_pages()) [[unlikely]]
    return find_in_table(indices, positions);
  const std::uint32_t shift = page_shift_;  // else read again after each write
  const std::uint32_t mask = page_mask_;
  const std::uint32_t page_count = page_count_;
  const std::uint32_t* const* const pages = pages_.data();
  // Backwards, as blocks are iterated: else the processor does not recognise the pages that it is to load beforehand.
  for (std::size_t i = indices.size(); i-- > 0;) {
    const std::uint32_t page = indices[i] >> shift;
    positions[i] = page < page_count ? pages[page][indices[i] & mask] : none;
  }
}

void SparseSet::grow(std::uint32_t count) {
  if (has_pages()) {
    packed_.resize(std::max<std::size_t>(count, packed_.size() + 256));  // the vector's capacity doubles
    return;
  }
  const std::size_t room = std::max<std::size_t>(count, packed_.size() + 16);
  const auto entries = std::bit_ceil(static_cast<std::uint32_t>(room + room / 3));
  std::unique_ptr<std::uint32_t[]> table(entries > page_mask_ + 1 ? new std::uint32_t[entries] : nullptr);
  packed_.resize(room);
  if (table != nullptr) replace_table(table.release(), entries);
}

void SparseSet::replace_table(std::uint32_t* table, std::uint32_t entries) noexcept {
  delete[] std::exchange(spare_page_, table);
  page_mask_ = entries - 1;
  fill_table();
}

SparseSet::Place SparseSet::add_page(std::uint32_t index) {
  if (!has_pages()) return place_in_table(index);
  const std::uint32_t page = index >> page_shift_;
  if (page >= page_count_) {
    pages_.resize(page + 1, empty_page());
    used_.resize(page + 1, 0);
    page_count_ = page + 1;
  }
  if (pages_[page] == empty_page()) {
    if (spare_page_ == nullptr) {
      spare_page_ = new std::uint32_t[page_mask_ + 1];
      std::fill_n(spare_page_, page_mask_ + 1, none);
    }
    pages_[page] = std::exchange(spare_page_, nullptr);
    note_new_tables();
  }
  return place_in_page(index);
}

bool SparseSet::has_place(std::uint32_t index) const {
  if (!has_pages()) return spare_page_ != nullptr;
  return has_page(index) && pages_[index >> page_shift_] != empty_page();
}

void SparseSet::give_back(std::uint32_t page) noexcept {
  if (spare_page_ == nullptr) {
    spare_page_ = pages_[page];
  } else {
    delete[] pages_[page];
  }
  pages_[page] = empty_page();
}

std::uint32_t SparseSet::find_in_table(std::uint32_t index) const {
  const std::uint32_t* const table = spare_page_;
  if (table == nullptr) return none;
  for (std::uint32_t at = home(index); table[at] != none; at = (at + 1) & page_mask_)
    if (packed_[table[at]] == index) return table[at];
  return none;
}

void SparseSet::find_in_table(std::span<const std::uint32_t> indices, std::uint32_t* positions) const {
  for (std::size_t i = 0; i < indices.size(); ++i) positions[i] = find_in_table(indices[i]);
}

SparseSet::Place SparseSet::place_in_table(std::uint32_t index) {
  std::uint32_t* const table = spare_page_;
  std::uint32_t at = home(index);
  while (table[at] != none && packed_[table[at]] != index) at = (at + 1) & page_mask_;
  return {&table[at], used_.data()};
}

// Moves the next entry whose probe sequence passes the gap into it, which opens a new gap, and so on.
void SparseSet::close_gap(std::uint32_t gap) noexcept {
  std::uint32_t* const table = spare_page_;
  for (std::uint32_t at = (gap + 1) & page_mask_; table[at] != none; at = (at + 1) & page_mask_) {
    const std::uint32_t way = (at - home(packed_[table[at]])) & page_mask_;
    if (way < ((at - gap) & page_mask_)) continue;
    table[gap] = std::exchange(table[at], none);
    gap = at;
  }
}

void SparseSet::fill_table() noexcept {
  if (spare_page_ == nullptr) return;
  std::fill_n(spare_page_, page_mask_ + 1, none);
  for (std::uint32_t position = 0; position < size_; ++position) *place_in_table(packed_[position]).entry = position;
}

void SparseSet::make_pages(std::uint32_t first, std::uint32_t count) {
  if (!has_pages()) return;
  for (std::uint32_t page = first >> page_shift_; count > 0 && page <= (first + count - 1) >> page_shift_; ++page)
    make_page(page << page_shift_);
}

void SparseSet::make_pages(std::uint32_t first, std::span<const std::uint32_t> offsets) {
  if (!has_pages()) return;
  for (auto next = offsets.begin(); next != offsets.end();) {
    const std::uint32_t page = (first + *next) >> page_shift_;
    make_page(first + *next);
    next = std::upper_bound(next, offsets.end(), ((page + 1) << page_shift_) - 1 - first);
  }
}

void SparseSet::push_run(std::uint32_t first, std::uint32_t count) noexcept {
  if (!has_pages()) {
    for (std::uint32_t i = 0; i < count; ++i) push(first + i);
    return;
  }
  std::iota(packed_.data() + size_, packed_.data() + size_ + count, first);
  ++version_;
  while (count > 0) {
    const Place begin = place(first);
    const std::uint32_t taken = std::min(count, page_mask_ + 1 - (first & page_mask_));
    std::iota(begin.entry, begin.entry + taken, size_);
    *begin.used += taken;
    size_ += taken;
    first += taken;
    count -= taken;
  }
}

void SparseSet::push_rising(std::uint32_t first, std::span<const std::uint32_t> offsets) noexcept {
  const auto count = static_cast<std::uint32_t>(offsets.size());
  if (count == 0) return;
  if (offsets.back() - offsets.front() == count - 1) return push_run(first + offsets.front(), count);
  if (!has_pages()) {
    for (const std::uint32_t offset : offsets) push(first + offset);
    return;
  }
  const std::uint32_t shift = page_shift_;  // else read again after each write
  const std::uint32_t mask = page_mask_;
  std::uint32_t* const packed = packed_.data() + size_;
  for (std::uint32_t i = 0; i < count;) {
    const std::uint32_t page = (first + offsets[i]) >> shift;
    std::uint32_t* const positions = pages_[page];
    const std::uint32_t begin = i;
    for (; i < count && (first + offsets[i]) >> shift == page; ++i) {
      packed[i] = first + offsets[i];
      positions[(first + offsets[i]) & mask] = size_ + i;
    }
    used_[page] += i - begin;
  }
  size_ += count;
  ++version_;
}

void SparseSet::assign(std::span<const std::uint32_t> indices) {
  const auto count = static_cast<std::uint32_t>(indices.size());
  reserve(count);
  std::copy(indices.begin(), indices.end(), packed_.begin());
  if (!has_pages()) {
    size_ = count;
    ++version_;
    return fill_table();
  }
  for (std::uint32_t position = 0; position < count;) {
    const std::uint32_t number = indices[position] >> page_shift_;
    make_page(indices[position]);
    std::uint32_t* const positions = pages_[number];
    const std::uint32_t first = position;
    const std::uint32_t shift = page_shift_;  // else read again after each write
    const std::uint32_t mask = page_mask_;
    for (; position < count && indices[position] >> shift == number; ++position)
      positions[indices[position] & mask] = position;
    used_[number] += position - first;
  }
  size_ = count;
  ++version_;
}

void SparseSet::reorder(std::uint32_t first, std::span<const std::uint32_t> order, std::uint32_t* room) noexcept {
  const auto count = static_cast<std::uint32_t>(order.size());
  for (std::uint32_t i = 0; i < count; ++i) room[i] = packed_[order[i]];
  std::copy(room, room + count, packed_.begin() + first);
  ++version_;
  if (!has_pages()) return fill_table();
  for (std::uint32_t i = 0; i < count; ++i)
    if (order[i] != first + i) *place_in_page(room[i]).entry = first + i;
}

void SparseSet::clear() noexcept {
  for (std::uint32_t* const page : pages_)
    if (page != empty_page()) delete[] page;
  std::fill(pages_.begin(), pages_.end(), empty_page());
  std::fill(used_.begin(), used_.end(), 0);
  size_ = 0;
  ++version_;
  if (!has_pages()) fill_table();
}

void SparseSet::check([[maybe_unused]] const std::string& name) const {
  for (std::uint32_t position = 0; position < size_; ++position)
    MOBULA_ASSERT(find(packed_[position]) == position, "packed and sparse agree in " + name);
  std::uint32_t used = has_pages() ? 0 : size_;
  for (std::uint32_t page = 0; page < page_count_; ++page) {
    const auto there = static_cast<std::uint32_t>(std::count_if(
        pages_[page], pages_[page] + page_mask_ + 1, [](std::uint32_t position) { return position != none; }));
    MOBULA_ASSERT(there == used_[page], "each page counts its entries in " + name);
    used += there;
  }
  MOBULA_ASSERT(used == size_, "nothing is in sparse that is not in packed in " + name);
  if (!has_pages()) return check_table(name);
  MOBULA_ASSERT(spare_page_ == nullptr || std::all_of(spare_page_, spare_page_ + page_mask_ + 1,
                                                      [](std::uint32_t position) { return position == none; }),
                "the spare page is empty in " + name);
}

void SparseSet::check_table([[maybe_unused]] const std::string& name) const {
  const std::size_t entries = spare_page_ == nullptr ? 0 : std::size_t{page_mask_} + 1;
  MOBULA_ASSERT(std::count(spare_page_, spare_page_ + entries, none) == static_cast<std::ptrdiff_t>(entries - size_),
                "the table has the entries of " + name);
  MOBULA_ASSERT(packed_.size() + packed_.size() / 3 <= entries, "the table has room for all of " + name);
}

}  // namespace mobula::ecs
