// Sorting of a pool or of a group: by a key, by a comparator, or like another pool.
//
//   sort_by<Health>(registry, [](const Health& health) { return health.a; });
//   sort<Health>(group, [](const Health& a, const Health& b) { return a.a < b.a; });
//   sort_as(registry.pool<Velocity>(), registry.pool<Position>());
//
// Sorting is stable, so the result is determined by the previous order. Only blocks in which something moved are
// marked as changed: a pool in order costs a scan. In a nearly sorted pool the outliers are taken out, sorted and
// merged in again (drop-merge sort). Order is not a structural change and is not logged.
//
// A sorted pool's order is owned by the sort until release_order(). It stays sorted only until the next add, remove or
// write. Sorting a pool whose order a group or the hierarchy owns fails a check: sort the group instead. Only members
// of a group are sorted. For a group that owns no pool this sets the order of its iteration. An exception (allocation,
// key, comparator) leaves the order unchanged.
//
// Key and comparator may read everything and change other pools. If they add, remove or reorder components of the
// sorted pool, or of any pool that decides the group's members, a check fails.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <functional>
#include <mobula/ecs/registry.hpp>
#include <mobula/ecs/scratch.hpp>
#include <new>
#include <optional>
#include <span>
#include <utility>

namespace mobula::ecs {

/// Memory of a sort. Keep one for repeated sorts, which then allocate nothing. Serves one sort at a time: a check fails
/// if a key or comparator passes it to sort_by() or sort().
struct SortScratch {
  Scratch entries;
  Scratch spare;
  Scratch order;
  Scratch components;
  Scratch links;
  bool in_use = false;  // by a sort that is in progress
};

/// Sorts entities that `lead` has to the front, in its order; the others follow in their present order. Takes time in
/// proportion to both pools. Fails a check if a group or the hierarchy owns the order, or while `pool` is iterated.
void sort_as(Pool& pool, const Pool& lead, SortScratch& scratch);
/// Sorts with memory of its own, which each call allocates, as do the other forms without SortScratch.
void sort_as(Pool& pool, const Pool& lead);

namespace detail {

// Target of a sort: the positions of a pool, or of a group's set.
struct SortTarget {
  Pool* pool;       // holds the components to compare
  GroupSet* group;  // or null

  [[nodiscard]] std::uint32_t size() const { return group != nullptr ? group->size() : pool->size(); }
  // Returns whether components are at the same positions as the target's entities.
  [[nodiscard]] bool direct() const { return group == nullptr || pool->owner_group() == group; }
  // Moves order[i] to position i. Null if already in order.
  void apply(const std::uint32_t* order, Scratch& components) const;
};

Pool& find_pool(const GroupSet& group, core::StringId32 type);

// While it lives, the game's key or comparator can change neither the target's members nor their order.
class SortGuard {
 public:
  SortGuard(const SortTarget& target, SortScratch& scratch);
  ~SortGuard();
  SortGuard(const SortGuard&) = delete;
  SortGuard& operator=(const SortGuard&) = delete;

 private:
  // Calls function(pool, its link).
  template <class Function>
  void each_pool(Function function) const;

