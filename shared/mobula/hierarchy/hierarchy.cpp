#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/watch.hpp>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/hierarchy/rigid.hpp>
#include <mobula/hierarchy/schema_pool.hpp>
#include <string>
#include <utility>

namespace mobula::hierarchy {

using ecs::Entity;
using ecs::Pool;
using engine::Parent;
using engine::Transform;

namespace {

constexpr std::uint32_t none = Links::none;

WorldTransform as_root(const Transform& local) { return {local.position, local.rotation}; }

bool is_finite(const Transform& local) {
  const float parts[] = {local.position.x, local.position.y, local.position.z, local.rotation.x,
                         local.rotation.y, local.rotation.z, local.rotation.w};
  return std::ranges::all_of(parts, [](float part) { return std::isfinite(part); });
}

// Compares bits: -0 differs from 0, and NaN equals itself. (A third faster than arrays of std::bit_cast.)
bool same_bits(const WorldTransform& a, const WorldTransform& b) {
  return std::memcmp(core::as_bytes(&a, 1).data(), core::as_bytes(&b, 1).data(), sizeof(a)) == 0;
}

}  // namespace

Hierarchy::Hierarchy(ecs::Registry& registry) : registry_(registry), worlds_(registry.pool<WorldTransform>()) {}

bool Hierarchy::find_pools() {
  if (parents_ == nullptr) parents_ = find_schema_pool<Parent>(registry_);
  if (transforms_ == nullptr) transforms_ = find_schema_pool<Transform>(registry_);
  return transforms_ != nullptr;
}

void Hierarchy::update() {
  settle();
  if (transforms_ == nullptr) return;
  if (must_compute()) compute();
  last_update_ = registry_.tick();
}

// Following changes ----------------------------------------------------------------------

void Hierarchy::follow_parents() {
  static_cast<void>(find_pools());
  if (parents_ == nullptr) return;
  core::Undo undo([this] { forget(); });  // on std::bad_alloc
  for (const std::uint32_t index : links_.follow(registry_, *parents_)) members_.reconsider(index);
  undo.dismiss();
}

void Hierarchy::settle() {
  MOBULA_CHECK(!settling_, "a listener of WorldTransform calls the hierarchy during its update");
  follow_parents();
  if (transforms_ == nullptr) return;
  settling_ = true;
  core::Undo undo([this] { forget(); });  // on std::bad_alloc, or what a listener throws
  follow_members();
  const std::span<const std::uint32_t> settled = members_.settle();
  for (const std::uint32_t index : settled) order_.touch(index, members_.depth(index));
  order_.sort();
  order_.aim(members_, links_, settled);
  undo.dismiss();
  settling_ = false;
}

// Clears all caches. The next call rebuilds them from the pools.
void Hierarchy::forget() {
  settling_ = false;
  links_.clear();
  members_.clear();
  order_.clear();
  seen_.clear();
  last_update_ = 0;
}

// Listeners may change anything, so each round searches again. The code after the rounds calls none.
void Hierarchy::follow_members() {
  new_sources_.clear();
  for (std::uint32_t round = 1; change_members(); ++round) {
    MOBULA_CHECK(round < rounds_max, "listeners of WorldTransform call each other without end, now for entity " +
                                         to_string(arrived_.empty() ? departed_.front() : arrived_.front()));
    follow_parents();
  }
  if (!order_.is_current()) {
    order_.each_moved([this](std::uint32_t index) {
      if (!members_.contains(index)) members_.enter(index);
    });
    order_.follow(members_, *transforms_);
  }
  for (const std::uint32_t source : new_sources_)
    if (source < transforms_->size()) order_.set_source(transforms_->indices()[source], source);
}

bool Hierarchy::has_listeners() const {
  const ecs::PoolWatch* const watch = worlds_.watch();
  return watch != nullptr && !(watch->signals.construct.empty() && watch->signals.destroy.empty());
}

bool Hierarchy::change_members() {
  departed_.clear();
  arrived_.clear();
  if (!order_.is_current()) find_lost();
  if (!seen_.is_current(*transforms_)) compare_transforms();
  const bool notifies = has_listeners() && !(departed_.empty() && arrived_.empty());
  if (notifies)
    for (const Entity entity : arrived_) seen_.forget(transforms_->find(entity.index));
  if (!departed_.empty()) registry_.remove<WorldTransform>(std::span<const Entity>(departed_));
  if (notifies) {
    order_.drop_lost([this](std::uint32_t index) {
      members_.leave(index);
      const std::uint32_t position = transforms_->find(index);  // another entity may reuse the index
      if (seen_.knows(position, index)) seen_.forget(position);
    });
    add_arrived_notified();
  } else if (!arrived_.empty()) {
    registry_.add<WorldTransform>(std::span<const Entity>(arrived_));
  }
  return notifies;
}

// Listeners of removals may have destroyed or changed the entities.
void Hierarchy::add_arrived_notified() {
  std::erase_if(arrived_, [this](Entity entity) {
    return !registry_.valid(entity) || !transforms_->contains(entity.index) || worlds_.contains(entity.index);
  });
  if (arrived_.empty()) return;
  registry_.add<WorldTransform>(std::span<const Entity>(arrived_));
  for (const Entity entity : arrived_) {
    const bool gone = !registry_.valid(entity) || !transforms_->contains(entity.index);
    MOBULA_CHECK(gone || worlds_.contains(entity.index), "a listener removes WorldTransform from entity " +
                                                             to_string(entity) + ": remove its Transform instead");
  }
}

// Finds entities that lost their WorldTransform. It is removed with its entity. If other code removes it, it is added
// again.
void Hierarchy::find_lost() {
  order_.drop_lost([this](std::uint32_t index) {
    members_.leave(index);
    // Another entity reuses the index, and its Transform has the position of the dead one's.
    if (seen_.knows(transforms_->find(index), index)) arrived_.push_back(registry_.entities().at(index));
  });
  order_.each_moved([this](std::uint32_t index) {
    if (!members_.contains(index) && !transforms_->contains(index)) departed_.push_back(registry_.entities().at(index));
  });
}

void Hierarchy::compare_transforms() {
  const auto removed = [this](std::uint32_t index) {
    if (!members_.contains(index)) return;  // died
    members_.leave(index);
    departed_.push_back(registry_.entities().at(index));
  };
  const auto added = [this](std::uint32_t position) {
    const std::uint32_t index = transforms_->indices()[position];
    new_sources_.push_back(position);
    if (!worlds_.contains(index)) arrived_.push_back(registry_.entities().at(index));
  };
  seen_.follow(*transforms_, removed, added);
}

// Computing ------------------------------------------------------------------------------

bool Hierarchy::must_compute() const {
  const ecs::Tick since = std::min(last_update_, registry_.tick());
  const std::span<const ecs::Tick> change_ticks = transforms_->change_ticks();
  return order_.any_touched() ||
         std::any_of(change_ticks.begin(), change_ticks.end(), [=](ecs::Tick t) { return t >= since; });
}

void Hierarchy::compute() {
  const ecs::Tick since = std::min(last_update_, registry_.tick());
  const ecs::Tick* const change_ticks = transforms_->change_ticks().data();
  const std::span<const DepthOrder::Row> rows = order_.rows();
  std::uint8_t* const touched = order_.touched();
  for (std::uint32_t begin = 0; begin < rows.size(); begin += Pool::block_size) {
    const std::uint32_t end = std::min(begin + Pool::block_size, static_cast<std::uint32_t>(rows.size()));
    auto* const worlds = worlds_.typed_address<WorldTransform>(begin);
    bool changed = false;
    for (std::uint32_t position = begin; position < end; ++position) {
      const DepthOrder::Row& row = rows[position];
      const bool parent_moved = row.parent != none && touched[row.parent] != 0;
      if (touched[position] == 0 && !parent_moved && change_ticks[row.source >> Pool::block_shift] < since) continue;
      const Transform& local = *transforms_->typed_address<const Transform>(row.source);
      const WorldTransform value =
          row.parent == none ? as_root(local)
                             : detail::compose(*worlds_.typed_address<const WorldTransform>(row.parent), local);
      touched[position] = same_bits(value, worlds[position - begin]) ? 0 : 1;
      if (touched[position] == 0) continue;
      worlds[position - begin] = value;
      changed = true;
    }
    if (changed) worlds_.mark_changed(begin);
  }
  order_.forget_touched();
}

WorldTransform Hierarchy::world(Entity entity) {
  settle();
  MOBULA_CHECK(registry_.has<Transform>(entity), "entity " + to_string(entity) + " is dead or has no Transform");
  std::array<std::uint32_t, max_depth> chain{};
  std::size_t length = 0;
  for (std::uint32_t at = entity.index; at != none; at = members_.above(at)) chain[length++] = at;
  const auto local = [this](std::uint32_t index) -> const Transform& {
    return *transforms_->typed_address<const Transform>(transforms_->find(index));
  };
  WorldTransform result = as_root(local(chain[--length]));
  while (length > 0) result = detail::compose(result, local(chain[--length]));
  return result;
}

bool Hierarchy::is_placed(Entity entity) {
  settle();
  MOBULA_CHECK(registry_.has<Transform>(entity), "entity " + to_string(entity) + " is dead or has no Transform");
  std::uint32_t root = entity.index;
  while (members_.above(root) != none) root = members_.above(root);
  const Entity parent = links_.parent(root);
  return !parent || registry_.valid(parent);
}

std::uint32_t Hierarchy::depth(Entity entity) {
  settle();
  return registry_.valid(entity) ? members_.depth(entity.index) : 0;
}

std::span<const Refusal> Hierarchy::refused() {
  settle();
  return members_.refused();
}

// Parents and children -------------------------------------------------------------------

core::Status Hierarchy::set_parent(Entity child, Entity parent) {
  if (core::Status checked = check_parent(child, parent); !checked) return checked;
  const Parent* now = registry_.try_get<const Parent>(child);
  if (!parent) {
    if (now != nullptr) registry_.remove<Parent>(child);
  } else if (now == nullptr) {
    registry_.add<Parent>(child, {parent});
  } else if (now->entity != parent) {
    registry_.get<Parent>(child).entity = parent;
  }
  return core::Done{};
}

core::Status Hierarchy::set_parent_in_place(Entity child, Entity parent) {
  if (!registry_.has<Transform>(child)) return set_parent(child, parent);
  const WorldTransform place = world(child);
  if (core::Status set = set_parent(child, parent); !set) return set;
  if (!registry_.valid(child) || !registry_.has<Transform>(child)) return core::Done{};  // by a listener of Parent
  const bool moves = registry_.has<Transform>(parent);
  const Transform local = relative_to(moves ? world(parent) : WorldTransform{}, place);
  if (is_finite(local)) registry_.get<Transform>(child) = local;
  return core::Done{};
}

core::Status Hierarchy::check_parent(Entity child, Entity parent) {
  if (!registry_.valid(child))
    return core::Error{"stale handle", "the child, entity " + to_string(child) + ", is dead"};
  if (!parent) return core::Done{};
  if (!registry_.valid(parent))
    return core::Error{"stale handle", "the parent, entity " + to_string(parent) + ", is dead"};
  if (parent == child) return core::Error{"circle", "entity " + to_string(child) + " cannot be its own parent"};
  std::uint32_t depth = 0;  // depth of the parent
  for (Entity at = parent; at && registry_.valid(at) && depth <= max_depth; ++depth) {
    if (at == child)
      return core::Error{"circle", "entity " + to_string(parent) + " is below its child " + to_string(child)};
    const Parent* above = registry_.try_get<const Parent>(at);
    at = above == nullptr ? ecs::null_entity : above->entity;
  }
  if (depth + height(child) > max_depth)
    return core::Error{"too deep", "below entity " + to_string(parent) + ", entity " + to_string(child) +
                                       " or one below it would be deeper than " + std::to_string(max_depth)};
  return core::Done{};
}

// Returns the depth of a subtree: 1 for an entity without children; at most max_depth.
std::uint32_t Hierarchy::height(Entity root) {
  follow_parents();
  tree_.assign(1, root);
  std::uint32_t height = 0;
  for (std::size_t begin = 0; begin < tree_.size() && height < max_depth; ++height)
    for (const std::size_t end = tree_.size(); begin < end; ++begin) append_children(tree_[begin], root, tree_);
  return height;
}

std::vector<Entity> Hierarchy::children(Entity entity) { return children(std::span(&entity, 1)); }

std::vector<Entity> Hierarchy::children(std::span<const Entity> entities) {
  follow_parents();
  std::vector<Entity> found;
  for (const Entity entity : entities) {
    MOBULA_CHECK(registry_.valid(entity), "entity " + to_string(entity) + " is dead");
    append_children(entity, ecs::null_entity, found);
  }
  return found;
}

std::vector<Entity> Hierarchy::subtree(Entity root) {
  std::vector<Entity> tree;
  find_tree(root, tree);
  return tree;
}

void Hierarchy::destroy_tree(Entity root) {
  std::vector<Entity> tree = std::exchange(tree_, {});  // a listener may destroy another tree
  find_tree(root, tree);
  std::erase_if(tree, [&](Entity entity) { return entity != root && registry_.entities().is_ghost(entity); });
  registry_.destroy(tree);
  tree_ = std::move(tree);
}

void Hierarchy::drop_dead_parents() {
  follow_parents();
  if (parents_ == nullptr) return;
  tree_.clear();
  const auto note_dead = [this](std::uint32_t child, Entity parent) {
    const Entity entity = registry_.entities().at(child);
    if (parent && !registry_.valid(parent) && !registry_.entities().is_ghost(entity)) tree_.push_back(entity);
  };
  for (const ecs::JournalEntry& entry : registry_.journal()) {
    if (entry.kind != ecs::JournalEntry::Kind::destroy) continue;
    for (std::uint32_t i = 0; i < entry.count; ++i)
      links_.each_child_of_index(entry.first.index + i,
                                 [&](std::uint32_t child) { note_dead(child, links_.parent(child)); });
  }
  const std::span<const ecs::Tick> change_ticks = parents_->change_ticks();
  for (std::uint32_t block = 0; block < change_ticks.size(); ++block) {
    if (change_ticks[block] < last_drop_) continue;
    const std::uint32_t begin = block << Pool::block_shift;
    const std::uint32_t end = std::min(begin + Pool::block_size, parents_->size());
    for (std::uint32_t position = begin; position < end; ++position)
      note_dead(parents_->indices()[position], parents_->typed_address<const Parent>(position)->entity);
  }
  for (const Entity child : tree_) registry_.get<Parent>(child).entity = ecs::null_entity;
  last_drop_ = registry_.tick();
}

void Hierarchy::find_tree(Entity root, std::vector<Entity>& tree) {
  MOBULA_CHECK(registry_.valid(root), "entity " + to_string(root) + " is dead");
  follow_parents();
  tree.assign(1, root);
  for (std::size_t next = 0; next < tree.size(); ++next) append_children(tree[next], root, tree);
}

// Each entity has one parent, so below `root` none is met twice but `root` itself, if it is in a cycle.
void Hierarchy::append_children(Entity parent, Entity root, std::vector<Entity>& out) const {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  links_.each_child(parent, [&](std::uint32_t child) {
    if (child != root.index || !root) out.push_back(registry_.entities().at(child));
  });
  std::sort(out.begin() + first, out.end());
}

void Hierarchy::check() {
  settle();
  if (parents_ != nullptr) links_.check(*parents_);
  if (transforms_ == nullptr) return;
  members_.check();
  order_.check(members_, *transforms_);
  MOBULA_ASSERT(worlds_.size() == transforms_->size(), "exactly the entities with a Transform have a WorldTransform");
}

}  // namespace mobula::hierarchy
