#include <algorithm>
#include <array>
#include <memory>
#include <mobula/core/format.hpp>
#include <mobula/core/running_code.hpp>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/scratch.hpp>
#include <mobula/ecs/watch.hpp>

namespace mobula::ecs {
namespace {

constexpr std::align_val_t slab_alignment{64};

std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(::operator new(bytes, slab_alignment)); }
void release(std::byte* bytes) { ::operator delete(bytes, slab_alignment); }

// Calls function(components, bytes) for each array that positions first … end - 1 lie in.
template <class Function>
void each_array(const Pool& pool, std::uint32_t first, std::uint32_t end, Function function) {
  while (first < end) {
    const std::uint32_t next = pool.slab_end(first, end);
    function(pool.address(first), static_cast<std::size_t>(next - first) * pool.type().size);
    first = next;
  }
}

}  // namespace

Pool::Pool(PoolId id, const ComponentType& type, core::StringId32 instance, std::string instance_name, const Tick& now,
           PoolConfig config)
    : set_(config.sparse_page_shift),
      element_size_(type.size),
      schema_(type.schema),
      plain_(type.relocate == nullptr),
      remove_(remove_for(type)),
      now_(now),
      type_(type),
      id_(id),
      instance_(instance),
      instance_name_(std::move(instance_name)),
      scratch_(allocate(element_size_)) {
  MOBULA_CHECK(type.alignment <= static_cast<std::size_t>(slab_alignment), "slabs are aligned to 64 bytes");
}

Pool::~Pool() {
  clear_held();
  for (std::uint32_t block = 0; block < blocks_.size(); ++block)
    if (slab_begins_[block] == block) release(blocks_[block]);
  release(scratch_);
}

void Pool::fail_size(std::size_t size) const {
  core::check_failed("component " + type_.name + " has " + std::to_string(size) + " bytes in C++ and " +
                     std::to_string(type_.size) + " in its schema: generate the header from that schema");
}

void Pool::check_unsorted() const {
  MOBULA_CHECK(sorts_ == 0, "pool " + instance_name_ +
                                " is changed by the key or comparator that sorts it: record the change in Commands");
}

void Pool::begin_sort(Iterations::Link& link) {
  begin_iteration(link);
  ++sorts_;
  capacity_ = size();
}

void Pool::end_sort(Iterations::Link& link) {
  if (--sorts_ == 0) capacity_ = static_cast<std::uint32_t>(blocks_.size()) << block_shift;
  end_iteration(link);
}

void Pool::remove_reported(Pool& pool, std::uint32_t index) noexcept {
  if (!pool.plain_) return remove_with_value(pool, index);
  pool.report_removal(index);
  pool.remove_for(pool.type_)(pool, index);
}

void Pool::report_removal(std::uint32_t index) {
  check_unsorted();
  iterations_.report_removal(set_, index);
}

void Pool::remove_with_value(Pool& pool, std::uint32_t index) noexcept {
  pool.remove_then(index, [] {});
}

Pool::Remove Pool::remove_for(const ComponentType& type) const {
  if (type.relocate != nullptr) return remove_with_value;
  if (!set_.has_pages()) return remove_one<0>;
  switch (type.size) {
    case 4: return remove_one<4>;
    case 8: return remove_one<8>;
    case 12: return remove_one<12>;
    case 16: return remove_one<16>;
    default: return remove_one<0>;
  }
}

void Pool::replace(std::uint32_t position, std::byte* value) noexcept {
  mark_held(position);
  if (plain_) return relocate(address(position), value);
  const bool is_large = element_size_ > stack_bytes_max;
  auto* const former = is_large
                           ? allocate_value()
                           : static_cast<std::byte*>(__builtin_alloca_with_align(element_size_, stack_alignment_bits));
  relocate(former, address(position));
  relocate(address(position), value);
  destroy_value(former);
  if (is_large) free_value(former);
}

std::byte* Pool::allocate_value() const {
  return static_cast<std::byte*>(::operator new(element_size_, std::align_val_t{stack_alignment_bits / 8}));
}

void Pool::free_value(std::byte* value) noexcept {
  ::operator delete(value, std::align_val_t{stack_alignment_bits / 8});
}