  SortTarget target_;
  SortScratch& scratch_;
  IterationProgress progress_;
  Iterations::Link* links_ = nullptr;
};

template <class T>
SortTarget sort_target(Registry& registry) {
  return {&registry.pool<T>(), nullptr};
}
template <class T>
SortTarget sort_target(Pool& pool) {
  MOBULA_CHECK(pool.type().id == core::StringId32(component_name<T>()),
               "pool " + pool.instance_name() + " is not sorted by its own type");
  return {&pool, nullptr};
}
template <class T, class... Ts>
SortTarget sort_target(const Group<Ts...>& group) {
  static_assert((std::same_as<T, std::remove_const_t<Ts>> || ...), "a group is sorted by one of its components");
  return {&find_pool(group.set(), core::StringId32(component_name<T>())), &group.set()};
}

// Calls function(position, component) for each position, ascending.
template <class T, class Function>
void each_component(const SortTarget& target, Function&& function) {
  const std::uint32_t size = target.size();
  if (!target.direct()) {
    const std::span<const std::uint32_t> indices = target.group->indices();
    for (std::uint32_t i = 0; i < size; ++i)
      function(i, *target.pool->typed_address<const T>(target.pool->find(indices[i])));
    return;
  }
  for (std::uint32_t first = 0; first < size; first += Pool::block_size) {
    const T* components = target.pool->typed_address<const T>(first);
    const std::uint32_t count = std::min(Pool::block_size, size - first);
    for (std::uint32_t i = 0; i < count; ++i) function(first + i, components[i]);
  }
}

// Entries sorted in place of the components. All compare by position last, so no two are equal.

// Keys of at most 32 bits: key << 32 | position.
struct SmallKey {
  std::uint64_t value;

  [[nodiscard]] std::uint32_t key() const { return static_cast<std::uint32_t>(value >> 32); }
  [[nodiscard]] std::uint32_t position() const { return static_cast<std::uint32_t>(value); }
  bool operator<(const SmallKey& other) const { return value < other.value; }
};

struct LargeKey {
  std::uint64_t value;
  std::uint32_t at;

  [[nodiscard]] std::uint64_t key() const { return value; }
  [[nodiscard]] std::uint32_t position() const { return at; }
  bool operator<(const LargeKey& other) const { return value != other.value ? value < other.value : at < other.at; }
};

// Small plain components are sorted by value, others through a pointer.
template <class T>
inline constexpr bool sorted_by_value =
    std::is_trivially_copyable_v<T> && std::is_move_assignable_v<T> && sizeof(T) <= 24;

template <class T>
struct Candidate {
  std::conditional_t<sorted_by_value<T>, T, const T*> held;
  std::uint32_t at;

