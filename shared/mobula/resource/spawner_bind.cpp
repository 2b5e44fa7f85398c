// Binding: maps a resource's columns and prototypes to a registry's pools and prototypes.
#include <algorithm>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/reflect/migration.hpp>
#include <mobula/resource/engine_components.hpp>
#include <mobula/resource/spawner.hpp>
#include <optional>

namespace mobula::resource {

class Spawner::Binder {
 public:
  Binder(Spawner& spawner, const reflect::Schema& schema, UnknownColumns unknown)
      : spawner_(spawner),
        resource_(*spawner.resource_),
        schema_(schema),
        same_schema_(resource_.schema().fingerprint() == schema.fingerprint()),
        unknown_(unknown) {}

  // `name` is for errors.
  core::Result<Bound> bind(const EntityResource& source, const std::string& name) {
    Bound bound;
    bound.source = &source;
    for (const Column& column : source.columns)
      if (core::Status added = add_column(column, bound); !added) return added.error();
    // Columns of equal order keep the resource's order: its columns are in one vector.
    std::ranges::sort(bound.columns, [](const BoundColumn& a, const BoundColumn& b) {
      return order(a) != order(b) ? order(a) < order(b) : a.column < b.column;
    });
    if (core::Status added = add_prototypes(source, name, bound); !added) return added.error();
    return bound;
  }

  // Notes values lost in migration. Called after all columns are bound.
  void note_losses() {
    if (!same_schema_)
      for (const std::string& note : reflect::differences(resource_.schema(), schema_)) spawner_.notes_.push_back(note);
    for (const auto& [name, repairs] : repairs_) {
      if (repairs.nearest > 0)
        spawner_.notes_.push_back(
            core::format("{} numbers of {} are out of range and become the nearest in range", repairs.nearest, name));
      if (repairs.lost > 0)
        spawner_.notes_.push_back(
            core::format("{} values of {} no longer fit and get their default", repairs.lost, name));
    }
  }

 private:
  static std::int32_t order(const BoundColumn& column) {
    return column.spawner != nullptr ? column.spawner->spawn_order : column.column->spawn_order;
  }

  core::Status add_column(const Column& column, Bound& bound) {
    const ColumnSpawner* spawner = spawner_.table_->find(column.key.type);
    if (spawner != nullptr && spawner->check) {
      const core::Status checked = spawner->check(column);
      if (!checked) return checked;
    }
    const reflect::Component* component = schema_.find(column.key.type);
    if (column.component == nullptr && component != nullptr)
      return core::Error{"invalid", core::format("{} is a component here, and none in the resource", component->name)};
    if (column.component == nullptr) return add_raw(column, spawner, bound);
    if (component == nullptr) return core::Done{};  // dropped by the schema, already noted
    const core::Result<ecs::PoolId> pool =
        spawner_.registry_->open_pool(column.key.type, resource_.name_of(column.key.instance));
    if (!pool) return pool.error();
    bound.columns.push_back({&column, spawner, *pool, component->size, column.data, column.references, false});
    BoundColumn& added = bound.columns.back();
    added.places = component->name == transform_component && component->size == sizeof(Placement) &&
                   column.key.instance == column.key.type;
    if (!same_schema_) migrate(*component, added);
    return core::Done{};
  }

  core::Status add_raw(const Column& column, const ColumnSpawner* spawner, Bound& bound) {
    if (spawner != nullptr) {
      bound.columns.push_back({&column, spawner, ecs::Registry::no_pool, 0, column.data, column.references, false});
    } else if (unknown_ == UnknownColumns::refuse) {
      const std::string_view name = resource_.name_of(column.key.type);
      return core::Error{"unknown component",
                         core::format("the resource has components {}, which nothing here spawns", name)};
    }
    return core::Done{};
  }

