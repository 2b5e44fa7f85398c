#include <algorithm>
#include <memory>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/scratch.hpp>
#include <mobula/ecs/watch.hpp>

namespace mobula::ecs {
namespace {

constexpr std::align_val_t page_alignment{64};

std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(::operator new(bytes, page_alignment)); }
void release(std::byte* bytes) { ::operator delete(bytes, page_alignment); }

// function(components, bytes) for each page's part of positions first … end - 1.
template <class Function>
void each_page_part(const Pool& pool, std::uint32_t first, std::uint32_t end, Function function) {
  const std::uint32_t page = pool.page_positions();
  while (first < end) {
    const std::uint32_t taken = std::min(page - first % page, end - first);
    function(pool.address(first), static_cast<std::size_t>(taken) * pool.type().size);
    first += taken;
  }
}

}  // namespace

Pool::Pool(PoolId id, const ComponentType& type, core::StringId32 instance, std::string instance_name, const Tick& now,
           PoolConfig config)
    : set_(config.sparse_page_shift),
      element_size_(type.size),
      data_mask_((1u << config.data_page_shift) - 1),
      schema_(type.schema),
      plain_(type.relocate == nullptr),
      config_(config),
      now_(now),
      type_(type),
      id_(id),
      instance_(instance),
      instance_name_(std::move(instance_name)) {
  MOBULA_ASSERT(config.data_page_shift >= block_shift, "a block lies in one page");
  MOBULA_ASSERT(type.alignment <= static_cast<std::size_t>(page_alignment), "pages are aligned to 64 bytes");
  scratch_ = allocate(element_size_);
}

Pool::~Pool() {
  clear();
  for (std::byte* slab : slabs_) release(slab);
  release(scratch_);
}

void Pool::destroy_value(std::uint32_t position) noexcept { type_.destroy(address(position)); }

void Pool::clear() noexcept {
  for (std::uint32_t position = 0; !plain_ && position < size(); ++position) destroy_value(position);
  set_.clear();
}

// Several pages at once as the pool grows, so that long runs lie in one piece and memory is read straight on.
void Pool::add_data_pages() {
  const std::size_t count = std::clamp<std::size_t>(pages_.size() / 2, 1, 64);
  const std::size_t page_bytes = static_cast<std::size_t>(element_size_) << config_.data_page_shift;
  const std::uint32_t capacity = capacity_ + (static_cast<std::uint32_t>(count) << config_.data_page_shift);
  set_.reserve(capacity);
  slabs_.reserve(slabs_.size() + 1);
  if (pages_.capacity() - pages_.size() < count) pages_.reserve(2 * pages_.size() + count);
  stamps_.resize(capacity >> block_shift, 0);
  slabs_.push_back(allocate(count * page_bytes));
  for (std::size_t i = 0; i < count; ++i) pages_.push_back(slabs_.back() + i * page_bytes);
  capacity_ = capacity;
}

void Pool::append_rows(std::uint32_t first, std::span<const std::uint32_t> offsets, const std::byte* rows) {
  MOBULA_ASSERT(schema_, "rows are bytes, and so are only schema components");
  const std::uint32_t position = size();
  const std::uint32_t end = position + static_cast<std::uint32_t>(offsets.size());
  reserve(end);
  for (const std::uint32_t offset : offsets) set_.make_page(first + offset);
  for (const std::uint32_t offset : offsets) {
    MOBULA_ASSERT(!contains(first + offset), "an entity of the column already has component " + instance_name_);
    set_.push(first + offset);
  }
  copy_rows(position, end, rows);
}

void Pool::copy_rows(std::uint32_t first, std::uint32_t end, const std::byte* rows) noexcept {
  stamp_run(first, end);
  each_page_part(*this, first, end, [&](std::byte* to, std::size_t bytes) {
    std::memcpy(to, rows, bytes);
    rows += bytes;
  });
}

void Pool::assign(std::span<const std::uint32_t> indices, const std::byte* rows) {
  MOBULA_ASSERT(schema_ && size() == 0, "rows are bytes, and they fill an empty pool");
  const auto count = static_cast<std::uint32_t>(indices.size());
  try {
    set_.reserve((count + data_mask_) & ~data_mask_);  // at once what the pages would ask for one by one
    reserve(count);
    set_.assign(indices);
  } catch (...) {
    clear();
    throw;
  }
  copy_rows(0, count, rows);
}

void Pool::make_room(std::span<const Entity> entities) {
  reserve(size() + static_cast<std::uint32_t>(entities.size()));
  for (const Entity entity : entities) {
    MOBULA_ASSERT(!contains(entity.index), "entity " + to_string(entity) + " already has component " + instance_name_);
    set_.make_page(entity.index);
  }
}

void Pool::commit_run(std::uint32_t first, std::uint32_t count, const std::byte* value) noexcept {
  const std::uint32_t position = size();
  const std::uint32_t end = position + count;
  set_.push_run(first, count);
  stamp_run(position, end);
  each_page_part(*this, position, end, [&](std::byte* to, std::size_t bytes) {
    std::memcpy(to, value, element_size_);
    for (std::size_t filled = element_size_; filled < bytes; filled *= 2)
      std::memcpy(to + filled, to, std::min(filled, bytes - filled));
  });
}

