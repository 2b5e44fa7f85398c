#include <algorithm>
#include <cmath>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/resource/spawner.hpp>

namespace mobula::resource {
namespace {

// `used` indices are not available for the new entities.
core::Error too_many(const ecs::EntityPool& entities, std::uint64_t used, std::uint64_t count) {
  return {
      "too many entities",
      core::format("the world is full: no room for {}; it has room for {}, and needs room for {}",
                   core::counted(count, "more entity", "more entities"), entities.config().entities_max, used + count)};
}

// Fills `into` with `copies` copies of `values`.
template <class T>
void repeat(std::span<const T> values, std::uint32_t copies, std::vector<T>& into) {
  into.clear();
  into.reserve(values.size() * copies);
  for (std::uint32_t copy = 0; copy < copies; ++copy) into.insert(into.end(), values.begin(), values.end());
}

void move_to(const Placement& placement, std::byte* row) {
  const engine::Quat& q = placement.rotation;
  MOBULA_CHECK(
      std::fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1) < 0.01f,
      core::format("a prefab is placed with rotation ({}, {}, {}, {}), whose length is not 1", q.x, q.y, q.z, q.w));
  const auto local = core::load<engine::Transform>(row);
  const hierarchy::WorldTransform placed = hierarchy::compose({placement.position, placement.rotation}, local);
  core::store(row, engine::Transform{placed.position, placed.rotation});
}

}  // namespace

void copy_column(const SpawnColumn& column) {
  column.registry.add_column(column.batch, column.pool, column.entity_index, column.data.data());
}

void SpawnerTable::add(std::string_view component_name, ColumnSpawner spawner) {
  MOBULA_CHECK(spawner.spawn != nullptr, "a spawner that spawns nothing");
  const bool added = spawners_.emplace(core::StringId32(component_name), std::move(spawner)).second;
  MOBULA_CHECK(added, "two spawners for component " + std::string(component_name));
}

const ColumnSpawner* SpawnerTable::find(core::StringId32 type) const {
  const auto found = spawners_.find(type);
  return found == spawners_.end() ? nullptr : &found->second;
}

const Spawner::Bound* Spawner::find_prefab(core::StringId32 name) const {
  const auto found = prefabs_.find(name);
  return found == prefabs_.end() ? nullptr : &found->second;
}

core::Result<ecs::EntityRange> Spawner::spawn_level() { return spawn(level_, 1, {}); }

core::Result<ecs::EntityRange> Spawner::spawn_prefab(core::StringId32 name, const Placement* placement) {
  const Bound* prefab = find_prefab(name);
  if (prefab == nullptr) return unknown_prefab(name);
  return spawn(*prefab, 1, {placement, placement == nullptr ? 0u : 1u});
}

core::Result<ecs::EntityRange> Spawner::spawn_prefabs(core::StringId32 name, std::span<const Placement> placements) {
  const Bound* prefab = find_prefab(name);
  if (prefab == nullptr) return unknown_prefab(name);
  return spawn(*prefab, static_cast<std::uint32_t>(placements.size()), placements);
}

core::Error Spawner::unknown_prefab(core::StringId32 name) {
  return {"unknown prefab", core::format("the resource has no spawnable prefab {}", core::to_string(name))};
}

// Undoes everything if adding a column throws.
template <class Columns>
void Spawner::fill(const ecs::EntityBatch& batch, Columns&& add_columns) {
  core::Undo undo([&] { registry_->undo_spawn(batch); });
  add_columns();
  undo.dismiss();
  registry_->end_spawn(batch);
}

core::Result<ecs::EntityRange> Spawner::spawn(const Bound& bound, std::uint32_t copies,
                                              std::span<const Placement> placements) {
  const std::uint64_t count = std::uint64_t{bound.source->num_entities} * copies;
  if (count == 0) return ecs::EntityRange{};
  if (count > registry_->entities().config().entities_max)
    return too_many(registry_->entities(), registry_->entities().index_end(), count);
  if (copies > 1) repeat<ecs::PrototypeId>(bound.prototype_of, copies, kinds_);
  const ecs::EntityRange range =
      registry_->begin_spawn(copies == 1 ? std::span<const ecs::PrototypeId>(bound.prototype_of) : kinds_);
  if (range.generation == 0) return too_many(registry_->entities(), registry_->entities().index_end(), count);
  fill(range, [&] {
    for (const BoundColumn& each : bound.columns) spawn_column(bound, each, range, copies, placements);
  });
  return range;
}