  void migrate(const reflect::Component& to, BoundColumn& column) {
    const reflect::Component& from = *column.column->component;
    const reflect::Migration& migration = migrations_.try_emplace(&to, from, to).first->second;
    if (migration.same()) return;
    const std::uint32_t count = column.column->num_instances;
    core::Bytes& rows = spawner_.migrated_.emplace_back(std::size_t{count} * to.size);
    reflect::Repairs& repairs = repairs_[to.name];
    for (std::uint32_t i = 0; i < count; ++i)
      repairs.add(
          migration.apply(column.data.data() + std::size_t{i} * from.size, rows.data() + std::size_t{i} * to.size));
    column.data = rows;
    column.references.clear();
    for (const Reference& reference : column.column->references)
      if (const std::optional<std::uint32_t> offset = migration.offset_of(reference.offset % from.size))
        column.references.push_back({reference.offset / from.size * to.size + *offset, reference.target});
  }

  core::Status add_prototypes(const EntityResource& source, const std::string& name, Bound& bound) {
    std::vector<ecs::PrototypeId> prototypes;
    std::vector<ecs::PoolId> pools;
    for (const std::span<const ComponentKey> keys : source.prototypes) {
      pools.clear();
      for (const ComponentKey& key : keys)
        if (schema_.find(key.type) != nullptr) pools.push_back(spawner_.registry_->find_pool(key.type, key.instance));
      if (const ecs::SentSize size = spawner_.registry_->prototypes().sent_size(pools); !size.fits())
        return too_large(core::format("entity {} of {}", first_of(source, prototypes.size()), name), pools, size);
      prototypes.push_back(spawner_.registry_->prototypes().intern(pools));
      spawner_.prototypes_.add(prototypes.back());
    }
    bound.prototype_of.reserve(source.num_entities);
    for (const std::uint32_t prototype : source.prototype_of) bound.prototype_of.push_back(prototypes[prototype]);
    return core::Done{};
  }

  static std::ptrdiff_t first_of(const EntityResource& source, std::size_t prototype) {
    return std::ranges::find(source.prototype_of, prototype) - source.prototype_of.begin();
  }

  [[nodiscard]] core::Error too_large(const std::string& entity, std::span<const ecs::PoolId> pools,
                                      const ecs::SentSize& size) const {
    const auto bits = [this](ecs::PoolId pool) { return spawner_.registry_->pool(pool).type().sent_bits_max; };
    return {"too large",
            core::format("{} has {} components to send, of at most {} bytes, the largest of which is {}; at most {} "
                         "components and {} bytes",
                         entity, size.components, (size.bits + 7) / 8,
                         spawner_.registry_->pool(*std::ranges::max_element(pools, {}, bits)).instance_name(),
                         ecs::SentSize::components_max, ecs::SentSize::bits_max / 8)};
  }

  Spawner& spawner_;
  const Resource& resource_;
  const reflect::Schema& schema_;
  bool same_schema_;
  UnknownColumns unknown_;
  std::map<const reflect::Component*, reflect::Migration> migrations_;
  std::map<std::string, reflect::Repairs> repairs_;  // by component
};

Spawner::Spawner(ecs::Registry& registry, std::shared_ptr<const Resource> resource, const SpawnerTable& table)
    : registry_(&registry),
      resource_(std::move(resource)),
      table_(std::make_shared<const SpawnerTable>(table)),
      prototypes_(registry.prototypes()) {}

core::Result<Spawner> Spawner::bind(ecs::Registry& registry, const reflect::Schema& schema,
                                    std::shared_ptr<const Resource> resource, const SpawnerTable& table,
                                    UnknownColumns unknown) {
  Spawner spawner(registry, std::move(resource), table);
  Binder binder(spawner, schema, unknown);
  core::Result<Bound> level = binder.bind(spawner.resource_->level(), "the level");
  if (!level) return level.error();
  spawner.level_ = std::move(*level);
  for (const core::StringId32 name : spawner.resource_->prefab_names()) {
    core::Result<Bound> prefab = binder.bind(*spawner.resource_->find_prefab(name),
                                             core::format("prefab '{}'", spawner.resource_->name_of(name)));
    if (!prefab) return prefab.error();
    spawner.prefabs_.emplace(name, std::move(*prefab));
  }
  binder.note_losses();
  return spawner;
}

}  // namespace mobula::resource
