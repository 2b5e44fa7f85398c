// Interned compositions, after Stingray's entity index: a prototype is a chain
// {base, pool}; an entity maps to one; adding a component moves it along the chain, and
// entities with the same history share everything. Only schema components take part.
//
// The order of adding makes different chains of one composition: each knows its
// canonical prototype, the chain whose pools are sorted by (component type, instance name).
// Each counts the living entities that have it. Prototypes are kept until the table dies.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/owned.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

inline constexpr PrototypeId empty_prototype = 0;

// Where a prototype and a pool lead to: a map with a small direct-mapped cache before it, since the
// same few edges are walked again and again.
class PrototypeEdges {
 public:
  PrototypeEdges();
  ~PrototypeEdges();

  static constexpr PrototypeId unknown = ~0u;

  PrototypeId find(PrototypeId from, PoolId pool) {
    const Edge& edge = cached(from, pool);
    return edge.key == key(from, pool) ? edge.to : find_in_map(from, pool);
  }
  void add(PrototypeId from, PoolId pool, PrototypeId to) {
    add_to_map(key(from, pool), to);
    cached(from, pool) = {key(from, pool), to};
  }

 private:
  struct Edge {
    std::uint64_t key = ~0ull;
    PrototypeId to = unknown;
  };

  static std::uint64_t key(PrototypeId from, PoolId pool) { return static_cast<std::uint64_t>(from) << 32 | pool; }
  Edge& cached(PrototypeId from, PoolId pool) { return cache_[(from * 29 + pool) % cache_.size()]; }
  PrototypeId find_in_map(PrototypeId from, PoolId pool);
  void add_to_map(std::uint64_t key, PrototypeId to);

  std::array<Edge, 256> cache_;
  struct Map;  // std::unordered_map is a heavy header
  core::Owned<Map> map_;
};

class PrototypeTable {
 public:
  // Where a pool stands in the canonical order; equal keys mean the same pool.
  using SortKey = std::uint64_t;

  PrototypeTable();

  // Must be told of each pool, in order of id, before the pool is used here.
  void add_pool(SortKey key) { keys_.push_back(key); }
  void reserve_pools(std::size_t count) { keys_.reserve(count); }

  // The composition must not contain the pool yet.
  PrototypeId with(PrototypeId prototype, PoolId pool) {
    const PrototypeId known = with_.find(prototype, pool);
    return known != PrototypeEdges::unknown ? known : make_with(prototype, pool);
  }
  // The composition must contain the pool. The chain is rebuilt without it, shared where possible.
  PrototypeId without(PrototypeId prototype, PoolId pool) {
    const PrototypeId known = without_.find(prototype, pool);
    return known != PrototypeEdges::unknown ? known : make_without(prototype, pool);
  }
  // The canonical prototype of a set of pools in any order; no pool twice.
  PrototypeId intern(std::span<const PoolId> pools);

  [[nodiscard]] PrototypeId canonical(PrototypeId prototype) const { return nodes_[prototype].canonical; }
  // In the order of adding; canonical prototypes: in canonical order.
  [[nodiscard]] std::span<const PoolId> pools(PrototypeId prototype) const { return nodes_[prototype].pools; }
  [[nodiscard]] bool contains(PrototypeId prototype, PoolId pool) const;

  // Living entities that have the prototype: the registry keeps count.
  [[nodiscard]] std::uint32_t uses(PrototypeId prototype) const { return uses_[prototype]; }
  void retain(PrototypeId prototype, std::uint32_t count = 1) { uses_[prototype] += count; }
  void release(PrototypeId prototype, std::uint32_t count = 1) { uses_[prototype] -= count; }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  struct Node {
    std::vector<PoolId> pools;
    PrototypeId canonical = 0;
  };

  PrototypeId make_with(PrototypeId prototype, PoolId pool);
  PrototypeId make_without(PrototypeId prototype, PoolId pool);
  PrototypeId chain(std::span<const PoolId> pools);

  std::vector<SortKey> keys_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> uses_;  // by prototype, apart from the nodes: hot
  PrototypeEdges with_;
  PrototypeEdges without_;
};

}  // namespace mobula::ecs
