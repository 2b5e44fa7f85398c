#include <mobula/core/assert.hpp>
#include <mobula/hierarchy/schema_pool.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/interest/changed_positions.hpp>
#include <mobula/server/interest/interest_parents.hpp>

namespace mobula::server {

using engine::Parent;

bool InterestParents::update(ecs::Tick since) {
  changed_.clear();
  if (pool_ == nullptr) pool_ = hierarchy::find_schema_pool<Parent>(registry_);
  if (pool_ == nullptr) return false;
  if (!seen_.is_current(*pool_))
    seen_.follow(
        *pool_, [this](std::uint32_t index) { set(index, ecs::null_entity); }, [](std::uint32_t /*position*/) {});
  each_changed_after(*pool_, since, [this](std::uint32_t position) {
    set(pool_->indices()[position], pool_->typed_address<const Parent>(position)->entity);
  });
  if (!changed_.empty()) last_change_ = registry_.tick();
  return !changed_.empty();
}

void InterestParents::set(std::uint32_t index, ecs::Entity parent) {
  const ecs::Entity before = named(index);
  if (before == parent) return;
  if (index >= parents_.size()) {
    parents_.resize(index + 1);
    changes_.resize(index + 1, 0);
  }
  count_ += (parent ? 1u : 0u) - (before ? 1u : 0u);
  parents_[index] = parent;
  const std::uint32_t place = changes_[index];
  if (place < changed_.size() && changed_[place].index == index) return;  // removed and added: `before` is known
  changes_[index] = static_cast<std::uint32_t>(changed_.size());
  changed_.push_back({index, before});
}

ecs::Entity InterestParents::named_before(std::uint32_t index) const {
  if (index >= parents_.size()) return ecs::null_entity;
  const std::uint32_t place = changes_[index];
  const bool has_changed = place < changed_.size() && changed_[place].index == index;
  return has_changed ? changed_[place].before : parents_[index];
}

// As many steps as there are Parents: a cycle ends after them.
bool InterestParents::is_below(std::uint32_t index, ecs::Entity entity) const {
  for (std::uint32_t steps = count_; steps > 0 && index != none; --steps, index = above(index))
    if (named(index) == entity) return true;
  return false;
}

bool InterestParents::was_below(std::uint32_t index, ecs::Entity entity) const {
  for (std::size_t steps = count_ + changed_.size(); steps > 0; --steps) {
    const ecs::Entity parent = named_before(index);
    if (parent == entity) return true;
    if (!parent) return false;
    index = parent.index;
  }
  return false;
}

void InterestParents::check() const {
  std::uint32_t count = 0;
  for (std::uint32_t index = 0; index < parents_.size(); ++index) {
    if (!parents_[index]) continue;
    ++count;
    MOBULA_ASSERT(pool_->contains(index), "an entity with a parent has a Parent");
  }
  MOBULA_ASSERT(count == count_, "the entities with a parent are counted");
}

}  // namespace mobula::server
