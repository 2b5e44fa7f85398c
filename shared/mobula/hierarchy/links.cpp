#include <algorithm>
#include <cstring>
#include <mobula/hierarchy/links.hpp>
#include <utility>

namespace mobula::hierarchy {

using ecs::Pool;

std::span<const std::uint32_t> Links::follow(const ecs::Registry& registry, const Pool& parents) {
  changed_.clear();
  if (nodes_.size() < registry.entities().index_end()) grow(registry.entities().index_end());
  const auto before = static_cast<std::uint32_t>(seen_indices_.size());
  seen_indices_.resize(std::max(before, parents.size()));
  seen_values_.resize(seen_indices_.size());

  const ecs::Tick since = std::min(last_, registry.tick());
  const std::span<const ecs::Tick> change_ticks = parents.change_ticks();
  for (std::uint32_t block = 0; block < change_ticks.size(); ++block)
    if (change_ticks[block] >= since) compare_block(parents, block, before);
  // Blocks that only shrank have no new change tick.
  for (std::uint32_t block = parents.size() >> Pool::block_shift; block << Pool::block_shift < before; ++block)
    compare_block(parents, block, before);

  seen_indices_.resize(parents.size());
  seen_values_.resize(parents.size());
  last_ = registry.tick();
  return changed_;
}

void Links::clear() {
  nodes_.clear();
  seen_indices_.clear();
  seen_values_.clear();
  unborn_.clear();
  last_ = 0;
}

void Links::grow(std::uint32_t index_end) {
  nodes_.resize(index_end);
  for (std::vector<std::uint32_t> waiting = std::exchange(unborn_, {}); const std::uint32_t child : waiting) {
    nodes_[child].waits = false;
    link(child);
    changed_.push_back(child);
  }
}

void Links::compare_block(const Pool& parents, std::uint32_t block, std::uint32_t seen_before) {
  const std::uint32_t begin = block << Pool::block_shift;
  const std::uint32_t end_before = std::min(begin + Pool::block_size, seen_before);
  const std::uint32_t end = std::min(begin + Pool::block_size, parents.size());
  const std::uint32_t* const indices = parents.indices().data();
  const auto* const values = begin < end ? parents.typed_address<engine::Parent>(begin) : nullptr;
  if (end == end_before &&
      (begin >= end || (std::equal(indices + begin, indices + end, &seen_indices_[begin]) &&
                        std::memcmp(values, &seen_values_[begin], (end - begin) * sizeof(engine::Parent)) == 0)))
    return;
  for (std::uint32_t position = begin; position < end_before; ++position)
    if (!parents.contains(seen_indices_[position])) set(seen_indices_[position], ecs::null_entity);
  for (std::uint32_t position = begin; position < end; ++position) {
    seen_indices_[position] = indices[position];
    seen_values_[position] = values[position - begin];
    set(indices[position], values[position - begin].entity);
  }
}

void Links::set(std::uint32_t child, ecs::Entity parent) {
  Node& node = nodes_[child];
  if (node.parent == parent) return;
  changed_.push_back(child);
  unlink(child);
  node.parent = parent;
  link(child);
}

void Links::link(std::uint32_t child) {
  Node& node = nodes_[child];
  if (!node.parent || node.linked) return;
  if (node.parent.index >= nodes_.size()) {
    if (!node.waits) unborn_.push_back(child);
    node.waits = true;
    return;
  }
  std::uint32_t& first = nodes_[node.parent.index].first_child;
  node.next = first;
  node.previous = none;
  if (first != none) nodes_[first].previous = child;
  first = child;
  node.linked = true;
}

void Links::unlink(std::uint32_t child) {
  Node& node = nodes_[child];
  if (!node.linked) return;
  (node.previous == none ? nodes_[node.parent.index].first_child : nodes_[node.previous].next) = node.next;
  if (node.next != none) nodes_[node.next].previous = node.previous;
  node.linked = false;
}

void Links::check(const Pool& parents) const {
  std::uint32_t named = 0;
  for (std::uint32_t position = 0; position < parents.size(); ++position) {
    [[maybe_unused]] const std::uint32_t index = parents.indices()[position];
    const ecs::Entity parent = parents.typed_address<engine::Parent>(position)->entity;
    MOBULA_ASSERT(nodes_[index].parent == parent, "a node has the value of its Parent");
    MOBULA_ASSERT(nodes_[index].linked == (parent && parent.index < nodes_.size()),
                  "an entity that names an index is linked");
    named += nodes_[index].linked ? 1u : 0u;
  }
  std::uint32_t listed = 0;
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    std::uint32_t previous = none;
    each_child_of_index(index, [&](std::uint32_t child) {
      MOBULA_ASSERT(nodes_[child].linked && nodes_[child].parent.index == index,
                    "a list holds the entities that name its index");
      MOBULA_ASSERT(nodes_[child].previous == previous, "siblings are linked both ways");
      previous = child;
      ++listed;
    });
  }
  MOBULA_ASSERT(listed == named, "an entity is in the list of the index that its Parent names");
}

}  // namespace mobula::hierarchy
