#include <algorithm>
#include <cstring>
#include <mobula/client/prediction/snapshot_ring.hpp>
#include <utility>

namespace mobula::client {
namespace {

// Calls copy(first byte of a run of positions below `count`, its size).
template <class Copy>
void each_slab(const ecs::Pool& pool, std::uint32_t count, Copy&& copy) {
  const std::size_t row = pool.type().size;
  for (std::uint32_t position = 0; position < count;) {
    const std::uint32_t end = pool.slab_end(position, count);
    copy(pool.address(position), (end - position) * row);
    position = end;
  }
}

}  // namespace

SnapshotRing::SnapshotRing(ecs::Registry& registry, std::span<const ecs::PoolId> pools, std::size_t ticks)
    : registry_(registry), snapshots_(ticks) {
  MOBULA_CHECK(ticks > 0, "a ring has room for a tick");
  for (const ecs::PoolId pool : pools) pools_.push_back(&registry.pool(pool));
  for (Snapshot& each : snapshots_) each.counts.resize(pools_.size());
}

void SnapshotRing::save(ecs::Tick tick, const prediction::SteppedEntities& stepped) {
  Snapshot& into = snapshots_[tick % snapshots_.size()];
  into.valid = true;
  into.tick = tick;
  into.stepped.alive.assign(stepped.alive.begin(), stepped.alive.end());
  into.stepped.next_local = stepped.next_local;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    into.counts[i] = pools_[i]->size();
    bytes += std::size_t{into.counts[i]} * pools_[i]->type().size;
  }
  into.rows.resize(bytes);
  std::byte* to = into.rows.data();
  for (std::size_t i = 0; i < pools_.size(); ++i)
    each_slab(*pools_[i], into.counts[i], [&](const std::byte* from, std::size_t size) {
      std::memcpy(to, from, size);
      to += size;
    });
}

void SnapshotRing::restore(ecs::Tick tick, prediction::SteppedEntities& stepped) {
  const Snapshot& from = snapshot(tick);
  // The last one first: it has the last position in each of its pools, so that no other one moves.
  for (ecs::Entity last = stepped.next_local; last.index != from.stepped.next_local.index;) {
    --last.index;
    registry_.destroy(last);
  }
  stepped.alive.assign(from.stepped.alive.begin(), from.stepped.alive.end());
  stepped.next_local = from.stepped.next_local;
  const std::byte* rows = from.rows.data();
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    MOBULA_ASSERT(pools_[i]->size() == from.counts[i], "positions only grow while the ring is not cleared");
    each_slab(*pools_[i], from.counts[i], [&](std::byte* to, std::size_t size) {
      std::memcpy(to, rows, size);
      rows += size;
    });
  }
}

void SnapshotRing::clear() {
  for (Snapshot& each : snapshots_) each.valid = false;
}

void SnapshotRing::begin_change() {
  before_.resize(pools_.size());
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    before_[i].clear();
    for (const std::uint32_t index : pools_[i]->indices())
      before_[i].push_back({index, static_cast<std::uint32_t>(before_[i].size())});
    std::ranges::sort(before_[i], {}, &Place::index);
  }
}

void SnapshotRing::end_change(ecs::Tick first, ecs::Tick end, std::span<const RenamedEntity> renamed) {
  for (Snapshot& each : snapshots_) {
    each.valid = each.valid && each.tick >= first && each.tick < end;
    if (each.valid) rearrange(each, renamed);
  }
}

void SnapshotRing::rearrange(Snapshot& snapshot, std::span<const RenamedEntity> renamed) {
  rearranged_.clear();
  const std::byte* rows = snapshot.rows.data();
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    const std::size_t row = pools_[i]->type().size;
    for (std::uint32_t index : pools_[i]->indices()) {
      for (const RenamedEntity& each : renamed)
        if (each.to.index == index) index = each.from.index;
      const auto place = std::ranges::lower_bound(before_[i], index, {}, &Place::index);
      const bool found = place != before_[i].end() && place->index == index && place->position < snapshot.counts[i];
      const std::byte* const from = found ? rows + place->position * row : pools_[i]->type().default_value.data();
      rearranged_.insert(rearranged_.end(), from, from + row);
    }
    rows += snapshot.counts[i] * row;
    snapshot.counts[i] = pools_[i]->size();
  }
  std::swap(snapshot.rows, rearranged_);
  std::vector<ecs::Entity>& alive = snapshot.stepped.alive;
  for (const RenamedEntity& each : renamed) std::ranges::replace(alive, each.from, each.to);
  std::erase_if(alive, [&](ecs::Entity each) { return !registry_.valid(each); });
  std::ranges::sort(alive, {}, &ecs::Entity::index);
}

const std::byte* SnapshotRing::rows(const Snapshot& snapshot, std::size_t place) const {
  const std::byte* rows = snapshot.rows.data();
  for (std::size_t i = 0; i < place; ++i) rows += std::size_t{snapshot.counts[i]} * pools_[i]->type().size;
  return rows;
}

}  // namespace mobula::client