void Pool::clear() noexcept {
  MOBULA_CHECK(core::running_code().empty(),
               "pool " + instance_name_ + " is cleared: remove its components one by one");
  clear_held();
}

void Pool::clear_held() noexcept {
  check_unsorted();
  for (std::uint32_t left = plain_ ? 0 : size(); left > 0 && size() > 0; --left) remove_held<0>(set_.indices().back());
  if (plain_ || size() == 0) set_.clear();
}

// Adds a slab of half the present size, within bounds, or of the requested size. Few entities take little memory; many
// lie in long arrays that are read sequentially.
void Pool::add_slab(std::uint32_t capacity) {
  check_unsorted();
  const auto begin = static_cast<std::uint32_t>(blocks_.size());
  const std::uint32_t end = std::max(begin + std::clamp(begin / 2, 1u, 512u), (capacity + block_mask) >> block_shift);
  const std::size_t block_bytes = static_cast<std::size_t>(element_size_) << block_shift;
  set_.reserve(end << block_shift);
  if (blocks_.capacity() < end) blocks_.reserve(2 * end);
  if (slab_begins_.capacity() < end) slab_begins_.reserve(2 * end);
  change_ticks_.resize(end, 0);
  std::byte* const slab = allocate((end - begin) * block_bytes);
  slab_begins_.resize(end, begin);
  for (std::uint32_t block = begin; block < end; ++block) blocks_.push_back(slab + (block - begin) * block_bytes);
  capacity_ = end << block_shift;
  iterations_.report_growth();
  set_.note_new_tables();
}

std::uint32_t Pool::slab_end(std::uint32_t position, std::uint32_t end) const {
  std::uint32_t block = position >> block_shift;
  const std::uint32_t begin = slab_begins_[block];
  while (block << block_shift < end && slab_begins_[block] == begin) ++block;
  return std::min(block << block_shift, end);
}

void Pool::append_rows(const EntityBatch& batch, std::span<const std::uint32_t> offsets, const std::byte* rows) {
  MOBULA_ASSERT(schema_, "rows are bytes: schema components only");
  const std::uint32_t position = size();
  const std::uint32_t end = position + static_cast<std::uint32_t>(offsets.size());
  reserve(end);
  for ([[maybe_unused]] const std::uint32_t offset : offsets)
    MOBULA_ASSERT(!contains(batch.at(offset).index), "an entity of the column already has component " + instance_name_);
  if (batch.is_range()) {
    set_.make_pages(batch.first(), offsets);
    set_.push_rising(batch.first(), offsets);
  } else {
    for (const std::uint32_t offset : offsets) set_.make_page(batch.at(offset).index);
    for (const std::uint32_t offset : offsets) set_.push(batch.at(offset).index);
  }
  copy_rows(position, end, rows);
}

void Pool::copy_rows(std::uint32_t first, std::uint32_t end, const std::byte* rows) noexcept {
  mark_run_changed(first, end);
  each_array(*this, first, end, [&](std::byte* to, std::size_t bytes) {
    std::memcpy(to, rows, bytes);
    rows += bytes;
  });
}

void Pool::assign(std::span<const std::uint32_t> indices, const std::byte* rows) {
  MOBULA_CHECK(core::running_code().empty(),
               "pool " + instance_name_ + " is filled: its entities would lack the component; add it to them");
  MOBULA_ASSERT(schema_ && size() == 0, "rows fill an empty pool of a schema component");
  const auto count = static_cast<std::uint32_t>(indices.size());
  core::Undo undo([this] { clear_held(); });
  reserve(count);
  set_.assign(indices);
  undo.dismiss();
  copy_rows(0, count, rows);
}

void Pool::make_room(std::span<const Entity> entities) {
  reserve(size() + static_cast<std::uint32_t>(entities.size()));
  for (const Entity entity : entities) {
    const SparseSet::Place place = set_.make_page(entity.index);
    MOBULA_CHECK(place.is_free(), "entity " + to_string(entity) + " already has component " + instance_name_);
  }
}

