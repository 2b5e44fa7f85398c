#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <mobula/core/assert.hpp>
#include <mobula/ecs/prototype.hpp>

namespace mobula::ecs {

namespace {

std::uint64_t edge_key(PrototypeId from, PoolId pool) { return static_cast<std::uint64_t>(from) << 32 | pool; }

}  // namespace

struct PrototypeEdges::Map : boost::unordered_flat_map<std::uint64_t, PrototypeId> {};

PrototypeEdges::PrototypeEdges() : map_(new Map) {}
PrototypeEdges::~PrototypeEdges() = default;

PrototypeId PrototypeEdges::find(PrototypeId from, PoolId pool) {
  const auto found = map_->find(edge_key(from, pool));
  if (found == map_->end()) return unknown;
  last_[pool] = {from, found->second};
  return found->second;
}

void PrototypeEdges::add(PrototypeId from, PoolId pool, PrototypeId to) {
  map_->emplace(edge_key(from, pool), to);
  last_[pool] = {from, to};
}

PrototypeTable::PrototypeTable() : nodes_(1), uses_(1) {}

void PrototypeTable::reserve_pools(std::size_t count) {
  keys_.reserve(count);
  with_.reserve_pools(count);
  without_.reserve_pools(count);
}

void PrototypeTable::add_pool(SortKey key) {
  reserve_pools(keys_.size() + 1);
  keys_.push_back(key);
  with_.add_pool();
  without_.add_pool();
}

bool PrototypeTable::contains(PrototypeId prototype, PoolId pool) const {
  const std::span<const PoolId> all = pools(prototype);
  return std::find(all.begin(), all.end(), pool) != all.end();
}

PrototypeId PrototypeTable::find_with(PrototypeId prototype, PoolId pool) {
  if (const PrototypeId known = with_.find(prototype, pool); known != PrototypeEdges::unknown) return known;
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

PrototypeId PrototypeTable::find_without(PrototypeId prototype, PoolId pool) {
  if (const PrototypeId known = without_.find(prototype, pool); known != PrototypeEdges::unknown) return known;
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