  [[nodiscard]] const T& component() const {
    if constexpr (sorted_by_value<T>) {
      return held;
    } else {
      return *held;
    }
  }
  [[nodiscard]] std::uint32_t position() const { return at; }
};

// Returns bits in the order of the key's values. Float and double use IEEE's total order: -NaN, -inf … -0, 0 … inf,
// NaN.
template <class Key>
auto ordered_bits(Key key) {
  static_assert(std::is_arithmetic_v<Key> && sizeof(Key) <= 8, "a key is a number of at most 64 bits");
  if constexpr (std::same_as<Key, bool>) {
    return static_cast<std::uint32_t>(key);
  } else if constexpr (std::is_floating_point_v<Key>) {
    using Bits = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
    const Bits bits = std::bit_cast<Bits>(key);
    return (bits & sign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
  } else {
    using Wide = std::conditional_t<sizeof(Key) <= 4, std::int32_t, std::int64_t>;
    using Bits = std::make_unsigned_t<Wide>;
    constexpr Bits sign = std::is_signed_v<Key> ? Bits{1} << (sizeof(Bits) * 8 - 1) : 0;
    return static_cast<Bits>(static_cast<Bits>(key) ^ sign);
  }
}

// Drop-merge sort (Ernerfeldt 2016), first half. Keeps an ascending subsequence of `entries` at the front of `spare`
// and puts the others at its back in any order. Returns the number kept; 0 if too few are in order. Allocates nothing.
template <class Entry, class Before>
std::size_t keep_ascending(std::span<const Entry> entries, Entry* spare, Before before) {
  constexpr std::size_t first_doubt = 8;
  const std::size_t size = entries.size();
  std::size_t kept = 0;
  std::size_t dropped = 0;
  std::size_t in_a_row = 0;  // dropped in sequence: perhaps the entries kept before are the outliers
  std::size_t doubt = first_doubt;
  const auto drop = [&](const Entry& entry) { spare[size - ++dropped] = entry; };

  for (std::size_t read = 0; read < size;) {
    const Entry& entry = entries[read];
    if (kept == 0 || !before(entry, spare[kept - 1])) {
      spare[kept++] = entry;
      ++read;
      in_a_row = 0;
      doubt = first_doubt;
      continue;
    }
    if (kept >= 2 && in_a_row == 0 && !before(entry, spare[kept - 2])) {
      const Entry outlier = std::exchange(spare[kept - 1], entry);
      drop(outlier);
      ++read;
    } else {
      drop(entry);
      ++read;
      if (++in_a_row == doubt) {
        const Entry& highest =
            *std::max_element(&entries[read - in_a_row], &entries[read - in_a_row] + in_a_row, before);
        std::size_t above = 0;
        while (above < kept && above <= in_a_row && before(highest, spare[kept - 1 - above])) ++above;
        if (above <= in_a_row) {
          read -= in_a_row;
          dropped -= in_a_row;
          in_a_row = 0;
          for (; above > 0; --above) {
            const Entry outlier = spare[--kept];
            drop(outlier);
          }
        } else {
          doubt *= 2;
        }
      }
    }
    if (dropped > 64 + read / 8) return 0;
  }
  return kept;
}

// Writes the positions of two merged sorted sequences to `order`.
template <class Entry, class Before>
void merge_positions(std::span<const Entry> many, std::span<const Entry> few, Before before, std::uint32_t* order) {
  std::size_t next = 0;
  for (const Entry& entry : few) {
    while (next < many.size() && before(many[next], entry)) *order++ = many[next++].position();
    *order++ = entry.position();
  }
  for (; next < many.size(); ++next) *order++ = many[next].position();
}

// Stable merge sort that allocates nothing and does not branch on the unpredictable results of `compare`. Returns the
// buffer of the result: entries or spare.
template <class Entry, class Compare>
const Entry* merge_sort(std::span<Entry> entries, Entry* spare, Compare compare) {
  constexpr std::size_t short_run = 8;
  const std::size_t size = entries.size();
  Entry* from = entries.data();
  Entry* to = spare;
  for (std::size_t first = 0; first < size; first += short_run)
    for (std::size_t i = first + 1; i < std::min(size, first + short_run); ++i) {
      const Entry entry = from[i];
      std::size_t gap = i;
      for (; gap > first && compare(entry, from[gap - 1]); --gap) from[gap] = from[gap - 1];
      from[gap] = entry;
    }
  for (std::size_t run = short_run; run < size; run *= 2) {
    Entry* next = to;
    for (std::size_t first = 0; first < size; first += 2 * run) {
      const Entry* left = from + first;
      const Entry* right = from + std::min(size, first + run);
      const Entry* const left_end = right;
      const Entry* const right_end = from + std::min(size, first + 2 * run);
      while (left != left_end && right != right_end) {
        const bool take_right = compare(*right, *left);
        *next++ = *(take_right ? right : left);
        right += take_right ? 1 : 0;
        left += take_right ? 0 : 1;
      }
      next = std::copy(right, right_end, std::copy(left, left_end, next));
    }
    std::swap(from, to);
  }
  return from;
}

// Returns the order, or null if the entries are in order. `sort_all(entries, spare, order)` handles unordered input.
template <class Entry, class Before, class SortAll>
const std::uint32_t* find_order(std::span<Entry> entries, SortScratch& scratch, Before before, SortAll sort_all) {
  if (std::is_sorted(entries.begin(), entries.end(), before)) return nullptr;
  Entry* spare = scratch.spare.room_for<Entry>(entries.size());
  std::uint32_t* order = scratch.order.room_for<std::uint32_t>(entries.size());
  const std::size_t kept = keep_ascending<Entry>(entries, spare, before);
  if (kept == 0) {
    sort_all(entries, spare, order);
    return order;
  }
  const std::span<Entry> dropped(spare + kept, entries.size() - kept);
  const Entry* few = dropped.data();
  if constexpr (std::same_as<Before, std::less<>>) {
    std::sort(dropped.begin(), dropped.end(), before);
  } else {  // std::sort leaves its array if the game's comparator is no strict weak order
    few = merge_sort(dropped, entries.data(), before);
  }
  merge_positions<Entry>({spare, kept}, {few, dropped.size()}, before, order);
  return order;
}

const std::uint32_t* find_order(std::span<SmallKey> entries, SortScratch& scratch);
const std::uint32_t* find_order(std::span<LargeKey> entries, SortScratch& scratch);

}  // namespace detail

/// Sorts by key(const T&), ascending: an integer, float or double (IEEE's total order). Target: a Registry (T's default
/// pool), a Pool of Ts, or a Group with T. Calls `key` once per component. Far from sorted targets of 512 or more
/// components are sorted by radix, in linear time. Fails a check while a pool of the target is iterated.
template <class T, class Target, class Key>
void sort_by(Target&& target, Key key, SortScratch& scratch) {
  const detail::SortTarget sorted = detail::sort_target<T>(target);
  using Bits = decltype(detail::ordered_bits(key(std::declval<const T&>())));
  using Entry = std::conditional_t<sizeof(Bits) == 4, detail::SmallKey, detail::LargeKey>;
  std::optional<detail::SortGuard> guard(std::in_place, sorted, scratch);
  const std::span<Entry> entries(scratch.entries.room_for<Entry>(sorted.size()), sorted.size());
  detail::each_component<T>(sorted, [&](std::uint32_t position, const T& component) {
    const Bits bits = detail::ordered_bits(key(component));
    if constexpr (sizeof(Bits) == 4) {
      entries[position] = {static_cast<std::uint64_t>(bits) << 32 | position};
    } else {
      entries[position] = {bits, position};
    }
  });
  guard.reset();
  sorted.apply(detail::find_order(entries, scratch), scratch.components);
}
/// Sorts by key with memory of its own, which each call allocates.
template <class T, class Target, class Key>
void sort_by(Target&& target, Key key) {
  SortScratch scratch;
  sort_by<T>(target, key, scratch);
}

/// Sorts by compare(const T&, const T&), a strict weak order. Targets are those of sort_by(). Calls `compare` n - 1
/// times for n components in order, else about n log n times.
template <class T, class Target, class Compare>
void sort(Target&& target, Compare compare, SortScratch& scratch) {
  const detail::SortTarget sorted = detail::sort_target<T>(target);
  using Entry = detail::Candidate<T>;
  std::optional<detail::SortGuard> guard(std::in_place, sorted, scratch);
  const std::span<Entry> entries(scratch.entries.room_for<Entry>(sorted.size()), sorted.size());
  detail::each_component<T>(sorted, [&](std::uint32_t position, const T& component) {
    if constexpr (detail::sorted_by_value<T>) {
      ::new (&entries[position]) Entry{component, position};
    } else {
      entries[position] = {&component, position};
    }
  });
  // One call of `compare` decides, as positions break ties.
  const auto before = [&](const Entry& a, const Entry& b) {
    return a.at < b.at ? !compare(b.component(), a.component()) : compare(a.component(), b.component());
  };
  const auto sort_all = [&](std::span<Entry> all, Entry* spare, std::uint32_t* order) {
    const auto less = [&](const Entry& a, const Entry& b) { return compare(a.component(), b.component()); };
    const Entry* result = detail::merge_sort(all, spare, less);
    for (std::size_t i = 0; i < all.size(); ++i) order[i] = result[i].at;
  };
  const std::uint32_t* const order = detail::find_order(entries, scratch, before, sort_all);
  guard.reset();
  sorted.apply(order, scratch.components);
}
/// Sorts by comparator with memory of its own, which each call allocates.
template <class T, class Target, class Compare>
void sort(Target&& target, Compare compare) {
  SortScratch scratch;
  sort<T>(target, compare, scratch);
}

}  // namespace mobula::ecs
