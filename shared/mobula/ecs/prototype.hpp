// Interned compositions, after Stingray's entity index: a prototype is a chain
// {base, pool}; an entity maps to one; adding a component moves it along the chain, and
// entities with the same history share everything. Only schema components take part.
//
// The order of adding makes different chains of one composition: their canonical prototype is
// the chain whose pools are sorted by (component type, instance name). On one entity an instance
// name stands for one component, so that name and handle find it.
//
// A prototype is needed while entities have it, someone holds it, or another one leads to it: a chain to its base and
// to its canonical form, a removal to what is left. All of these lead to fewer pools or to the canonical order, never
// back. What nobody needs is given back by reclaim(), and its id serves another composition later.
#pragma once

#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/core/owned.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::ecs {

inline constexpr PrototypeId empty_prototype = 0;

// Where a prototype and a pool lead to: a map, and before it the edge that each prototype was left by last, since most
// are left by one only; the empty one is left by many.
class PrototypeEdges {
 public:
  PrototypeEdges();
  ~PrototypeEdges();

  static constexpr PrototypeId unknown = ~0u;

  void reserve_pools(std::size_t count) { from_empty_.reserve(count); }
  void add_pool() { from_empty_.push_back(unknown); }
  // There are so many prototypes.
  void resize(std::size_t count) { last_.resize(count); }

  // unknown, if it is none of those that are at hand.
  [[nodiscard]] PrototypeId at_hand(PrototypeId from, PoolId pool) const {
    if (from == empty_prototype) return from_empty_[pool];
    return last_[from].pool == pool ? last_[from].to : unknown;
  }
  // unknown, if there is no such edge.
  PrototypeId find(PrototypeId from, PoolId pool);
  void add(PrototypeId from, PoolId pool, PrototypeId to);
  // Returns where it led; unknown, if there was none.
  PrototypeId remove(PrototypeId from, PoolId pool) noexcept;

 private:
  struct Edge {
    PoolId pool = no_pool;
    PrototypeId to = unknown;
  };

  void put_at_hand(PrototypeId from, PoolId pool, PrototypeId to) noexcept;

  std::vector<Edge> last_;               // by prototype
  std::vector<PrototypeId> from_empty_;  // by pool
  struct Map;                            // a heavy header
  core::Owned<Map> map_;
};

class PrototypeTable {
 public:
  // Where a pool stands in the canonical order, type << 32 | instance name; equal keys mean the same pool.
  using SortKey = std::uint64_t;

  PrototypeTable();

  // Must be told of each pool, in order of id, before the pool is used here.
  void add_pool(SortKey key);
  // After it so many pools in all can be added without an allocation.
  void reserve_pools(std::size_t count);
  [[nodiscard]] SortKey key(PoolId pool) const { return keys_[pool]; }
  [[nodiscard]] core::StringId32 name(PoolId pool) const {
    return core::StringId32(static_cast<std::uint32_t>(keys_[pool]));
  }

  // The composition must not have the pool's instance name yet.
  PrototypeId with(PrototypeId prototype, PoolId pool) {
    MOBULA_ASSERT(pool < keys_.size(), "the table knows the pool");
    const PrototypeId known = with_.at_hand(prototype, pool);
    return known != PrototypeEdges::unknown ? known : find_with(prototype, pool);
  }
  // The composition must contain the pool. The chain is rebuilt without it, shared where possible.
  PrototypeId without(PrototypeId prototype, PoolId pool) {
    MOBULA_ASSERT(pool < keys_.size(), "the table knows the pool");
    const PrototypeId known = without_.at_hand(prototype, pool);
    return known != PrototypeEdges::unknown ? known : find_without(prototype, pool);
  }
  // The canonical prototype of a set of pools in any order; no pool and no instance name twice.
  PrototypeId intern(std::span<const PoolId> pools);
  PrototypeId canonical(PrototypeId prototype);

  // In the order of adding; canonical prototypes: in canonical order. Good until a prototype is made.
  [[nodiscard]] std::span<const PoolId> pools(PrototypeId prototype) const { return nodes_[prototype].pools; }
  [[nodiscard]] bool contains(PrototypeId prototype, PoolId pool) const;
  // The pool that an instance name stands for; no_pool if there is none.
  [[nodiscard]] PoolId find(PrototypeId prototype, core::StringId32 name) const {
    const NameSlots& names = names_[prototype];
    if (names.slots.empty()) [[unlikely]]
      make_names(prototype);
    std::uint32_t at = names.home(name.value);
    for (std::uint32_t probe = 0; probe < names.probes; ++probe, at = (at + 1) & names.mask())
      if (names.slots[at].name == name.value) return names.slots[at].pool;
    return no_pool;
  }

