#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/ecs/prototype.hpp>

namespace mobula::ecs {
PrototypeTable::PrototypeTable() : nodes_(1) {}

bool PrototypeTable::contains(PrototypeId prototype, PoolId pool) const {
  const std::span<const PoolId> all = pools(prototype);
  return std::find(all.begin(), all.end(), pool) != all.end();
}

PrototypeId PrototypeTable::make_with(PrototypeId prototype, PoolId pool) {
  MOBULA_ASSERT(pool < keys_.size(), "the table knows the pool");
  MOBULA_ASSERT(!contains(prototype, pool), "a composition holds a pool once");

  const PrototypeId made = size();
  Node node{nodes_[prototype].pools, made};
  node.pools.push_back(pool);
  std::vector<PoolId> sorted = node.pools;
  nodes_.push_back(std::move(node));
  with_.add(prototype, pool, made);

  std::sort(sorted.begin(), sorted.end(), [this](PoolId a, PoolId b) { return keys_[a] < keys_[b]; });
  if (sorted != nodes_[made].pools) {
    const PrototypeId canonical = chain(sorted);
    nodes_[made].canonical = canonical;
  }
  return made;
}

PrototypeId PrototypeTable::make_without(PrototypeId prototype, PoolId pool) {
  MOBULA_ASSERT(contains(prototype, pool), "only a pool that is there can be taken out");
  std::vector<PoolId> rest = nodes_[prototype].pools;
  std::erase(rest, pool);
  const PrototypeId made = chain(rest);
  without_.add(prototype, pool, made);
  return made;
}

PrototypeId PrototypeTable::intern(std::span<const PoolId> pools) {
  std::vector<PoolId> sorted(pools.begin(), pools.end());
  std::sort(sorted.begin(), sorted.end(), [this](PoolId a, PoolId b) { return keys_[a] < keys_[b]; });
  return chain(sorted);
}

PrototypeId PrototypeTable::chain(std::span<const PoolId> pools) {
  PrototypeId prototype = empty_prototype;
  for (const PoolId pool : pools) prototype = with(prototype, pool);
  return prototype;
}

}  // namespace mobula::ecs
