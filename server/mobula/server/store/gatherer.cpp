#include <algorithm>
#include <cstring>
#include <mobula/server/store/gatherer.hpp>

namespace mobula::store {

void Batch::clear() {
  is_full = has_ranges = false;
  new_pools.clear();
  entities.clear();
  composition_sizes.clear();
  composition_pools.clear();
  pools.clear();
  indices.clear();
  rows.clear();
  ranges.clear();
}

Gatherer::Gatherer(const ecs::Registry& registry, const reflect::Schema& schema)
    : registry_(registry), schema_(schema), may_have_ghosts_(registry.entities().config().own != ecs::OwnIndices{}) {}

void Gatherer::mark(std::uint32_t index) {
  const std::uint32_t word = index / 64;
  const std::uint64_t bit = std::uint64_t{1} << index % 64;
  if (word >= marked_.size()) marked_.resize(std::max<std::size_t>(word + 1, marked_.size() * 2));
  if ((marked_[word] & bit) != 0) return;
  marked_[word] |= bit;
  dirty_.push_back(index);
}

void Gatherer::note() {
  if (first_) return;
  for (const ecs::JournalEntry& entry : registry_.journal())
    for (std::uint32_t i = 0; i < entry.count; ++i) mark(entry.first.index + i);
}

void Gatherer::gather(Batch& batch) {
  ++batches_;
  batch.is_full = first_;
  gather_pools(batch);
  gather_entities(batch);
  gather_rows(batch);
  gather_ranges(batch);
  last_ = batch.facts.tick;
  first_ = false;
}

void Gatherer::gather_pools(Batch& batch) {
  for (auto id = static_cast<ecs::PoolId>(is_saved_.size()); id < registry_.pool_count(); ++id) {
    const ecs::Pool& pool = registry_.pool(id);
    const reflect::Component* component = pool.is_schema() ? schema_.find(pool.type().id) : nullptr;
    is_saved_.push_back(component != nullptr && !component->not_saved);
    if (is_saved_.back()) batch.new_pools.push_back({id, pool.type().id, pool.instance_name()});
  }
}

void Gatherer::gather_entities(Batch& batch) {
  if (first_) {
    for (std::uint32_t index = 0; index < registry_.entities().index_end(); ++index)
      if (const BatchEntity entity = entity_at(index, batch); entity.generation != 0) batch.entities.push_back(entity);
    return;
  }
  std::ranges::sort(dirty_);
  for (const std::uint32_t index : dirty_) {
    batch.entities.push_back(entity_at(index, batch));
    marked_[index / 64] = 0;
  }
  dirty_.clear();
}

BatchEntity Gatherer::entity_at(std::uint32_t index, Batch& batch) {
  const ecs::EntityPool& entities = registry_.entities();
  if (const ecs::Entity abroad = entities.elsewhere_at(index))
    return {index, abroad.generation, BatchEntity::elsewhere};
  const ecs::Entity entity = entities.at(index);
  if (!entity || entities.is_ghost(entity)) return {index, 0, 0};
  return {index, entity.generation, composition(entities.prototype(index), batch)};
}

std::uint32_t Gatherer::composition(ecs::PrototypeId prototype, Batch& batch) {
  if (prototype >= numbered_.size()) numbered_.resize(registry_.prototypes().size());
  Numbered& known = numbered_[prototype];
  if (known.seen == batches_) return known.number;
  known = {batches_, static_cast<std::uint32_t>(batch.composition_sizes.size())};
  std::uint32_t size = 0;
  for (const ecs::PoolId pool : registry_.prototypes().pools(prototype)) {
    if (!is_saved_[pool]) continue;
    batch.composition_pools.push_back(pool);
    ++size;
  }
  batch.composition_sizes.push_back(size);
  return known.number;
}

void Gatherer::gather_rows(Batch& batch) const {
  for (ecs::PoolId id = 0; id < is_saved_.size(); ++id) {
    if (!is_saved_[id]) continue;
    const ecs::Pool& pool = registry_.pool(id);
    const std::span<const ecs::Tick> change_ticks = pool.change_ticks();
    const std::size_t before = batch.indices.size();
    for (std::uint32_t block = 0; block < change_ticks.size(); ++block) {
      if (change_ticks[block] <= last_) continue;
      const std::uint32_t first = block << ecs::Pool::block_shift;
      copy_rows(pool, first, std::min(first + ecs::Pool::block_size, pool.size()), batch);
    }
    if (batch.indices.size() > before)
      batch.pools.push_back({id, static_cast<std::uint32_t>(batch.indices.size() - before)});
  }
}

// A block's rows are one array.
void Gatherer::copy_rows(const ecs::Pool& pool, std::uint32_t first, std::uint32_t end, Batch& batch) const {
  const std::span<const std::uint32_t> indices = pool.indices().subspan(first, end - first);
  const std::byte* const rows = pool.at(first);
  const std::size_t size = pool.type().size;
  if (!may_have_ghosts_) {
    batch.indices.insert(batch.indices.end(), indices.begin(), indices.end());
    batch.rows.insert(batch.rows.end(), rows, rows + indices.size() * size);
    return;
  }
  const ecs::EntityPool& entities = registry_.entities();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (entities.is_ghost(entities.at(indices[i]))) continue;
    batch.indices.push_back(indices[i]);
    batch.rows.insert(batch.rows.end(), rows + i * size, rows + (i + 1) * size);
  }
}

void Gatherer::gather_ranges(Batch& batch) {
  const ecs::EntityPoolImage image = registry_.entities().image(room_);
  const auto saved = [](const ecs::EntityRangeSlot& slot) {
    return ecs::EntityRange{slot.range.first, slot.range.count, slot.alive > 0 ? slot.range.generation : 0};
  };
  const bool same = std::ranges::equal(image.ranges, ranges_, {}, saved);
  if (same && !first_) return;
  ranges_.clear();
  for (const ecs::EntityRangeSlot& slot : image.ranges) ranges_.push_back(saved(slot));
  batch.ranges = ranges_;
  batch.has_ranges = true;
}

}  // namespace mobula::store
