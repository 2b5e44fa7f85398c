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
      data_mask_((1u << config.data_page_shift) - 1) {
  MOBULA_ASSERT(config.data_page_shift >= block_shift, "a block lies in one page");
  MOBULA_ASSERT(type.alignment <= static_cast<std::size_t>(page_alignment), "pages are aligned to 64 bytes");
}

Pool::~Pool() {
  if (type_.destroy != nullptr)
    for (std::uint32_t position = 0; position < size(); ++position) type_.destroy(address(position));
  for (std::byte* page : pages_) ::operator delete(page, page_alignment);
  for (const SparsePage& page : sparse_) delete[] page.positions;
}

void Pool::set_sparse(std::uint32_t index, std::uint32_t position) {
  const std::uint32_t number = index >> config_.sparse_page_shift;
  if (number >= sparse_.size()) sparse_.resize(number + 1);
  SparsePage& page = sparse_[number];
  if (page.positions == nullptr) {
    page.positions = new std::uint32_t[sparse_mask_ + 1];
    std::fill_n(page.positions, sparse_mask_ + 1, none);
  }
  page.positions[index & sparse_mask_] = position;
  ++page.used;
}

void Pool::clear_sparse(std::uint32_t index) {
  SparsePage& page = sparse_[index >> config_.sparse_page_shift];
  page.positions[index & sparse_mask_] = none;
  if (--page.used == 0) {
    delete[] page.positions;
    page.positions = nullptr;
  }
}

void Pool::reserve(std::uint32_t size) {
  const std::size_t page_bytes = static_cast<std::size_t>(type_.size) << config_.data_page_shift;
  while (pages_.size() << config_.data_page_shift < size)
    pages_.push_back(static_cast<std::byte*>(::operator new(page_bytes, page_alignment)));
  const std::size_t blocks = (size + (1u << block_shift) - 1) >> block_shift;
  if (stamps_.size() < blocks) stamps_.resize(blocks, 0);
}

std::byte* Pool::append(std::uint32_t index) {
  MOBULA_ASSERT(!contains(index), "index " + std::to_string(index) + " already has component " + instance_name_);
  const std::uint32_t position = size();
  reserve(position + 1);
  packed_.push_back(index);
  set_sparse(index, position);
  return at_mutable(position);
}

void Pool::append_rows(std::uint32_t first, std::span<const std::uint32_t> offsets, const std::byte* rows) {
  MOBULA_ASSERT(type_.schema, "rows are bytes, and so are only schema components");
  const auto count = static_cast<std::uint32_t>(offsets.size());
  std::uint32_t position = size();
  const std::uint32_t end = position + count;
  reserve(end);
  packed_.resize(end);
  for (std::uint32_t i = 0; i < count; ++i) {
    MOBULA_ASSERT(!contains(first + offsets[i]), "an entity of the column already has component " + instance_name_);
    packed_[position + i] = first + offsets[i];
    set_sparse(first + offsets[i], position + i);
  }
  while (position < end) {
    const std::uint32_t in_page = data_mask_ + 1 - (position & data_mask_);
    const std::uint32_t taken = std::min(in_page, end - position);
    const std::size_t bytes = static_cast<std::size_t>(taken) * type_.size;
    std::memcpy(address(position), rows, bytes);
    rows += bytes;
    for (std::uint32_t block = position >> block_shift; block <= (position + taken - 1) >> block_shift; ++block)
      stamps_[block] = now_;
    position += taken;
  }
}

void Pool::remove(std::uint32_t index) {
  const std::uint32_t position = find(index);
  MOBULA_ASSERT(position != none, "index " + std::to_string(index) + " has no component " + instance_name_);
  const std::uint32_t last = size() - 1;
  if (type_.destroy != nullptr) type_.destroy(address(position));
  if (position != last) {
    if (type_.relocate != nullptr) {
      type_.relocate(address(position), address(last));
    } else {
      std::memcpy(address(position), address(last), type_.size);
    }
    packed_[position] = packed_[last];
    sparse_[packed_[last] >> config_.sparse_page_shift].positions[packed_[last] & sparse_mask_] = position;
    stamp(position);
  }
  packed_.pop_back();
  clear_sparse(index);
}

void Pool::check() const {
  for (std::uint32_t position = 0; position < size(); ++position)
    MOBULA_ASSERT(find(packed_[position]) == position, "packed and sparse agree in pool " + instance_name_);
  std::uint32_t used = 0;
  for (const SparsePage& page : sparse_) {
    const std::uint32_t there =
        page.positions == nullptr
            ? 0
            : static_cast<std::uint32_t>(std::count_if(page.positions, page.positions + sparse_mask_ + 1,
                                                       [](std::uint32_t position) { return position != none; }));
    MOBULA_ASSERT(there == page.used, "each sparse page counts its entries");
    used += there;
  }
  MOBULA_ASSERT(used == size(), "nothing is in sparse that is not in packed");
}

}  // namespace mobula::ecs