void Pool::commit_run(std::uint32_t first, std::uint32_t count, const std::byte* value) noexcept {
  const std::uint32_t position = size();
  const std::uint32_t end = position + count;
  set_.push_run(first, count);
  mark_run_changed(position, end);
  each_array(*this, position, end, [&](std::byte* to, std::size_t bytes) {
    std::memcpy(to, value, element_size_);
    for (std::size_t filled = element_size_; filled < bytes; filled *= 2)
      std::memcpy(to + filled, to, std::min(filled, bytes - filled));
  });
}

void Pool::fail_endless_destructors() const {
  core::check_failed(core::format(
      "destructors of component {} destroy entities with it {} deep: destroy the chain in a loop, or in Commands",
      instance_name_, destructors_max));
}

void Pool::claim_order(OrderOwner owner, const GroupSet* group) {
  MOBULA_CHECK(order_owner_ == OrderOwner::nobody || (owner == OrderOwner::sort && order_owner_ == owner),
               "the order of pool " + instance_name_ + " already has an owner (a sort's is given up by release_order)");
  MOBULA_CHECK(!is_iterated(), "pool " + instance_name_ + " is reordered while it is iterated or sorted");
  order_owner_ = owner;
  owner_group_ = group;
}

void Pool::fail_position(std::uint32_t position) const {
  core::check_failed(
      core::format("position {} is outside pool {}, which holds {} components", position, instance_name_, size()));
}

void Pool::swap(std::uint32_t a, std::uint32_t b) noexcept {
  check_position(a);
  check_position(b);
  swap_held(a, b);
}

void Pool::swap_held(std::uint32_t a, std::uint32_t b) noexcept {
  MOBULA_ASSERT(a < size() && b < size(), "both positions hold components");
  if (a == b) return;
  if (iterations_.any()) {
    check_unsorted();
    iterations_.report_swap(set_, a, b);
  }
  relocate(scratch_, address(a));
  relocate(address(a), address(b));
  relocate(address(b), scratch_);
  set_.swap(a, b);
  mark_held(a);
  mark_held(b);
}

// copy(to, from) copies one element of that size, a compile-time constant for the common ones.
template <class Copy>
void Pool::reorder_blocks(std::uint32_t first, std::span<const std::uint32_t> order, std::byte* room,
                          std::size_t element_size, Copy copy) {
  const auto end = first + static_cast<std::uint32_t>(order.size());
  // Calls function(first position, end position) for each block in which something moves.
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
           blocks_[from >> block_shift] + static_cast<std::size_t>(from & block_mask) * element_size);
    }
  });
  each_block([&](std::uint32_t begin, std::uint32_t next) {
    std::byte* to = address(begin);
    for (std::uint32_t position = begin; position < next; ++position, to += element_size) copy(to, room_of(position));
    mark_held(begin);
  });
}

void Pool::reorder(std::uint32_t first, std::span<const std::uint32_t> order, Scratch& scratch) {
  MOBULA_CHECK(!is_iterated(), "pool " + instance_name_ + " is reordered while it is iterated");
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
  if (found == alignments_.end()) found = alignments_.insert(found, {&lead, 0, 0, false, {}});
  if (found->lead_version != lead.version() || found->own_version != version()) compare_blocks(lead, *found);
  return found->whole ? nullptr : found->blocks.data();
}

void Pool::compare_blocks(const SparseSet& lead, Alignment& alignment) const {
  const std::uint32_t blocks = (lead.size() + block_mask) >> block_shift;
  alignment.blocks.assign((blocks + 63) / 64, 0);
  std::uint32_t aligned = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t first = block << block_shift;
    const std::uint32_t end = std::min(first + block_mask + 1, lead.size());
    if (end > size()) break;
    if (std::memcmp(&indices()[first], &lead.indices()[first], (end - first) * sizeof(std::uint32_t)) != 0) continue;
    alignment.blocks[block / 64] |= 1ull << block % 64;
    ++aligned;
  }
  alignment.whole = aligned == blocks;
  alignment.lead_version = lead.version();
  alignment.own_version = version();
}

PoolWatch& Pool::make_watch() {
  if (watch_.get() == nullptr) watch_ = core::Owned(new PoolWatch(instance_name_));
  return *watch_;
}

void Pool::check() const { set_.check("pool " + instance_name_); }

}  // namespace mobula::ecs