  // Living entities that have the prototype: the registry keeps count.
  [[nodiscard]] std::uint32_t uses(PrototypeId prototype) const { return uses_[prototype]; }
  void retain(PrototypeId prototype, std::uint32_t count = 1) { uses_[prototype] += count; }
  void release(PrototypeId prototype, std::uint32_t count = 1) { uses_[prototype] -= count; }
  // The same for those who keep an id apart from entities.
  void hold(PrototypeId prototype) { ++nodes_[prototype].leads; }
  void drop(PrototypeId prototype) { --nodes_[prototype].leads; }

  // Gives back prototypes that nobody needs, with the bases that only they needed: looks at `budget` of them and at
  // some more for each that was made meanwhile, going on where it ended last time. So there never are many times more
  // than are needed. Returns their ids, until the next call.
  std::span<const PrototypeId> reclaim(std::uint32_t budget);

  // Ids are below it; some may be of no prototype at the moment.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] std::uint32_t count() const { return size() - static_cast<std::uint32_t>(free_.size()); }
  [[nodiscard]] bool exists(PrototypeId prototype) const {
    return prototype < size() && (prototype == empty_prototype || !nodes_[prototype].pools.empty());
  }

  // Asserts the invariants by walking everything.
  void check() const;

 private:
  struct Node {
    std::vector<PoolId> pools;  // none: the empty prototype, or a free id
    PrototypeId base = empty_prototype;
    PrototypeId canonical = PrototypeEdges::unknown;  // until someone asks
    std::uint32_t leads = 0;                          // from other prototypes, and holds
  };
  struct NameSlot {
    std::uint32_t name = 0;
    PoolId pool = no_pool;  // no_pool: nothing is here
  };
  // A hash table of few names, with a factor and a size for which each has a slot of its own: one probe tells. Should
  // none be found, names that meet lie in slots behind one another. Made when it is first asked.
  struct NameSlots {
    std::vector<NameSlot> slots;  // a power of two
    std::uint32_t factor = 1;
    std::uint32_t shift = 31;
    std::uint32_t probes = 1;

    [[nodiscard]] std::uint32_t home(std::uint32_t name) const { return name * factor >> shift; }
    [[nodiscard]] std::uint32_t mask() const { return (1u << (32 - shift)) - 1; }
  };

  PrototypeId find_with(PrototypeId prototype, PoolId pool);
  PrototypeId find_without(PrototypeId prototype, PoolId pool);
  PrototypeId make(PrototypeId base, PoolId pool);
  PrototypeId chain(std::span<const PoolId> pools);
  [[nodiscard]] std::vector<PoolId> sorted(std::span<const PoolId> pools) const;
  void make_names(PrototypeId prototype) const;
  // Returns how many probes the name that is farthest from its home takes.
  std::uint32_t fill(NameSlots& names, std::span<const PoolId> pools) const;
  [[nodiscard]] bool needed(PrototypeId prototype) const;
  void give_back(PrototypeId prototype) noexcept;

  std::vector<SortKey> keys_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> uses_;       // by prototype, apart from the nodes: hot
  mutable std::vector<NameSlots> names_;  // by prototype, hot
  std::vector<PrototypeId> free_;
  std::vector<PrototypeId> reclaimed_;
  PrototypeId cursor_ = 0;  // of reclaim
  std::uint32_t made_ = 0;  // since the last reclaim
  PrototypeEdges with_;
  PrototypeEdges without_;
};

// Prototypes that are held while it lives; the table outlives it.
class HeldPrototypes {
 public:
  explicit HeldPrototypes(PrototypeTable& table) : table_(&table) {}
  HeldPrototypes(HeldPrototypes&& other) noexcept : table_(other.table_), held_(std::exchange(other.held_, {})) {}
  HeldPrototypes& operator=(HeldPrototypes&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~HeldPrototypes() {
    for (const PrototypeId prototype : held_) table_->drop(prototype);
  }

  void add(PrototypeId prototype) {
    held_.push_back(prototype);
    table_->hold(prototype);
  }

 private:
  PrototypeTable* table_;
  std::vector<PrototypeId> held_;
};

}  // namespace mobula::ecs
