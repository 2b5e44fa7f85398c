#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/ecs/prototype.hpp>
#include <unordered_map>

namespace mobula::ecs {

struct PrototypeEdges::Map : std::unordered_map<std::uint64_t, PrototypeId> {};

PrototypeEdges::PrototypeEdges() : map_(new Map) {}
PrototypeEdges::~PrototypeEdges() = default;

PrototypeId PrototypeEdges::find_in_map(PrototypeId from, PoolId pool) {
  const auto found = map_->find(key(from, pool));
  if (found == map_->end()) return unknown;
  cached(from, pool) = {found->first, found->second};
  return found->second;
}

void PrototypeEdges::add_to_map(std::uint64_t key, PrototypeId to) { map_->emplace(key, to); }

PrototypeTable::PrototypeTable() : nodes_(1), uses_(1) {}

bool PrototypeTable::contains(PrototypeId prototype, PoolId pool) const {
  const std::span<const PoolId> all = pools(prototype);
  return std::find(all.begin(), all.end(), pool) != all.end();
}

PrototypeId PrototypeTable::make_with(PrototypeId prototype, PoolId pool) {
  MOBULA_ASSERT(pool < keys_.size(), "the table knows the pool");
  MOBULA_ASSERT(!contains(prototype, pool), "a composition holds a pool once");

  Node node{nodes_[prototype].pools, 0};
  node.pools.push_back(pool);
  std::vector<PoolId> sorted = node.pools;
  std::sort(sorted.begin(), sorted.end(), [this](PoolId a, PoolId b) { return keys_[a] < keys_[b]; });
  const bool is_canonical = sorted == node.pools;
  const PrototypeId canonical = is_canonical ? empty_prototype : chain(sorted);

  // Whatever throws has thrown before anything refers to the new prototype.
  const PrototypeId made = size();
  if (made == nodes_.capacity()) nodes_.reserve(2 * made);
  if (made == uses_.capacity()) uses_.reserve(2 * made);
  with_.add(prototype, pool, made);
  node.canonical = is_canonical ? made : canonical;
  nodes_.push_back(std::move(node));
  uses_.push_back(0);
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
