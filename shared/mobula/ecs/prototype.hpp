// Interned compositions, after Stingray's entity index. A prototype is a chain {base, pool}. Each entity has one;
// adding a component moves it along the chain, and entities with the same history share everything. Only schema
// components take part.
//
// Different orders of adding make different chains of one composition. Their canonical prototype is the chain whose
// pools are sorted by (component type, instance name). An entity has at most one component of an instance name, so
// name and handle identify it.
//
// A prototype is needed while entities have it, it is held, or another needed prototype refers to it. Prototypes refer
// to their base, to their canonical form, and to the result of a removal. All of these have fewer pools or are in
// canonical order, so there are no cycles. reclaim() gives back prototypes that are not needed; their ids are reused.
#pragma once

#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/core/number_map.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/sent_size.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::ecs {

inline constexpr PrototypeId empty_prototype = 0;

/// Edges from a prototype and a pool to the next prototype: a map, and a cache in front of it. The cache holds the last
/// edge used of each prototype, as most have only one, and all edges of the empty prototype.
class PrototypeEdges {
 public:
  static constexpr PrototypeId unknown = core::NumberMap::none;

  /// Allocates for `count` pools in total: adding them then cannot fail.
  void reserve_pools(std::size_t count) { from_empty_.reserve(count); }
  /// Adds the next pool, which has no edges. Called in order of id.
  void add_pool() { from_empty_.push_back(unknown); }
  /// Resizes the cache to `count` prototypes.
  void resize(std::size_t count) { last_.resize(count); }

  /// Returns the cached edge; unknown if it is not cached.
  [[nodiscard]] PrototypeId at_hand(PrototypeId from, PoolId pool) const {
    if (from == empty_prototype) [[unlikely]]
      return pool < from_empty_.size() ? from_empty_[pool] : unknown;
    return last_[from].pool == pool ? last_[from].to : unknown;
  }
  /// Returns the edge; unknown if there is none.
  PrototypeId find(PrototypeId from, PoolId pool);
  /// Adds an edge that is not there yet, and caches it. A failed allocation changes nothing.
  void add(PrototypeId from, PoolId pool, PrototypeId to);
  /// Removes an edge and returns its target; unknown if there was none.
  PrototypeId remove(PrototypeId from, PoolId pool) noexcept;

 private:
  struct Edge {
    PoolId pool = no_pool;
    PrototypeId to = unknown;
  };

  void put_at_hand(PrototypeId from, PoolId pool, PrototypeId to) noexcept;

  std::vector<Edge> last_;               // by prototype
  std::vector<PrototypeId> from_empty_;  // by pool
  core::NumberMap map_;
};

/// All prototypes of a registry.
class PrototypeTable {
 public:
  /// Rank of a pool in the canonical order: type << 32 | instance name. Equal keys mean the same pool.
  using SortKey = std::uint64_t;

  PrototypeTable();

  /// Adds a pool, in order of id, before it is used here. `sent_bits_max` is that of its component type.
  void add_pool(SortKey key, std::uint32_t sent_bits_max = 0);
  /// Allocates for `count` pools in total: adding them then cannot fail.
  void reserve_pools(std::size_t count);
  /// Returns a pool's rank. Requires a pool that was added; not checked here and in name().
  [[nodiscard]] SortKey key(PoolId pool) const { return keys_[pool]; }
  [[nodiscard]] core::StringId32 name(PoolId pool) const {
    return core::StringId32(static_cast<std::uint32_t>(keys_[pool]));
  }

  /// Result of with() and without() if there is no such composition.
  static constexpr PrototypeId impossible = PrototypeEdges::unknown;

  /// Returns the composition with the pool added. `impossible` if it has a pool of that instance name already, or if an
  /// entity of it could not be sent. Checks that the pool was added.
  PrototypeId with(PrototypeId prototype, PoolId pool) {
    const PrototypeId known = with_.at_hand(prototype, pool);
    return known != PrototypeEdges::unknown ? known : find_with(prototype, pool);
  }
  /// Returns the composition without one of its pools, `impossible` if it lacks the pool. The chain is rebuilt without
  /// it, shared where possible.
  PrototypeId without(PrototypeId prototype, PoolId pool) {
    const PrototypeId known = without_.at_hand(prototype, pool);
    return known != PrototypeEdges::unknown ? known : find_without(prototype, pool);
  }
  /// Returns the size of a composition as clients receive it, for a set of pools in any order.
  [[nodiscard]] SentSize sent_size(std::span<const PoolId> pools) const;
  /// Returns the canonical prototype of a set of pools in any order. Checks that their instance names differ and that
  /// their sent_size() fits.
  PrototypeId intern(std::span<const PoolId> pools);
  /// Returns the canonical prototype of the same composition, which is created if needed.
  PrototypeId canonical(PrototypeId prototype);

