#include <algorithm>
#include <mobula/ecs/pool.hpp>

namespace mobula::ecs {
namespace {

constexpr std::align_val_t page_alignment{64};

}  // namespace

Pool::Pool(const ComponentType& type, core::StringId32 instance, std::string instance_name, const Tick& now,
           PoolConfig config)
    : type_(type),
      instance_(instance),
      instance_name_(std::move(instance_name)),
      now_(now),
      config_(config),
      sparse_mask_((1u << config.sparse_page_shift) - 1),
      data_mask_((1u << config.data_page_shift) - 1),
      element_size_(type.size),
      empty_page_(std::make_unique<std::uint32_t[]>(sparse_mask_ + 1)) {
  MOBULA_ASSERT(config.data_page_shift >= block_shift, "a block lies in one page");
  MOBULA_ASSERT(type.alignment <= static_cast<std::size_t>(page_alignment), "pages are aligned to 64 bytes");
  std::fill_n(empty_page_.get(), sparse_mask_ + 1, none);
}

Pool::~Pool() {
  if (type_.destroy != nullptr)
    for (std::uint32_t position = 0; position < size_; ++position) type_.destroy(address(position));
  for (std::byte* page : pages_) ::operator delete(page, page_alignment);
  for (std::uint32_t* page : sparse_)
    if (page != empty_page_.get()) delete[] page;
}

void Pool::add_data_page() {
  const std::size_t page_bytes = static_cast<std::size_t>(element_size_) << config_.data_page_shift;
  pages_.reserve(pages_.size() + 1);
  const std::uint32_t capacity = capacity_ + data_mask_ + 1;
  packed_.resize(capacity);
  stamps_.resize(capacity >> block_shift, 0);
  pages_.push_back(static_cast<std::byte*>(::operator new(page_bytes, page_alignment)));
  capacity_ = capacity;
}

void Pool::add_sparse_page(std::uint32_t page) {
  if (page >= sparse_.size()) {
    sparse_used_.resize(page + 1, 0);
    sparse_.resize(page + 1, empty_page_.get());
  }
  if (sparse_[page] != empty_page_.get()) return;
  auto made = std::make_unique_for_overwrite<std::uint32_t[]>(sparse_mask_ + 1);
  std::fill_n(made.get(), sparse_mask_ + 1, none);
  sparse_[page] = made.release();
}

void Pool::clear_sparse(std::uint32_t index) {
  const std::uint32_t page = index >> config_.sparse_page_shift;
  sparse_[page][index & sparse_mask_] = none;
  if (--sparse_used_[page] > 0) return;
  delete[] sparse_[page];
  sparse_[page] = empty_page_.get();
}

void Pool::append_rows(std::uint32_t first, std::span<const std::uint32_t> offsets, const std::byte* rows) {
  MOBULA_ASSERT(type_.schema, "rows are bytes, and so are only schema components");
  std::uint32_t position = size_;
  const std::uint32_t end = position + static_cast<std::uint32_t>(offsets.size());
  while (capacity_ < end) add_data_page();
  ++version_;
  for (const std::uint32_t offset : offsets) {
    const std::uint32_t index = first + offset;
    MOBULA_ASSERT(!contains(index), "an entity of the column already has component " + instance_name_);
    const std::uint32_t page = index >> config_.sparse_page_shift;
    if (page >= sparse_.size() || sparse_used_[page] == 0) add_sparse_page(page);
    packed_[size_] = index;
    sparse_[page][index & sparse_mask_] = size_++;
    ++sparse_used_[page];
  }
  while (position < end) {
    const std::uint32_t taken = std::min(data_mask_ + 1 - (position & data_mask_), end - position);
    const std::size_t bytes = static_cast<std::size_t>(taken) * element_size_;
    std::memcpy(address(position), rows, bytes);
    rows += bytes;
    for (std::uint32_t block = position >> block_shift; block <= (position + taken - 1) >> block_shift; ++block)
      stamps_[block] = now_;
    position += taken;
  }
}

void Pool::move_into(std::uint32_t position, std::uint32_t from) {
  if (type_.relocate != nullptr) {
    type_.relocate(address(position), address(from));
  } else {
    std::memcpy(address(position), address(from), element_size_);
  }
  const std::uint32_t index = packed_[from];
  packed_[position] = index;
  sparse_[index >> config_.sparse_page_shift][index & sparse_mask_] = position;
  stamp(position);
}

void Pool::remove(std::uint32_t index) {
  const std::uint32_t position = find(index);
  MOBULA_ASSERT(position != none, "index " + std::to_string(index) + " has no component " + instance_name_);
  if (type_.destroy != nullptr) type_.destroy(address(position));
  const std::uint32_t last = size_ - 1;
  if (position != last) move_into(position, last);
  --size_;
  ++version_;
  clear_sparse(index);
}

const std::uint64_t* Pool::blocks_aligned_with(const Pool& lead) {
  auto found = std::find_if(alignments_.begin(), alignments_.end(),
                            [&](const Alignment& alignment) { return alignment.lead == &lead; });
  if (found == alignments_.end()) found = alignments_.insert(found, {&lead, 0, 0, {}});
  if (found->lead_version != lead.version_ || found->own_version != version_) compare_blocks(lead, *found);
  return found->blocks.data();
}

void Pool::compare_blocks(const Pool& lead, Alignment& alignment) const {
  alignment.lead_version = lead.version_;
  alignment.own_version = version_;
  const std::uint32_t blocks = (lead.size_ + block_mask) >> block_shift;
  alignment.blocks.assign((blocks + 63) / 64, 0);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t first = block << block_shift;
    const std::uint32_t end = std::min(first + block_mask + 1, lead.size_);
    if (end > size_) break;
    if (std::memcmp(&packed_[first], &lead.packed_[first], (end - first) * sizeof(std::uint32_t)) == 0)
      alignment.blocks[block / 64] |= 1ull << block % 64;
  }
}

void Pool::check() const {
  for (std::uint32_t position = 0; position < size_; ++position)
    MOBULA_ASSERT(find(packed_[position]) == position, "packed and sparse agree in pool " + instance_name_);
  std::uint32_t used = 0;
  for (std::size_t page = 0; page < sparse_.size(); ++page) {
    const auto there = static_cast<std::uint32_t>(std::count_if(
        sparse_[page], sparse_[page] + sparse_mask_ + 1, [](std::uint32_t position) { return position != none; }));
    MOBULA_ASSERT(there == sparse_used_[page], "each sparse page counts its entries");
    MOBULA_ASSERT((there == 0) == (sparse_[page] == empty_page_.get()), "a page without entries is given back");
    used += there;
  }
  MOBULA_ASSERT(used == size_, "nothing is in sparse that is not in packed");
}

}  // namespace mobula::ecs
