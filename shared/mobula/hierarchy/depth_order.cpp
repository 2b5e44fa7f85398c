#include <algorithm>
#include <mobula/hierarchy/depth_order.hpp>
#include <utility>

namespace mobula::hierarchy {

DepthOrder::DepthOrder(ecs::Pool& worlds) : worlds_(worlds) { worlds_.claim_order(ecs::OrderOwner::hierarchy); }

void DepthOrder::follow(const Members& members, const ecs::Pool& transforms) {
  for (std::size_t position = worlds_.size(); position < rows_.size(); ++position) --counts_[depths_[position]];
  rows_.resize(worlds_.size());
  depths_.resize(worlds_.size(), 0);
  touched_.resize(worlds_.size());
  for (std::uint32_t position = 0; position < rows_.size(); ++position) {
    const std::uint32_t index = worlds_.indices()[position];
    if (rows_[position].index == index) continue;
    if (depths_[position] != 0) --counts_[depths_[position]];
    rows_[position] = {index, none, transforms.find(index)};
    depths_[position] = members.depth(index);
    ++counts_[depths_[position]];
    touched_[position] = 1;
    moved_.push_back(index);
  }
  any_touched_ = true;
  sorted_ = false;
  version_ = worlds_.version();
}

void DepthOrder::touch(std::uint32_t index, std::uint8_t depth) {
  const std::uint32_t position = worlds_.find(index);
  touched_[position] = 1;
  any_touched_ = true;
  if (depths_[position] == depth) return;
  --counts_[depths_[position]];
  ++counts_[depth];
  depths_[position] = depth;
  sorted_ = false;
}

void DepthOrder::sort() {
  if (std::exchange(sorted_, true)) return;
  std::array<std::uint32_t, max_depth + 2> next{};  // per depth: positions of its part before it are right
  for (std::size_t depth = 1; depth <= max_depth; ++depth) next[depth + 1] = next[depth] + counts_[depth];
  std::uint32_t end = 0;
  for (std::size_t depth = 1; depth <= max_depth; ++depth) {
    end += counts_[depth];
    for (std::uint32_t& position = next[depth]; position < end;) {
      const std::uint8_t other = depths_[position];
      if (other == depth) {
        ++position;
        continue;
      }
      while (depths_[next[other]] == other) ++next[other];
      swap(position, next[other]++);
    }
  }
  version_ = worlds_.version();
}

void DepthOrder::swap(std::uint32_t a, std::uint32_t b) {
  MOBULA_CHECK(!worlds_.is_iterated(), "the pool of WorldTransforms is reordered while it is iterated");
  worlds_.swap(a, b);
  std::swap(rows_[a], rows_[b]);
  std::swap(depths_[a], depths_[b]);
  std::swap(touched_[a], touched_[b]);
  moved_.push_back(rows_[a].index);
  moved_.push_back(rows_[b].index);
}

void DepthOrder::aim(const Members& members, const Links& links, std::span<const std::uint32_t> touched) {
  for (const std::uint32_t index : touched) aim(members, index);
  for (const std::uint32_t index : moved_) {
    aim(members, index);
    links.each_child_of_index(index, [&](std::uint32_t child) {
      if (members.contains(child) && members.above(child) == index) aim(members, child);
    });
  }
  moved_.clear();
}

void DepthOrder::aim(const Members& members, std::uint32_t index) {
  const std::uint32_t above = members.above(index);
  rows_[worlds_.find(index)].parent = above == none ? none : worlds_.find(above);
}

void DepthOrder::forget_touched() {
  std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
  any_touched_ = false;
}

void DepthOrder::clear() {
  rows_.clear();
  depths_.clear();
  touched_.clear();
  counts_.fill(0);
  moved_.clear();
  version_ = 0;
  sorted_ = true;
  any_touched_ = false;
}

void DepthOrder::check([[maybe_unused]] const Members& members, [[maybe_unused]] const ecs::Pool& transforms) const {
  MOBULA_ASSERT(is_current() && rows_.size() == worlds_.size(), "there is a row for each WorldTransform");
  std::array<std::uint32_t, max_depth + 1> counts{};
  for (std::uint32_t position = 0; position < rows_.size(); ++position) {
    const Row& row = rows_[position];
    MOBULA_ASSERT(row.index == worlds_.indices()[position], "a row has the index of its position");
    MOBULA_ASSERT(row.source == transforms.find(row.index), "a row finds its Transform");
    MOBULA_ASSERT(depths_[position] == members.depth(row.index), "a row has the depth of its entity");
    MOBULA_ASSERT(position == 0 || depths_[position - 1] <= depths_[position], "depths ascend");
    const std::uint32_t above = members.above(row.index);
    MOBULA_ASSERT(row.parent == (above == none ? none : worlds_.find(above)), "a row finds its parent");
    MOBULA_ASSERT((row.parent == none) == (depths_[position] == 1) && (row.parent == none || row.parent < position),
                  "parents come before their children");
    ++counts[depths_[position]];
  }
  MOBULA_ASSERT(counts == counts_, "depths are counted");
}

}  // namespace mobula::hierarchy