  /// Returns the pools in the order of adding; of canonical prototypes in canonical order. Valid until a prototype is
  /// created.
  [[nodiscard]] std::span<const PoolId> pools(PrototypeId prototype) const {
    const Node* const node = nodes_.data() + prototype;
    if (node >= nodes_.data() + nodes_.size()) [[unlikely]]
      fail_unknown(prototype);
    return node->pools;
  }
  /// Returns whether the composition has the pool. Takes time in proportion to its pools.
  [[nodiscard]] bool contains(PrototypeId prototype, PoolId pool) const;
  /// Returns the pool that an instance name stands for; no_pool if there is none.
  [[nodiscard]] PoolId find(PrototypeId prototype, core::StringId32 name) const {
    const NameSlots& names = names_[prototype];
    if (names.slots.empty()) [[unlikely]]
      make_names(prototype);
    std::uint32_t at = names.home(name.value);
    for (std::uint32_t probe = 0; probe < names.probes; ++probe, at = (at + 1) & names.mask())
      if (names.slots[at].name == name.value) return names.slots[at].pool;
    return no_pool;
  }

  /// Returns the number of living entities with the prototype, as counted by the registry.
  [[nodiscard]] std::uint32_t uses(PrototypeId prototype) const { return uses_[prototype]; }
  /// Counts `count` more entities with the prototype.
  void retain(PrototypeId prototype, std::uint32_t count = 1) { uses_[prototype] += count; }
  /// Counts `count` entities less. Requires uses() >= count; not checked.
  void release(PrototypeId prototype, std::uint32_t count = 1) { uses_[prototype] -= count; }
  /// Keeps a prototype alive for a holder other than an entity.
  void hold(PrototypeId prototype) { ++nodes_[prototype].leads; }
  /// Ends one hold(). Requires that it was held; not checked.
  void drop(PrototypeId prototype) { --nodes_[prototype].leads; }

  /// Gives back prototypes that are not needed, with the bases that only they needed. Examines `budget` of them plus
  /// some for each one created since, continuing where the last call ended. So their number stays within a small
  /// multiple of those needed. Returns the ids given back; valid until the next call.
  std::span<const PrototypeId> reclaim(std::uint32_t budget);

  /// Returns the end of the id space; some ids below it may be free.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Returns the number of prototypes.
  [[nodiscard]] std::uint32_t count() const { return size() - static_cast<std::uint32_t>(free_.size()); }
  /// Returns whether the id denotes a prototype at present.
  [[nodiscard]] bool exists(PrototypeId prototype) const {
    return prototype < size() && (prototype == empty_prototype || !nodes_[prototype].pools.empty());
  }

  /// Asserts the invariants by checking every prototype.
  void check() const;

 private:
  struct Node {
    std::vector<PoolId> pools;  // empty for the empty prototype and for free ids
    PrototypeId base = empty_prototype;
    PrototypeId canonical = PrototypeEdges::unknown;  // computed on first use
    std::uint32_t leads = 0;                          // references from other prototypes, and holds
  };
  struct NameSlot {
    std::uint32_t name = 0;
    PoolId pool = no_pool;  // no_pool: an empty slot
  };
  // Hash table of a few names, built on first use. Factor and size are chosen so that each name has a slot of its own
  // and one probe decides. If none is found, colliding names take the slots behind.
  struct NameSlots {
    std::vector<NameSlot> slots;  // power of two
    std::uint32_t factor = 1;
    std::uint32_t shift = 31;
    std::uint32_t probes = 1;

    [[nodiscard]] std::uint32_t home(std::uint32_t name) const { return name * factor >> shift; }
    [[nodiscard]] std::uint32_t mask() const { return (1u << (32 - shift)) - 1; }
  };

  [[noreturn, gnu::cold]] void fail_unknown(PrototypeId prototype) const;
  void check_pool(PoolId pool) const;
  PrototypeId find_with(PrototypeId prototype, PoolId pool);
  PrototypeId find_without(PrototypeId prototype, PoolId pool);
  PrototypeId make(PrototypeId base, PoolId pool);
  PrototypeId chain(std::span<const PoolId> pools);
  [[nodiscard]] std::vector<PoolId> sorted(std::span<const PoolId> pools) const;
  void make_names(PrototypeId prototype) const;
  // Returns the number of probes that the name farthest from its home takes.
  std::uint32_t fill(NameSlots& names, std::span<const PoolId> pools) const;
  [[nodiscard]] bool needed(PrototypeId prototype) const;
  void give_back(PrototypeId prototype) noexcept;

  std::vector<SortKey> keys_;
  std::vector<std::uint32_t> sent_bits_max_;  // by pool
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> uses_;       // by prototype; hot, therefore not in Node
  mutable std::vector<NameSlots> names_;  // by prototype; hot
  std::vector<PrototypeId> free_;
  std::vector<PrototypeId> reclaimed_;
  PrototypeId cursor_ = 0;  // position of reclaim()
  std::uint32_t made_ = 0;  // since the last reclaim()
  PrototypeEdges with_;
  PrototypeEdges without_;
};

/// Holds prototypes during its lifetime. The table must outlive it.
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

  /// Holds a prototype. Adding it twice holds it twice.
  void add(PrototypeId prototype) {
    held_.push_back(prototype);
    table_->hold(prototype);
  }

 private:
  PrototypeTable* table_;
  std::vector<PrototypeId> held_;
};

}  // namespace mobula::ecs
