#include <algorithm>
#include <mobula/ecs/prototype.hpp>

namespace mobula::ecs {
namespace {

std::uint64_t edge_key(PrototypeId from, PoolId pool) { return static_cast<std::uint64_t>(from) << 32 | pool; }

}  // namespace

PrototypeId PrototypeEdges::find(PrototypeId from, PoolId pool) {
  const PrototypeId to = map_.find(edge_key(from, pool));
  if (to != unknown) put_at_hand(from, pool, to);
  return to;
}

void PrototypeEdges::put_at_hand(PrototypeId from, PoolId pool, PrototypeId to) noexcept {
  if (from == empty_prototype) {
    from_empty_[pool] = to;
  } else {
    last_[from] = {pool, to};
  }
}

void PrototypeEdges::add(PrototypeId from, PoolId pool, PrototypeId to) {
  map_.add(edge_key(from, pool), to);
  put_at_hand(from, pool, to);
}

PrototypeId PrototypeEdges::remove(PrototypeId from, PoolId pool) noexcept {
  const PrototypeId to = map_.remove(edge_key(from, pool));
  if (to != unknown && at_hand(from, pool) != unknown) put_at_hand(from, pool, unknown);
  return to;
}

PrototypeTable::PrototypeTable() : nodes_(1), uses_(1), names_(1) {
  nodes_[0].canonical = empty_prototype;
  with_.resize(1);
  without_.resize(1);
}

void PrototypeTable::reserve_pools(std::size_t count) {
  keys_.reserve(count);
  sent_bits_max_.reserve(count);
  with_.reserve_pools(count);
  without_.reserve_pools(count);
}

void PrototypeTable::add_pool(SortKey key, std::uint32_t sent_bits_max) {
  reserve_pools(keys_.size() + 1);
  keys_.push_back(key);
  sent_bits_max_.push_back(sent_bits_max);
  with_.add_pool();
  without_.add_pool();
}

void PrototypeTable::fail_unknown(PrototypeId prototype) const {
  core::check_failed("there is no prototype " + std::to_string(prototype) + ": ids end at " + std::to_string(size()));
}

void PrototypeTable::check_pool(PoolId pool) const {
  MOBULA_CHECK(pool < keys_.size(), "there is no pool " + std::to_string(pool));
}

bool PrototypeTable::contains(PrototypeId prototype, PoolId pool) const {
  const std::span<const PoolId> all = pools(prototype);
  return std::find(all.begin(), all.end(), pool) != all.end();
}

PrototypeId PrototypeTable::find_with(PrototypeId prototype, PoolId pool) {
  check_pool(pool);
  if (const PrototypeId known = with_.find(prototype, pool); known != PrototypeEdges::unknown) return known;
  if (find(prototype, name(pool)) != no_pool) return impossible;
  SentSize size = sent_size(pools(prototype));
  size.add(sent_bits_max_[pool]);
  return size.fits() ? make(prototype, pool) : impossible;
}

SentSize PrototypeTable::sent_size(std::span<const PoolId> pools) const {
  SentSize size;
  for (const PoolId pool : pools) size.add(sent_bits_max_[pool]);
  return size;
}

// Creates a prototype. Everything that can throw comes before anything refers to it.
PrototypeId PrototypeTable::make(PrototypeId base, PoolId pool) {
  std::vector<PoolId> pools = nodes_[base].pools;
  pools.push_back(pool);
  if (free_.empty()) {
    uses_.resize(size() + 1);
    names_.resize(size() + 1);
    with_.resize(size() + 1);
    without_.resize(size() + 1);
    if (free_.capacity() <= size()) free_.reserve(2 * size() + 16);  // for all ids, so that give_back() cannot fail
    nodes_.emplace_back();
    free_.push_back(size() - 1);
  }
  const PrototypeId made = free_.back();
  with_.add(base, pool, made);
  free_.pop_back();
  nodes_[made] = {std::move(pools), base, PrototypeEdges::unknown, 0};
  ++nodes_[base].leads;
  ++made_;
  return made;
}

PrototypeId PrototypeTable::find_without(PrototypeId prototype, PoolId pool) {
  check_pool(pool);
  if (const PrototypeId known = without_.find(prototype, pool); known != PrototypeEdges::unknown) return known;
  if (!contains(prototype, pool)) return impossible;
  std::vector<PoolId> rest = nodes_[prototype].pools;
  std::erase(rest, pool);
  const PrototypeId left = chain(rest);
  without_.add(prototype, pool, left);
  ++nodes_[left].leads;
  return left;
}

std::vector<PoolId> PrototypeTable::sorted(std::span<const PoolId> pools) const {
  std::vector<PoolId> all(pools.begin(), pools.end());
  std::sort(all.begin(), all.end(), [this](PoolId a, PoolId b) { return keys_[a] < keys_[b]; });
  return all;
}

PrototypeId PrototypeTable::intern(std::span<const PoolId> pools) { return chain(sorted(pools)); }

PrototypeId PrototypeTable::canonical(PrototypeId prototype) {
  if (nodes_[prototype].canonical == PrototypeEdges::unknown) {
    const PrototypeId found = intern(pools(prototype));
    nodes_[prototype].canonical = found;
    if (found != prototype) ++nodes_[found].leads;
  }
  return nodes_[prototype].canonical;
}

PrototypeId PrototypeTable::chain(std::span<const PoolId> pools) {
  PrototypeId prototype = empty_prototype;
  for (const PoolId pool : pools) {
    prototype = with(prototype, pool);
    MOBULA_CHECK(prototype != impossible,
                 "two components of one entity have one instance name, or they exceed what an entity may send");
  }
  return prototype;
}

void PrototypeTable::make_names(PrototypeId prototype) const {
  const std::span<const PoolId> all = pools(prototype);
  NameSlots made;
  while (made.mask() + 1 < 2 * all.size()) --made.shift;
  const std::uint32_t least_shift = made.shift - 3;
  for (; made.shift > least_shift; --made.shift) {
    made.factor = 0x9e3779b1;
    for (int round = 0; round < 16; ++round, made.factor = made.factor * 0x2c9277b5 + 2)
      if (fill(made, all) == 1) {
        names_[prototype] = std::move(made);
        return;
      }
  }
  made.probes = fill(made, all);
  names_[prototype] = std::move(made);
}

std::uint32_t PrototypeTable::fill(NameSlots& names, std::span<const PoolId> pools) const {
  names.slots.assign(names.mask() + 1, {});
  std::uint32_t most = 1;
  for (const PoolId pool : pools) {
    std::uint32_t at = names.home(name(pool).value);
    std::uint32_t probes = 1;
    for (; names.slots[at].pool != no_pool; ++probes) at = (at + 1) & names.mask();
    names.slots[at] = {name(pool).value, pool};
    most = std::max(most, probes);
  }
  return most;
}

bool PrototypeTable::needed(PrototypeId prototype) const { return uses_[prototype] > 0 || nodes_[prototype].leads > 0; }

std::span<const PrototypeId> PrototypeTable::reclaim(std::uint32_t budget) {
  reclaimed_.clear();
  reclaimed_.reserve(count());
  const std::uint64_t wanted = budget + 4ull * std::exchange(made_, 0);
  for (std::uint64_t looked = 0; looked < wanted && looked < size(); ++looked) {
    cursor_ = (cursor_ > 0 ? cursor_ : size()) - 1;
    for (PrototypeId next = cursor_; next != empty_prototype && exists(next) && !needed(next);) {
      const PrototypeId base = nodes_[next].base;
      give_back(next);
      reclaimed_.push_back(next);
      next = base;
    }
  }
  return reclaimed_;
}

void PrototypeTable::give_back(PrototypeId prototype) noexcept {
  Node& node = nodes_[prototype];
  with_.remove(node.base, node.pools.back());
  --nodes_[node.base].leads;
  for (const PoolId pool : node.pools)
    if (const PrototypeId left = without_.remove(prototype, pool); left != PrototypeEdges::unknown)
      --nodes_[left].leads;
  if (node.canonical != PrototypeEdges::unknown && node.canonical != prototype) --nodes_[node.canonical].leads;
  node = {};
  names_[prototype] = {};
  free_.push_back(prototype);  // make() reserved room
}

void PrototypeTable::check() const {
  std::size_t free = 0;
  for (PrototypeId prototype = 1; prototype < size(); ++prototype) {
    if (!exists(prototype)) {
      ++free;
      MOBULA_ASSERT(!needed(prototype), "a free prototype is not needed");
      continue;
    }
    const Node& node = nodes_[prototype];
    const std::span<const PoolId> all = node.pools;
    MOBULA_ASSERT(std::ranges::equal(pools(node.base), all.first(all.size() - 1)), "a chain goes on from its base");
    MOBULA_ASSERT(nodes_[node.base].leads > 0, "a base is needed");
    for (const PoolId pool : all) MOBULA_ASSERT(find(prototype, name(pool)) == pool, "a name finds its pool");
    if (node.canonical == PrototypeEdges::unknown) continue;
    MOBULA_ASSERT(std::ranges::equal(pools(node.canonical), sorted(all)), "a canonical form is sorted");
  }
  MOBULA_ASSERT(free == free_.size(), "each free id is listed once");
}

}  // namespace mobula::ecs