void Pool::claim_order(OrderOwner owner, const GroupSet* group) {
  MOBULA_ASSERT(
      order_owner_ == OrderOwner::nobody || (owner == OrderOwner::sort && order_owner_ == owner),
      "the order of pool " + instance_name_ + " already has an owner (a sort's is given up by release_order)");
  MOBULA_ASSERT(!walked(), "pool " + instance_name_ + " is reordered while it is walked");
  order_owner_ = owner;
  owner_group_ = group;
}

void Pool::swap(std::uint32_t a, std::uint32_t b) noexcept {
  MOBULA_ASSERT(a < size() && b < size(), "both positions hold components");
  if (a == b) return;
  relocate(scratch_, address(a));
  relocate(address(a), address(b));
  relocate(address(b), scratch_);
  set_.swap(a, b);
  stamp(a);
  stamp(b);
}

// copy(to, from): of one element of that size, known where it is compiled for the usual ones.
template <class Copy>
void Pool::reorder_blocks(std::uint32_t first, std::span<const std::uint32_t> order, std::byte* room,
                          std::size_t element_size, Copy copy) {
  const auto end = first + static_cast<std::uint32_t>(order.size());
  // function(first position, position behind the last) for each block in which something moves.
  const auto each_block = [&](auto function) {
    for (std::uint32_t begin = first; begin < end;) {
      const std::uint32_t next = std::min(end, (begin | block_mask) + 1);
      std::uint32_t differences = 0;
      for (std::uint32_t position = begin; position < next; ++position)
        differences |= order[position - first] ^ position;
      if (differences != 0) function(begin, next);
      begin = next;
    }
  };
  const auto room_of = [&](std::uint32_t position) { return room + (position - first) * element_size; };
  each_block([&](std::uint32_t begin, std::uint32_t next) {
    for (std::uint32_t position = begin; position < next; ++position) {
      const std::uint32_t from = order[position - first];
      copy(room_of(position),
           pages_[from >> config_.data_page_shift] + static_cast<std::size_t>(from & data_mask_) * element_size);
    }
  });
  each_block([&](std::uint32_t begin, std::uint32_t next) {
    std::byte* to = address(begin);
    for (std::uint32_t position = begin; position < next; ++position, to += element_size) copy(to, room_of(position));
    stamp(begin);
  });
}

void Pool::reorder(std::uint32_t first, std::span<const std::uint32_t> order, Scratch& scratch) {
  MOBULA_ASSERT(!walked(), "pool " + instance_name_ + " is reordered while it is walked");
  std::byte* room = scratch.room(reorder_bytes(order.size()));
  set_.reorder(first, order, reinterpret_cast<std::uint32_t*>(room));
  const auto plain = [&]<std::size_t size>(std::integral_constant<std::size_t, size>) {
    reorder_blocks(first, order, room, size, [](std::byte* to, const std::byte* from) { std::memcpy(to, from, size); });
  };
  if (plain_) {
    switch (element_size_) {
      case 4: return plain(std::integral_constant<std::size_t, 4>());
      case 8: return plain(std::integral_constant<std::size_t, 8>());
      case 12: return plain(std::integral_constant<std::size_t, 12>());
      case 16: return plain(std::integral_constant<std::size_t, 16>());
      default: break;
    }
  }
  reorder_blocks(first, order, room, element_size_, [&](std::byte* to, std::byte* from) { relocate(to, from); });
}

const std::uint64_t* Pool::blocks_aligned_with(const SparseSet& lead) {
  auto found = std::find_if(alignments_.begin(), alignments_.end(),
                            [&](const Alignment& alignment) { return alignment.lead == &lead; });
  if (found == alignments_.end()) found = alignments_.insert(found, {&lead, 0, 0, {}});
  if (found->lead_version != lead.version() || found->own_version != version()) compare_blocks(lead, *found);
  return found->blocks.data();
}

void Pool::compare_blocks(const SparseSet& lead, Alignment& alignment) const {
  const std::uint32_t blocks = (lead.size() + block_mask) >> block_shift;
  alignment.blocks.assign((blocks + 63) / 64, 0);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t first = block << block_shift;
    const std::uint32_t end = std::min(first + block_mask + 1, lead.size());
    if (end > size()) break;
    if (std::memcmp(&indices()[first], &lead.indices()[first], (end - first) * sizeof(std::uint32_t)) == 0)
      alignment.blocks[block / 64] |= 1ull << block % 64;
  }
  alignment.lead_version = lead.version();
  alignment.own_version = version();
}

PoolWatch& Pool::make_watch() {
  if (watch_.get() == nullptr) watch_ = core::Owned(new PoolWatch);
  return *watch_;
}

void Pool::check() const { set_.check("pool " + instance_name_); }

}  // namespace mobula::ecs