void Spawner::spawn_column(const Bound& bound, const BoundColumn& each, const ecs::EntityBatch& batch,
                           std::uint32_t copies, std::span<const Placement> placements) {
  const std::uint32_t entities = bound.source->num_entities;
  if (each.row_size == 0 && copies > 1) {  // only its own compiler knows the boundaries of its instances
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
      const ecs::Entity first = batch.at(copy * entities);
      spawn_column(bound, each, ecs::EntityRange{first.index, entities, first.generation}, 1, {});
    }
    return;
  }
  SpawnColumn column{*registry_, batch, *each.column, each.pool, each.column->entity_index, each.data, {}};
  const auto instances = static_cast<std::uint32_t>(column.entity_index.size());
  const bool placed = each.places && !placements.empty();
  if (copies > 1) {
    repeat<std::uint32_t>(column.entity_index, copies, indices_);
    for (std::uint32_t i = instances; i < indices_.size(); ++i) indices_[i] += i / instances * entities;
    column.entity_index = indices_;
  }
  if (copies > 1 || placed || !each.references.empty()) {
    repeat<std::byte>(each.data, copies, rows_);
    column.data = rows_;
  }
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    std::byte* const rows = rows_.data() + copy * each.data.size();
    for (const Reference& reference : each.references)
      core::store(rows + reference.offset, batch.at(copy * entities + reference.target));
    for (std::uint32_t i = 0; i < instances && placed; ++i)
      if (bound.source->parent_index[each.column->entity_index[i]] == no_parent)
        move_to(placements[copy], rows + i * each.row_size);
  }
  each.spawner != nullptr ? each.spawner->spawn(column) : copy_column(column);
}

core::Status Spawner::spawn_part(std::span<ecs::Entity> entities, std::span<const SpawnChoice> choices) {
  MOBULA_ASSERT(entities.size() == level_.source->num_entities && choices.size() == entities.size(),
                "a handle and a choice for each entity of the level");
  kinds_.clear();
  for (std::size_t i = 0; i < entities.size(); ++i)
    if (choices[i] == SpawnChoice::spawn) kinds_.push_back(level_.prototype_of[i]);
  std::vector<ecs::Entity> made(kinds_.size());
  if (!registry_->begin_spawn(made, kinds_))
    return too_many(registry_->entities(), registry_->entities().size(), made.size());
  const std::span<const ecs::Entity> batch(made);
  fill(batch, [&] { fill_part(batch, entities, choices); });
  return core::Done{};
}

core::Status Spawner::receive(std::span<const ecs::Entity> entities, std::size_t count) {
  MOBULA_ASSERT(entities.size() == level_.source->num_entities && count <= entities.size(),
                "a handle for each entity of the level");
  const std::span<const ecs::Entity> made = entities.first(count);
  ecs::Guests guests(*registry_);
  if (!guests.begin_spawn(made, std::span(level_.prototype_of).first(count)))
    return core::Error{"handle in use", "another entity has the index of one of these entities"};
  std::vector<SpawnChoice> choices(entities.size(), SpawnChoice::leave);
  std::fill_n(choices.begin(), count, SpawnChoice::spawn);
  fill(made, [&] {
    for (const BoundColumn& each : level_.columns) spawn_part_of_column(each, entities, choices);
    for (const ecs::Entity entity : made) guests.set_ghost(entity, false);
  });
  return core::Done{};
}

void Spawner::fill_part(std::span<const ecs::Entity> made, std::span<ecs::Entity> entities,
                        std::span<const SpawnChoice> choices) {
  auto next = made.begin();
  for (std::size_t i = 0; i < entities.size(); ++i)
    if (choices[i] == SpawnChoice::spawn) entities[i] = *next++;
  const bool all = made.size() == entities.size();
  for (const BoundColumn& each : level_.columns)
    all ? spawn_column(level_, each, std::span<const ecs::Entity>(entities), 1, {})
        : spawn_part_of_column(each, entities, choices);
}

void Spawner::spawn_part_of_column(const BoundColumn& each, std::span<const ecs::Entity> entities,
                                   std::span<const SpawnChoice> choices) {
  rows_.assign(each.data.begin(), each.data.end());
  for (const Reference& reference : each.references)
    core::store(rows_.data() + reference.offset, entities[reference.target]);
  SpawnColumn column{*registry_, entities, *each.column, each.pool, each.column->entity_index, rows_, choices};
  if (each.row_size != 0) {  // copies only the selected rows
    indices_.clear();
    std::byte* to = rows_.data();
    for (std::uint32_t i = 0; i < each.column->num_instances; ++i) {
      const std::uint32_t entity = each.column->entity_index[i];
      if (choices[entity] != SpawnChoice::spawn) continue;
      indices_.push_back(entity);
      std::memmove(to, rows_.data() + i * each.row_size, each.row_size);
      to += each.row_size;
    }
    column.entity_index = indices_;
    column.data = core::ByteView(rows_.data(), to);
    column.choices = {};
    if (indices_.empty()) return;
  }
  each.spawner != nullptr ? each.spawner->spawn(column) : copy_column(column);
}

void Spawner::repoint(std::span<const ecs::Entity> entities, std::span<const ecs::Entity> before,
                      std::span<const SpawnChoice> choices) {
  for (const BoundColumn& each : level_.columns) {
    if (each.row_size == 0) continue;
    for (const Reference& reference : each.references) {
      const std::uint32_t owner = each.column->entity_index[reference.offset / each.row_size];
      const ecs::Entity target = entities[reference.target];
      if (choices[owner] == SpawnChoice::spawn || !before[reference.target] || target == before[reference.target])
        continue;
      const std::uint32_t offset = reference.offset % each.row_size;
      const std::byte* component = std::as_const(*registry_).try_read(entities[owner], each.pool);
      if (component != nullptr && core::load<ecs::Entity>(component + offset) == before[reference.target])
        core::store(registry_->try_write(entities[owner], each.pool) + offset, target);
    }
  }
}

}  // namespace mobula::resource
