// Interned compositions, after Stingray's entity index: a prototype is a chain
// {base, pool}; an entity maps to one; adding a component moves it along the chain, and
// entities with the same history share everything. Only schema components take part.
//
// The order of adding makes different chains of one composition: each knows its
// canonical prototype, the chain whose pools are sorted by (component type, instance name).
// Each counts the living entities that have it. Prototypes are kept until the table dies.
#pragma once

#include <cstdint>
#include <mobula/core/owned.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

inline constexpr PrototypeId empty_prototype = 0;

// Where a prototype and a pool lead to: a map, and before it the edge that each pool took last. Where that lies does
// not depend on the prototype, so a chain of adds need not wait for one look-up after the other.
class PrototypeEdges {
 public:
  PrototypeEdges();
  ~PrototypeEdges();

  static constexpr PrototypeId unknown = ~0u;

  void reserve_pools(std::size_t count) { last_.reserve(count); }
  void add_pool() { last_.emplace_back(); }

  struct Edge {
    PrototypeId from = unknown;
    PrototypeId to = unknown;
  };

  [[nodiscard]] const Edge& last(PoolId pool) const { return last_[pool]; }
  // unknown, if no such edge has been added.
  PrototypeId find(PrototypeId from, PoolId pool);
  void add(PrototypeId from, PoolId pool, PrototypeId to);

 private:
  std::vector<Edge> last_;  // by pool
  struct Map;               // a heavy header
  core::Owned<Map> map_;
};

class PrototypeTable {
 public:
  // Where a pool stands in the canonical order; equal keys mean the same pool.
  using SortKey = std::uint64_t;

  PrototypeTable();

  // Must be told of each pool, in order of id, before the pool is used here.
  void add_pool(SortKey key);
  // After it so many pools in all can be added without an allocation.
  void reserve_pools(std::size_t count);

  // The composition must not contain the pool yet.
  PrototypeId with(PrototypeId prototype, PoolId pool) {
    MOBULA_ASSERT(pool < keys_.size(), "the table knows the pool");
    const PrototypeEdges::Edge& last = with_.last(pool);
    return last.from == prototype ? last.to : find_with(prototype, pool);
  }
  // The composition must contain the pool. The chain is rebuilt without it, shared where possible.
  PrototypeId without(PrototypeId prototype, PoolId pool) {
    MOBULA_ASSERT(pool < keys_.size(), "the table knows the pool");
    const PrototypeEdges::Edge& last = without_.last(pool);
    return last.from == prototype ? last.to : find_without(prototype, pool);
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

  PrototypeId find_with(PrototypeId prototype, PoolId pool);
  PrototypeId find_without(PrototypeId prototype, PoolId pool);
  PrototypeId chain(std::span<const PoolId> pools);

  std::vector<SortKey> keys_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> uses_;  // by prototype, apart from the nodes: hot
  PrototypeEdges with_;
  PrototypeEdges without_;
};

}  // namespace mobula::ecs
