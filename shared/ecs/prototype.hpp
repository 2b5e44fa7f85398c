// Interned compositions, after Stingray's entity index: a prototype is a chain
// {base, pool}; an entity maps to one; adding a component moves it along the chain, and
// entities with the same history share everything. Only schema components take part.
//
// The order of adding makes different chains of one composition: each knows its
// canonical prototype, the chain whose pools are sorted by (component type, instance name).
// Prototypes are kept until the table dies.
#pragma once

#include <cstdint>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <unordered_map>
#include <vector>

namespace mobula::ecs {

inline constexpr PrototypeId empty_prototype = 0;

class PrototypeTable {
 public:
  // Where a pool stands in the canonical order; equal keys mean the same pool.
  using SortKey = std::uint64_t;

  PrototypeTable();

  // Must be told of each pool, in order of id, before the pool is used here.
  void add_pool(SortKey key) { keys_.push_back(key); }

  // The composition must not contain the pool yet.
  PrototypeId with(PrototypeId prototype, PoolId pool);
  // The composition must contain the pool. The chain is rebuilt without it, shared where possible.
  PrototypeId without(PrototypeId prototype, PoolId pool);
  // The canonical prototype of a set of pools in any order; no pool twice.
  PrototypeId intern(std::span<const PoolId> pools);

  [[nodiscard]] PrototypeId canonical(PrototypeId prototype) const { return nodes_[prototype].canonical; }
  // In the order of adding; canonical prototypes: in canonical order.
  [[nodiscard]] std::span<const PoolId> pools(PrototypeId prototype) const { return nodes_[prototype].pools; }
  [[nodiscard]] bool contains(PrototypeId prototype, PoolId pool) const;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  struct Node {
    std::vector<PoolId> pools;
    PrototypeId canonical = 0;
  };

  PrototypeId chain(std::span<const PoolId> pools);

  std::vector<SortKey> keys_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, PrototypeId> with_;     // prototype << 32 | pool
  std::unordered_map<std::uint64_t, PrototypeId> without_;  // prototype << 32 | pool
};

}  // namespace mobula::ecs
