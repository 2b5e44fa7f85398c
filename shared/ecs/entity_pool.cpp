#include <algorithm>
#include <mobula/ecs/entity_pool.hpp>

namespace mobula::ecs {

EntityPool::EntityPool(EntityPoolConfig config) : config_(config) {
  MOBULA_ASSERT(config.reuse_bits >= 1 && config.reuse_bits <= 32, "1 to 32 bits count reuse");
  MOBULA_ASSERT(config.reuse_bits == 32 ? config.incarnation == 0 : config.incarnation >> (32 - config.reuse_bits) == 0,
                "the incarnation fits above the bits that count reuse");
  MOBULA_ASSERT(config.index_limit <= no_link, "an index fits a link");
  if (config.reuse_bits == 32) config_.incarnation = 0;
}

Entity EntityPool::create() {
  std::uint32_t index = free_head_;
  if (index != no_link) {
    Slot& slot = slots_[index];
    free_head_ = slot.state & state_mask;
    if (free_head_ == no_link) free_tail_ = no_link;
    slot.state = 0;
  } else {
    if (slots_.size() >= config_.index_limit) return null_entity;
    index = index_end();
    slots_.push_back({first_generation(), 0});
  }
  ++alive_;
  return {index, slots_[index].generation};
}

bool EntityPool::create_given(Entity entity) {
  MOBULA_ASSERT(config_.recycling == Recycling::given, "only a pool of policy `given` is told its handles");
  if (!entity || entity.index >= config_.index_limit) return false;
  if (entity.index >= slots_.size()) slots_.resize(entity.index + 1, {0, dead_bit});
  if (at(entity.index)) return false;
  slots_[entity.index] = {entity.generation, 0};
  ++alive_;
  return true;
}

EntityRange EntityPool::create_range(std::uint32_t count) {
  if (count == 0) return {0, 0, first_generation()};
  const auto recycled = std::find_if(free_ranges_.begin(), free_ranges_.end(),
                                     [&](std::uint32_t slot) { return ranges_[slot].range.count == count; });
  if (recycled == free_ranges_.end()) {
    if (count > config_.index_limit - slots_.size()) return {};
    ranges_.push_back({{index_end(), count, first_generation()}, count});
    slots_.resize(slots_.size() + count, {first_generation(), in_range_bit});
    alive_ += count;
    return ranges_.back().range;
  }
  RangeSlot& slot = ranges_[*recycled];
  free_ranges_.erase(recycled);
  slot.alive = count;
  for (std::uint32_t i = 0; i < count; ++i) slots_[slot.range.first + i] = {slot.range.generation, in_range_bit};
  alive_ += count;
  return slot.range;
}

void EntityPool::destroy(Entity entity) {
  MOBULA_ASSERT(valid(entity), "destroying entity " + to_string(entity) + ", which is not alive");
  Slot& slot = slots_[entity.index];
  if ((slot.state & in_range_bit) != 0) return kill_in_range(ranges_[range_slot(entity.index)], entity.index);
  --alive_;
  if (config_.recycling == Recycling::given) {
    slot.state = dead_bit;  // whoever gives the handles decides about the index
    return;
  }
  release(entity.index);
}

void EntityPool::release(std::uint32_t index) {
  Slot& slot = slots_[index];
  slot.state = dead_bit | no_link;
  if (used_up(++slot.generation)) {
    slot.generation = 0;
    ++retired_;
    return;
  }
  if (free_tail_ == no_link) {
    free_head_ = index;
  } else {
    slots_[free_tail_].state = dead_bit | index;
  }
  free_tail_ = index;
}

std::uint32_t EntityPool::range_slot(std::uint32_t index) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), index,
                       [](std::uint32_t wanted, const RangeSlot& slot) { return wanted < slot.range.first; });
  MOBULA_ASSERT(after != ranges_.begin(), "index " + std::to_string(index) + " is in a range");
  return static_cast<std::uint32_t>(after - ranges_.begin()) - 1;
}

void EntityPool::kill_in_range(RangeSlot& slot, std::uint32_t index) {
  slots_[index].state = in_range_bit | dead_bit;
  --alive_;
  if (--slot.alive > 0) return;
  if (used_up(++slot.range.generation)) {
    retired_ += slot.range.count;
  } else {
    free_ranges_.push_back(static_cast<std::uint32_t>(&slot - ranges_.data()));
  }
}

void EntityPool::destroy_range(const EntityRange& range) {
  if (range.count == 0) return;
  RangeSlot& slot = ranges_[range_slot(range.first)];
  MOBULA_ASSERT(slot.range.first == range.first && slot.range.count == range.count,
                "the range was made by create_range");
  for (std::uint32_t i = 0; i < range.count; ++i)
    if (valid(range.at(i))) kill_in_range(slot, range.first + i);
}

void EntityPool::check() const {
  std::uint32_t alive = 0;
  std::uint32_t dead = 0;
  for (const Slot& slot : slots_) {
    ((slot.state & dead_bit) != 0 ? dead : alive) += 1;
    MOBULA_ASSERT(slot.generation != 0 || (slot.state & dead_bit) != 0, "a living entity has a generation");
  }
  MOBULA_ASSERT(alive == alive_, "the count of the living is right");
  std::uint32_t free = 0;
  std::uint32_t last = no_link;
  for (std::uint32_t index = free_head_; index != no_link; index = slots_[index].state & state_mask) {
    MOBULA_ASSERT((slots_[index].state & dead_bit) != 0, "a free index is dead");
    MOBULA_ASSERT(++free <= dead, "the free queue ends");
    last = index;
  }
  MOBULA_ASSERT(last == free_tail_, "the free queue ends at its tail");
  for (const RangeSlot& slot : ranges_) {
    std::uint32_t living = 0;
    for (std::uint32_t i = 0; i < slot.range.count; ++i) living += valid(slot.range.at(i)) ? 1u : 0u;
    MOBULA_ASSERT(living == slot.alive, "a range counts its living");
  }
}

}  // namespace mobula::ecs
