#include <algorithm>
#include <array>
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

// Shared by all sets and only ever read: entries are written after add_page has put a page of the set's own.
std::uint32_t* empty_page() { return const_cast<std::uint32_t*>(all_none.data()); }

}  // namespace

SparseSet::SparseSet(std::uint32_t page_shift) : page_shift_(page_shift), page_mask_((1u << page_shift) - 1) {
  MOBULA_ASSERT(page_shift <= max_page_shift, "a page holds at most 4096 indices");
}

SparseSet::~SparseSet() {
  for (const std::uint32_t* page : pages_)
    if (page != empty_page()) delete[] page;
  delete[] spare_page_;
}

void SparseSet::find(std::span<const std::uint32_t> indices, std::uint32_t* positions) const {
  const std::uint32_t shift = page_shift_;  // else read again after each write
  const std::uint32_t mask = page_mask_;
  const std::uint32_t page_count = page_count_;
  const std::uint32_t* const* const pages = pages_.data();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint32_t page = indices[i] >> shift;
    positions[i] = page < page_count ? pages[page][indices[i] & mask] : none;
  }
}

void SparseSet::grow(std::uint32_t count) {
  packed_.resize(std::max<std::size_t>(count, packed_.size() + 256));  // the vector's capacity doubles
}

void SparseSet::add_page(std::uint32_t page) {
  if (page >= page_count_) {
    pages_.resize(page + 1, empty_page());
    used_.resize(page + 1, 0);
    page_count_ = page + 1;
  }
  if (pages_[page] != empty_page()) return;
  if (spare_page_ == nullptr) {
    spare_page_ = new std::uint32_t[page_mask_ + 1];
    std::fill_n(spare_page_, page_mask_ + 1, none);
  }
  pages_[page] = std::exchange(spare_page_, nullptr);
}

void SparseSet::give_back(std::uint32_t page) noexcept {
  if (spare_page_ == nullptr) {
    spare_page_ = pages_[page];
  } else {
    delete[] pages_[page];
  }
  pages_[page] = empty_page();
}

void SparseSet::make_pages(std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t page = first >> page_shift_; count > 0 && page <= (first + count - 1) >> page_shift_; ++page)
    make_page(page << page_shift_);
}

void SparseSet::make_pages(std::uint32_t first, std::span<const std::uint32_t> offsets) {
  for (auto next = offsets.begin(); next != offsets.end();) {
    const std::uint32_t page = (first + *next) >> page_shift_;
    make_page(first + *next);
    next = std::upper_bound(next, offsets.end(), ((page + 1) << page_shift_) - 1 - first);
  }
}

void SparseSet::push_run(std::uint32_t first, std::uint32_t count) noexcept {
  std::iota(packed_.data() + size_, packed_.data() + size_ + count, first);
  ++version_;
  while (count > 0) {
    const Place begin = place(first);
    const std::uint32_t taken = std::min(count, page_mask_ + 1 - (first & page_mask_));
    std::iota(begin.entry, begin.entry + taken, size_);
    used_[begin.page] += taken;
    size_ += taken;
    first += taken;
    count -= taken;
  }
}

void SparseSet::push_rising(std::uint32_t first, std::span<const std::uint32_t> offsets) noexcept {
  const auto count = static_cast<std::uint32_t>(offsets.size());
  if (count == 0) return;
  if (offsets.back() - offsets.front() == count - 1) return push_run(first + offsets.front(), count);
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
  for (std::uint32_t i = 0; i < count; ++i)
    if (order[i] != first + i) entry(room[i]) = first + i;
  ++version_;
}

void SparseSet::clear() noexcept {
  for (std::uint32_t* const page : pages_)
    if (page != empty_page()) delete[] page;
  std::fill(pages_.begin(), pages_.end(), empty_page());
  std::fill(used_.begin(), used_.end(), 0);
  size_ = 0;
  ++version_;
}

void SparseSet::check([[maybe_unused]] const std::string& name) const {
  for (std::uint32_t position = 0; position < size_; ++position)
    MOBULA_ASSERT(find(packed_[position]) == position, "packed and sparse agree in " + name);
  std::uint32_t used = 0;
  for (std::uint32_t page = 0; page < page_count_; ++page) {
    const auto there = static_cast<std::uint32_t>(std::count_if(
        pages_[page], pages_[page] + page_mask_ + 1, [](std::uint32_t position) { return position != none; }));
    MOBULA_ASSERT(there == used_[page], "each page counts its entries in " + name);
    used += there;
  }
  MOBULA_ASSERT(used == size_, "nothing is in sparse that is not in packed in " + name);
  MOBULA_ASSERT(spare_page_ == nullptr || std::all_of(spare_page_, spare_page_ + page_mask_ + 1,
                                                      [](std::uint32_t position) { return position == none; }),
                "the spare page is empty in " + name);
}

}  // namespace mobula::ecs
