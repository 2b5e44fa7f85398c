#include <algorithm>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/resource/spawner.hpp>

namespace mobula::resource {
namespace {

std::string name_of(const Resource& resource, core::StringId32 id) {
  const std::string_view name = resource.name_of(id);
  return name.empty() ? core::to_string(id) : std::string(name);
}

}  // namespace

void copy_column(const SpawnColumn& column) {
  column.registry.add_column(column.range, column.pool, column.column.entity_index, column.data.data());
}

void SpawnerTable::add(std::string_view component_name, ColumnSpawner spawner) {
  MOBULA_ASSERT(spawner.spawn != nullptr, "a spawner that spawns nothing");
  const bool added = spawners_.emplace(core::StringId32(component_name), std::move(spawner)).second;
  MOBULA_ASSERT(added, "two spawners for component " + std::string(component_name));
}

const ColumnSpawner* SpawnerTable::find(core::StringId32 type) const {
  const auto found = spawners_.find(type);
  return found == spawners_.end() ? nullptr : &found->second;
}

Spawner::Spawner(ecs::Registry& registry, std::shared_ptr<const Resource> resource, const SpawnerTable& table)
    : registry_(&registry),
      resource_(std::move(resource)),
      table_(std::make_shared<const SpawnerTable>(table)),
      prototypes_(registry.prototypes()) {}

core::Result<Spawner> Spawner::bind(ecs::Registry& registry, const reflect::Schema& schema,
                                    std::shared_ptr<const Resource> resource, const SpawnerTable& table,
                                    UnknownColumns unknown) {
  if (resource->schema().fingerprint() != schema.fingerprint()) {
    return core::Error{
        "other schema",
        core::format("the resource was compiled with schema {:.16}, the world has {:.16}; compile the "
                     "level with the game's schema (mobula-compile --schema …)",
                     core::to_string(resource->schema().fingerprint()), core::to_string(schema.fingerprint()))};
  }
  Spawner spawner(registry, std::move(resource), table);
  core::Result<Bound> level = spawner.bind_resource(spawner.resource_->level(), unknown);
  if (!level) return level.error();
  spawner.level_ = std::move(*level);
  for (const core::StringId32 name : spawner.resource_->prefab_names()) {
    core::Result<Bound> prefab = spawner.bind_resource(*spawner.resource_->find_prefab(name), unknown);
    if (!prefab) return prefab.error();
    spawner.prefabs_.emplace(name, std::move(*prefab));
  }
  return spawner;
}

core::Result<Spawner::Bound> Spawner::bind_resource(const EntityResource& source, UnknownColumns unknown) {
  Bound bound;
  bound.source = &source;
  for (const Column& column : source.columns) {
    const ColumnSpawner* spawner = table_->find(column.key.type);
    if (spawner != nullptr && spawner->check) {
      const core::Status checked = spawner->check(column);
      if (!checked) return checked.error();
    }
    ecs::PoolId pool = ecs::Registry::no_pool;
    if (column.component != nullptr) {
      const core::Result<ecs::PoolId> opened =
          registry_->open_pool(column.key.type, resource_->name_of(column.key.instance));
      if (!opened) return opened.error();
      pool = *opened;
    } else if (spawner == nullptr) {
      if (unknown == UnknownColumns::skip) continue;
      return core::Error{"unknown component", core::format("the resource has components {}, which nothing here spawns",
                                                           name_of(*resource_, column.key.type))};
    }
    bound.columns.push_back({&column, spawner, pool});
  }
  // Of equal order, as the resource has them: its columns lie in one vector.
  std::sort(bound.columns.begin(), bound.columns.end(), [](const BoundColumn& a, const BoundColumn& b) {
    const auto order = [](const BoundColumn& c) {
      return c.spawner != nullptr ? c.spawner->spawn_order : c.column->spawn_order;
    };
    return order(a) != order(b) ? order(a) < order(b) : a.column < b.column;
  });

  std::vector<ecs::PrototypeId> prototypes;
  std::vector<ecs::PoolId> pools;
  for (const std::span<const ComponentKey> keys : source.prototypes) {
    pools.clear();
    for (const ComponentKey& key : keys) pools.push_back(registry_->find_pool(key.type, key.instance));
    prototypes.push_back(registry_->prototypes().intern(pools));
    prototypes_.add(prototypes.back());
  }
  bound.prototype_of.reserve(source.num_entities);
  for (const std::uint32_t prototype : source.prototype_of) bound.prototype_of.push_back(prototypes[prototype]);
  return bound;
}

core::Result<ecs::EntityRange> Spawner::spawn_level() { return spawn(level_); }

core::Result<ecs::EntityRange> Spawner::spawn_prefab(core::StringId32 name) {
  const auto found = prefabs_.find(name);
  if (found == prefabs_.end())
    return core::Error{"unknown prefab",
                       core::format("the resource has no spawnable prefab {}", core::to_string(name))};
  return spawn(found->second);
}

core::Result<ecs::EntityRange> Spawner::spawn(const Bound& bound) {
  const EntityResource& source = *bound.source;
  if (source.num_entities == 0) return ecs::EntityRange{};
  const ecs::EntityRange range = registry_->create_range(source.num_entities);
  if (range.generation == 0) {
    return core::Error{"too many entities",
                       core::format("the world has no room for {} more entities", source.num_entities)};
  }
  registry_->assign_prototypes(range, bound.prototype_of);
  for (const BoundColumn& each : bound.columns) {
    SpawnColumn column{*registry_, range, *each.column, each.pool, each.column->data};
    if (!each.column->references.empty()) {
      scratch_.assign(column.data.begin(), column.data.end());
      for (const Reference& reference : each.column->references)
        core::store(scratch_.data() + reference.offset, range.at(reference.target));
      column.data = scratch_;
    }
    each.spawner != nullptr ? each.spawner->spawn(column) : copy_column(column);
  }
  registry_->end_spawn(range);
  return range;
}

}  // namespace mobula::resource
