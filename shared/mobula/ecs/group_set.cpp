#include <algorithm>
#include <mobula/ecs/group_set.hpp>
#include <mobula/ecs/scratch.hpp>
#include <mobula/ecs/watch.hpp>

namespace mobula::ecs {
namespace {

bool all_contain(const std::vector<Pool*>& pools, std::uint32_t index) {
  return std::all_of(pools.begin(), pools.end(), [index](const Pool* pool) { return pool->contains(index); });
}
bool any_contains(const std::vector<Pool*>& pools, std::uint32_t index) {
  return std::any_of(pools.begin(), pools.end(), [index](const Pool* pool) { return pool->contains(index); });
}

}  // namespace

GroupSet::GroupSet(GroupPools pools, std::uint32_t sparse_page_shift)
    : pools_(std::move(pools)), members_(sparse_page_shift) {
  MOBULA_CHECK(!pools_.owned.empty() || !pools_.required.empty(), "a group asks for at least one component");
  for (Pool* pool : pools_.owned) pool->claim_order(OrderOwner::group, this);
  fill();
}

void GroupSet::fill() {
  const Pool& first = pools_.owned.empty() ? *pools_.required[0] : *pools_.owned[0];
  for (std::uint32_t position = 0; position < first.size(); ++position) {
    const std::uint32_t index = first.indices()[position];
    if (!qualifies(index)) continue;
    if (pools_.owned.empty()) members_.make_room(index);
    enter(index);
  }
}

bool GroupSet::excludes(const Pool& pool) const {
  return std::find(pools_.excluded.begin(), pools_.excluded.end(), &pool) != pools_.excluded.end();
}

bool GroupSet::qualifies(std::uint32_t index) const {
  return all_contain(pools_.owned, index) && all_contain(pools_.required, index) &&
         !any_contains(pools_.excluded, index);
}

void GroupSet::make_room(std::span<const Entity> entities) {
  if (!pools_.owned.empty()) return;
  members_.reserve(members_.size() + static_cast<std::uint32_t>(entities.size()));
  for (const Entity entity : entities) members_.make_page(entity.index);
}

void GroupSet::make_room(const EntityBatch& batch, std::span<const std::uint32_t> offsets) {
  if (!pools_.owned.empty()) return;
  members_.reserve(members_.size() + static_cast<std::uint32_t>(offsets.size()));
  for (const std::uint32_t offset : offsets) members_.make_page(batch.at(offset).index);
}

void GroupSet::enter_all(const EntityBatch& batch) noexcept {
  if (enter_tail()) return;
  for (std::uint32_t i = 0; i < batch.count(); ++i) {
    const std::uint32_t index = batch.at(i).index;
    if (!contains(index) && qualifies(index)) enter(index);
  }
}

// Takes in all non-members at once if they lie in the same order in all owned pools. Levels of similar objects usually
// do.
bool GroupSet::enter_tail() noexcept {
  if (pools_.owned.empty() || !pools_.required.empty() || !pools_.excluded.empty()) return false;
  const std::span<const std::uint32_t> first = pools_.owned[0]->indices().subspan(size_);
  for (const Pool* pool : pools_.owned)
    if (pool->is_iterated() || !std::ranges::equal(pool->indices().subspan(size_), first)) return false;
  size_ += static_cast<std::uint32_t>(first.size());
  return true;
}

void GroupSet::enter(std::uint32_t index) noexcept {
  if (pools_.owned.empty()) {
    members_.push(index);
    return;
  }
  for (Pool* pool : pools_.owned) {
    MOBULA_CHECK(!pool->is_iterated(), "an entity enters the group that owns pool " + pool->instance_name() +
                                           " while it is iterated: use commands");
    pool->swap_held(pool->find(index), size_);
  }
  ++size_;
}

void GroupSet::leave(std::uint32_t index) noexcept {
  if (!contains(index)) return;
  if (pools_.owned.empty()) {
    if (iterations_.any()) iterations_.report_removal(members_, index);
    members_.erase(index);
    return;
  }
  --size_;
  for (Pool* pool : pools_.owned) pool->swap_held(pool->find(index), size_);
}

void GroupSet::added(const Pool& pool, std::uint32_t index) noexcept {
  if (excludes(pool)) {
    leave(index);
  } else if (!contains(index) && qualifies(index)) {  // bulk changes report each pool after all components are in place
    enter(index);
  }
}

void GroupSet::removing(const Pool& pool, std::uint32_t index) noexcept {
  if (!excludes(pool)) leave(index);
}

void GroupSet::removed(const Pool& pool, std::uint32_t index) noexcept {
  if (excludes(pool) && qualifies(index)) enter(index);
}

void GroupSet::clear() noexcept {
  members_.clear();
  size_ = 0;
}

void GroupSet::reorder(std::uint32_t first, std::span<const std::uint32_t> order, Scratch& scratch) {
  if (pools_.owned.empty()) return members_.reorder(first, order, scratch.room_for<std::uint32_t>(order.size()));
  for (const Pool* pool : pools_.owned) scratch.room(pool->reorder_bytes(order.size()));
  for (Pool* pool : pools_.owned) pool->reorder(first, order, scratch);
}

void GroupSet::check() const {
  const Pool& first = pools_.owned.empty() ? *pools_.required[0] : *pools_.owned[0];
  std::uint32_t qualified = 0;
  for (const std::uint32_t index : first.indices()) {
    MOBULA_ASSERT(qualifies(index) == contains(index), "members are those that qualify");
    qualified += contains(index) ? 1u : 0u;
  }
  MOBULA_ASSERT(qualified == size(), "a group counts its members");
  for (const Pool* pool : pools_.owned)
    MOBULA_ASSERT(std::equal(indices().begin(), indices().end(), pool->indices().begin()),
                  "members are in one order at the front of each owned pool");
  if (pools_.owned.empty()) members_.check("a group");
}

}  // namespace mobula::ecs
