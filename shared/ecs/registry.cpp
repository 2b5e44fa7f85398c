#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {
namespace {

std::uint64_t pool_key(core::StringId32 type, core::StringId32 instance) {
  return static_cast<std::uint64_t>(type.value) << 32 | instance.value;
}

}  // namespace

Registry::Registry(RegistryConfig config) : config_(config), entities_(config.entities) {}
Registry::~Registry() = default;

core::Result<const ComponentType*> Registry::register_type(ComponentType type) {
  const auto [place, added] = types_.try_emplace(type.id);
  if (!added)
    return core::Error{"name collision", "component type " + type.name + " has the id of " + place->second->name};
  MOBULA_ASSERT(!type.schema || type.default_value.size() == type.size, "a schema component has a default value");
  place->second = std::make_unique<ComponentType>(std::move(type));
  return static_cast<const ComponentType*>(place->second.get());
}

const ComponentType* Registry::find_type(core::StringId32 id) const {
  const auto found = types_.find(id);
  return found == types_.end() ? nullptr : found->second.get();
}

core::Result<PoolId> Registry::open_pool(core::StringId32 type_id, std::string_view instance_name) {
  const core::StringId32 instance(instance_name);
  const PoolId found = find_pool(type_id, instance);
  if (found != no_pool) {
    if (pools_[found]->instance_name() != instance_name)
      return core::Error{"name collision", "instance name " + std::string(instance_name) + " has the hash of " +
                                               pools_[found]->instance_name()};
    return found;
  }
  const ComponentType* type = find_type(type_id);
  if (type == nullptr)
    return core::Error{"unknown component", "no component type " + core::to_string(type_id) + " is registered"};
  if (pools_.size() == max_pools)
    return core::Error{"too many pools", "a registry holds " + std::to_string(max_pools) + " pools"};

  const PoolId made = pool_count();
  pools_.push_back(std::make_unique<Pool>(*type, instance, std::string(instance_name), tick_, config_.pools));
  pool_by_key_.emplace(pool_key(type_id, instance), made);
  prototypes_.add_pool(pool_key(type_id, instance));
  if (!type->schema) local_pools_.push_back(made);
  return made;
}

PoolId Registry::find_pool(core::StringId32 type, core::StringId32 instance) const {
  const auto found = pool_by_key_.find(pool_key(type, instance));
  return found == pool_by_key_.end() ? no_pool : found->second;
}

PoolId Registry::bind_slot(std::uint32_t slot, PoolId pool) {
  if (slot >= pool_by_slot_.size()) pool_by_slot_.resize(slot + 1, no_pool);
  return pool_by_slot_[slot] = pool;
}

std::string Registry::dead_entity(const char* doing, Entity entity, PoolId pool) const {
  return std::string(doing) + " component " + pools_[pool]->instance_name() + " of entity " + to_string(entity) +
         ", which is not alive";
}

void Registry::note(JournalEntry::Kind kind, Entity entity, std::uint32_t count) {
  journal_.push_back({kind, entity, count});
}

Entity Registry::create() {
  const Entity entity = entities_.create();
  if (entity) note(JournalEntry::Kind::create, entity);
  return entity;
}

bool Registry::create_given(Entity entity) {
  if (!entities_.create_given(entity)) return false;
  note(JournalEntry::Kind::create, entity);
  return true;
}

EntityRange Registry::create_range(std::uint32_t count) {
  const EntityRange range = entities_.create_range(count);
  if (range.count > 0) note(JournalEntry::Kind::create, range.at(0), range.count);
  return range;
}

void Registry::drop_components(std::uint32_t index) {
  for (const PoolId pool : prototypes_.pools(entities_.prototype(index))) pools_[pool]->remove(index);
  for (const PoolId pool : local_pools_)
    if (pools_[pool]->contains(index)) pools_[pool]->remove(index);
}

void Registry::destroy(Entity entity) {
  MOBULA_ASSERT(valid(entity), "destroying entity " + to_string(entity) + ", which is not alive");
  drop_components(entity.index);
  entities_.destroy(entity);
  note(JournalEntry::Kind::destroy, entity);
}

void Registry::destroy_range(const EntityRange& range) {
  if (range.count == 0) return;
  for (std::uint32_t i = range.count; i-- > 0;)
    if (valid(range.at(i))) drop_components(range.first + i);
  entities_.destroy_range(range);
  note(JournalEntry::Kind::destroy, range.at(0), range.count);
}

PrototypeId Registry::prototype(Entity entity) const {
  MOBULA_ASSERT(valid(entity), "entity " + to_string(entity) + " is not alive");
  return entities_.prototype(entity.index);
}

std::byte* Registry::add_bytes(Entity entity, PoolId pool, core::ByteView value) {
  const ComponentType& type = pools_[pool]->type();
  MOBULA_ASSERT(type.schema, "component " + type.name + " is local: it is no bytes");
  MOBULA_ASSERT(value.empty() || value.size() == type.size, "a value of " + type.name + " has its size");
  std::byte* place = append(entity, pool);
  std::memcpy(place, value.empty() ? type.default_value.data() : value.data(), type.size);
  return place;
}

const std::byte* Registry::try_read(Entity entity, PoolId pool) const {
  if (!valid(entity)) return nullptr;
  const std::uint32_t position = pools_[pool]->find(entity.index);
  return position == Pool::none ? nullptr : pools_[pool]->at(position);
}

std::byte* Registry::try_write(Entity entity, PoolId pool) {
  if (!valid(entity)) return nullptr;
  const std::uint32_t position = pools_[pool]->find(entity.index);
  return position == Pool::none ? nullptr : pools_[pool]->at_mutable(position);
}

void Registry::remove(Entity entity, PoolId pool) {
  MOBULA_ASSERT(valid(entity), dead_entity("removing", entity, pool));
  pools_[pool]->remove(entity.index);
  if (!pools_[pool]->type().schema) return;
  entities_.set_prototype(entity.index, prototypes_.without(entities_.prototype(entity.index), pool));
  note_recomposed(entity);
}

void Registry::assign_prototypes(const EntityRange& range, std::span<const PrototypeId> prototypes) {
  MOBULA_ASSERT(prototypes.size() == range.count, "one prototype for each entity of the range");
  for (std::uint32_t i = 0; i < range.count; ++i) entities_.set_prototype(range.first + i, prototypes[i]);
}

void Registry::add_column(const EntityRange& range, PoolId pool, std::span<const std::uint32_t> offsets,
                          const std::byte* rows) {
  pools_[pool]->append_rows(range.first, offsets, rows);
}

void Registry::check() const {
  entities_.check();
  std::uint64_t components = 0;
  entities_.each([&](Entity entity) {
    for (const PoolId pool : prototypes_.pools(entities_.prototype(entity.index))) {
      MOBULA_ASSERT(pools_[pool]->contains(entity.index), "an entity has what its prototype says");
      ++components;
    }
  });
  std::uint64_t pooled = 0;
  for (const std::unique_ptr<Pool>& pool : pools_) {
    pool->check();
    if (pool->type().schema) pooled += pool->size();
    for (const std::uint32_t index : pool->indices())
      MOBULA_ASSERT(entities_.at(index), "only the living have components");
  }
  MOBULA_ASSERT(components == pooled, "a prototype says what its entity has");
}

}  // namespace mobula::ecs
