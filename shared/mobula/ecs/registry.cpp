#include <algorithm>
#include <iterator>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {
namespace {

// Emits `destroy` of each pool for the entities that have its component. Iterates by index: a listener may open pools.
void emit_destroy(const std::vector<core::Owned<Pool>>& pools, const EntityPool& living,
                  std::span<const Entity> entities, std::vector<Entity>& concerned) {
  for (std::size_t i = 0; i < pools.size(); ++i) {
    PoolWatch* const watch = pools[i]->watch();
    if (watch == nullptr || watch->signals.destroy.empty()) continue;
    concerned.clear();
    std::copy_if(entities.begin(), entities.end(), std::back_inserter(concerned),
                 [&](Entity entity) { return living.valid(entity) && pools[i]->contains(entity.index); });
    watch->signals.destroy.emit(concerned);
  }
}

}  // namespace

Registry::Registry(RegistryConfig config) : config_(config), index_(config.entities) {}
Registry::~Registry() = default;

std::string Registry::dead_entity(const char* doing, Entity entity, const Pool& pool) const {
  return std::string(doing) + " component " + pool.instance_name() + " of entity " + to_string(entity) +
         ", which is not alive";
}

std::string Registry::double_add(Entity entity, const Pool& pool) const {
  return "entity " + to_string(entity) + " already has component " + pool.instance_name();
}

std::string Registry::name_taken(Entity entity, const Pool& pool) const {
  return "adding " + pool.type().name + " " + pool.instance_name() + " to entity " + to_string(entity) +
         ", which has a component of that name already: a " + pools_[find(entity, pool.instance())]->type().name;
}

std::string Registry::missing_component(Entity entity, const Pool& pool) const {
  return "entity " + to_string(entity) + " has no component " + pool.instance_name() + " to remove";
}

// Entities -------------------------------------------------------------------------------

Entity Registry::create() {
  journal_.make_room();
  const Entity entity = index_.create();
  if (!entity) return entity;
  journal_.note(JournalEntry::Kind::create, entity);
  if (!created_.empty()) emit_created(entity);
  return entity;
}

bool Registry::create(std::span<Entity> out) {
  if (!index_.entities().create(out)) return false;
  try {
    journal_.make_room(out);
  } catch (...) {
    index_.entities().destroy(out);
    throw;
  }
  index_.prototypes().retain(empty_prototype, static_cast<std::uint32_t>(out.size()));
  journal_.note_all(JournalEntry::Kind::create, out);
  created_.emit(out);
  return true;
}

bool Registry::create_given(Entity entity) {
  journal_.make_room();
  if (!index_.entities().create_given(entity)) return false;
  index_.prototypes().retain(empty_prototype);
  journal_.note(JournalEntry::Kind::create, entity);
  if (!created_.empty()) emit_created(entity);
  return true;
}

void Registry::make_group_room(Pool& pool, Entity entity) { make_group_room(pool, {&entity, 1}); }
void Registry::emit_constructed(Pool& pool, Entity entity) { emit_constructed(pool, {&entity, 1}); }
void Registry::emit_destroying(Entity entity) { emit_destroying({&entity, 1}); }
void Registry::emit_created(Entity entity) { created_.emit({&entity, 1}); }

EntityRange Registry::create_range(std::uint32_t count) {
  journal_.make_room();
  std::vector<Entity> notified;
  if (!created_.empty()) notified.reserve(count);
  const EntityRange range = index_.entities().create_range(count);
  if (range.count == 0) return range;
  index_.prototypes().retain(empty_prototype, range.count);
  journal_.note(JournalEntry::Kind::create, range.at(0), range.count);
  if (created_.empty()) return range;
  for (std::uint32_t i = 0; i < count; ++i) notified.push_back(range.at(i));
  created_.emit(notified);
  return range;
}

bool Registry::create_with(std::span<Entity> out, std::span<Pool* const> pools,
                           std::span<const std::byte* const> values) {
  PrototypeId prototype = empty_prototype;
  for (const Pool* pool : pools) prototype = index_.prototypes().with(prototype, pool->id());
  if (!index_.entities().create(out, prototype)) return false;
  try {
    find_runs(out);
    journal_.make_room(runs_.size());
    for (Pool* pool : pools) {
      pool->reserve(pool->size() + static_cast<std::uint32_t>(out.size()));
      for (const EntityRun& run : runs_) pool->make_pages(run.first.index, run.count);
      make_group_room(*pool, out);
    }
  } catch (...) {
    index_.entities().destroy(out);
    throw;
  }
  for (std::size_t i = 0; i < pools.size(); ++i)
    for (const EntityRun& run : runs_) pools[i]->commit_run(run.first.index, run.count, values[i]);
  for (Pool* pool : pools) enter_groups(*pool, out);
  index_.prototypes().retain(prototype, static_cast<std::uint32_t>(out.size()));
  for (const EntityRun& run : runs_) journal_.note(JournalEntry::Kind::create, run.first, run.count);
  created_.emit(out);
  for (Pool* pool : pools)
    if (pool->watch() != nullptr) pool->watch()->signals.construct.emit(out);
  return true;
}

void Registry::find_runs(std::span<const Entity> entities) {
  runs_.clear();
  for (std::size_t i = 0; i < entities.size(); i += runs_.back().count)
    runs_.push_back({entities[i], run_length(entities.subspan(i))});
}

inline void Registry::drop_components(std::uint32_t index, PrototypeId prototype) noexcept {
  for (const PoolId pool : index_.prototypes().pools(prototype)) pools_[pool]->remove(index);
  for (Pool* pool : server_only_pools_)
    if (pool->contains(index)) pool->remove(index);
}

void Registry::destroy(Entity entity) {
  MOBULA_ASSERT(valid(entity), "destroying entity " + to_string(entity) + ", which is not alive");
  journal_.make_room();
  if (watched_ || !destroying_.empty()) [[unlikely]]
    emit_destroying(entity);
  destroy_notified(entity);
  journal_.note(JournalEntry::Kind::destroy, entity);
}

inline void Registry::destroy_notified(Entity entity) noexcept {
  const PrototypeId prototype = index_.destroy(entity);
  drop_components(entity.index, prototype);
}

void Registry::destroy(std::span<const Entity> entities) {
  for (const Entity entity : entities)
    MOBULA_ASSERT(valid(entity), "destroying entity " + to_string(entity) + ", which is not alive");
  if (watched_ || !destroying_.empty()) return destroy_watched(entities);
  journal_.make_room(entities);
  for (const Entity entity : entities) {
    MOBULA_ASSERT(valid(entity), "destroying entity " + to_string(entity) + ", which is there twice");
    destroy_notified(entity);
  }
  journal_.note_all(JournalEntry::Kind::destroy, entities);
}

// A listener may have destroyed other entities of the list.
void Registry::destroy_watched(std::span<const Entity> entities) {
  emit_destroying(entities);
  for (const Entity entity : entities) {
    if (!valid(entity)) continue;
    destroy_notified(entity);
    journal_.note(JournalEntry::Kind::destroy, entity);
  }
}

void Registry::destroy_range(const EntityRange& range) {
  if (range.count == 0) return;
  journal_.make_room();
  if (watched_ || !destroying_.empty()) emit_destroying(living(range));
  for (std::uint32_t i = range.count; i-- > 0;) {
    if (!valid(range.at(i))) continue;
    const PrototypeId prototype = index_.entities().prototype(range.first + i);
    index_.prototypes().release(prototype);
    drop_components(range.first + i, prototype);
  }
  index_.entities().destroy_range(range);
  journal_.note(JournalEntry::Kind::destroy, range.at(0), range.count);
}

std::vector<Entity> Registry::living(const EntityRange& range) const {
  std::vector<Entity> found;
  for (std::uint32_t i = 0; i < range.count; ++i)
    if (valid(range.at(i))) found.push_back(range.at(i));
  return found;
}

// Groups and listeners -------------------------------------------------------------------

PoolSignals& Registry::signals(PoolId pool) {
  watched_ = true;
  return pools_[pool]->make_watch().signals;
}

GroupSet& Registry::open_group(GroupPools pools) {
  const std::array<std::vector<Pool*>*, 3> parts{&pools.owned, &pools.required, &pools.excluded};
  for (std::vector<Pool*>* part : parts)
    std::sort(part->begin(), part->end(), [](const Pool* a, const Pool* b) { return a->id() < b->id(); });
  for (const core::Owned<GroupSet>& group : groups_)
    if (group->pools() == pools) return *group;
  // Everything that may throw comes before the group owns anything.
  groups_.reserve(groups_.size() + 1);
  for (const std::vector<Pool*>* part : parts) {
    for (Pool* pool : *part) {
      std::vector<GroupSet*>& groups = pool->make_watch().groups;
      groups.reserve(groups.size() + 1);
    }
  }
  GroupSet& made = *groups_.emplace_back(new GroupSet(pools, config_.pools.sparse_page_shift));
  for (const std::vector<Pool*>* part : parts)
    for (Pool* pool : *part) pool->make_watch().groups.push_back(&made);
  watched_ = true;
  return made;
}

void Registry::make_group_room(Pool& pool, std::span<const Entity> entities) {
  if (pool.watch() == nullptr) return;
  for (GroupSet* group : pool.watch()->groups) group->make_room(entities);
}

void Registry::enter_groups(const Pool& pool, std::span<const Entity> entities) noexcept {
  if (pool.watch() == nullptr) return;
  for (GroupSet* group : pool.watch()->groups)
    for (const Entity entity : entities) group->added(pool, entity.index);
}

void Registry::emit_constructed(Pool& pool, std::span<const Entity> entities) {
  if (pool.watch() == nullptr) return;
  enter_groups(pool, entities);
  pool.watch()->signals.construct.emit(entities);
}

// Listeners are called for all entities before any is removed; then the entities leave their groups.
void Registry::emit_destroying(std::span<const Entity> entities) {
  destroying_.emit(entities);
  std::vector<Entity> concerned =
      std::exchange(concerned_, {});  // a listener may destroy others, with a vector of its own
  emit_destroy(pools_, index_.entities(), entities, concerned);
  concerned_ = std::move(concerned);
  journal_.make_room(entities.size());  // listeners may have used up the room and split runs
  for (const core::Owned<GroupSet>& group : groups_)
    for (const Entity entity : entities)
      if (valid(entity)) group->leave(entity.index);  // a listener may have destroyed it and reused its index
}

PrototypeId Registry::prototype(Entity entity) const {
  MOBULA_ASSERT(valid(entity), "entity " + to_string(entity) + " is not alive");
  return index_.entities().prototype(entity.index);
}

std::byte* Registry::add_bytes(Entity entity, PoolId id, core::ByteView value) {
  Pool& pool = *pools_[id];
  const ComponentType& type = pool.type();
  MOBULA_ASSERT(type.schema, "component " + type.name + " is server-only: it has no byte form");
  MOBULA_ASSERT(value.empty() || value.size() == type.size, "a value of " + type.name + " has its size");
  const PreparedAdd prepared = prepare_add(entity, pool, type.schema);
  std::memcpy(pool.end(), value.empty() ? type.default_value.data() : value.data(), type.size);
  commit_add(entity, pool, type.schema, prepared);
  emit_constructed(pool, entity);
  return try_write(entity, id);
}

void Registry::add_moved(Entity entity, PoolId id, void* value) {
  Pool& pool = *pools_[id];
  const PreparedAdd prepared = prepare_add(entity, pool, pool.is_schema());
  pool.relocate(pool.end(), static_cast<std::byte*>(value));
  commit_add(entity, pool, pool.is_schema(), prepared);
  emit_constructed(pool, entity);
}

void Registry::prepare_add(std::span<const Entity> entities, Pool& pool) {
  for (const Entity entity : entities) MOBULA_ASSERT(valid(entity), dead_entity("adding", entity, pool));
  pool.make_room(entities);
  make_group_room(pool, entities);
  if (!pool.is_schema()) return;
  journal_.make_room(entities);
  for (const Entity entity : entities) index_.prototypes().with(index_.entities().prototype(entity.index), pool.id());
}

void Registry::commit_add(std::span<const Entity> entities, Pool& pool) noexcept {
  const bool schema = pool.is_schema();
  for (const Entity entity : entities) {
    pool.commit(entity.index);
    if (!schema) continue;
    const EntityPool::PrototypePlace prototype = index_.entities().prototype_place(entity.index);
    const PrototypeId from = prototype.get();
    recompose(entity, prototype, from, index_.prototypes().with(from, pool.id()));
  }
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

void Registry::remove_watched(Entity entity, Pool& pool) { remove({&entity, 1}, pool.id()); }

void Registry::remove(std::span<const Entity> entities, PoolId id) {
  Pool& pool = *pools_[id];
  assert_removable(entities, pool);
  if (pool.watch() != nullptr) pool.watch()->signals.destroy.emit(entities);
  prepare_remove(entities, pool);
  for (const Entity entity : entities) commit_remove(entity, pool);
}

void Registry::assert_removable([[maybe_unused]] std::span<const Entity> entities,
                                [[maybe_unused]] const Pool& pool) const {
#ifdef MOBULA_ASSERTS
  for (const Entity entity : entities) {
    MOBULA_ASSERT(valid(entity), dead_entity("removing", entity, pool));
    MOBULA_ASSERT(pool.contains(entity.index), missing_component(entity, pool));
  }
#endif
}

void Registry::prepare_remove(std::span<const Entity> entities, Pool& pool) {
  assert_removable(entities, pool);  // listeners have run
  make_group_room(pool, entities);
  if (!pool.is_schema()) return;
  journal_.make_room(entities);
  for (const Entity entity : entities)
    index_.prototypes().without(index_.entities().prototype(entity.index), pool.id());
}

void Registry::commit_remove(Entity entity, Pool& pool) noexcept {
  const PoolWatch* watch = pool.watch();
  if (watch != nullptr)
    for (GroupSet* group : watch->groups) group->removing(pool, entity.index);
  pool.remove(entity.index);
  if (watch != nullptr)
    for (GroupSet* group : watch->groups) group->removed(pool, entity.index);
  if (!pool.is_schema()) return;
  const EntityPool::PrototypePlace prototype = index_.entities().prototype_place(entity.index);
  const PrototypeId from = prototype.get();
  recompose(entity, prototype, from, index_.prototypes().without(from, pool.id()));
}

void Registry::check() const {
  index_.entities().check();
  index_.prototypes().check();
  std::uint64_t components = 0;
  std::vector<std::uint32_t> uses(index_.prototypes().size());
  index_.entities().each([&](Entity entity) {
    ++uses[index_.entities().prototype(entity.index)];
    for (const PoolId pool : index_.prototypes().pools(index_.entities().prototype(entity.index))) {
      MOBULA_ASSERT(pools_[pool]->contains(entity.index), "an entity has the components of its prototype");
      ++components;
    }
  });
  std::uint64_t pooled = 0;
  for (const core::Owned<Pool>& pool : pools_) {
    pool->check();
    if (pool->is_schema()) pooled += pool->size();
    for (const std::uint32_t index : pool->indices())
      MOBULA_ASSERT(index_.entities().at(index), "only the living have components");
  }
  MOBULA_ASSERT(components == pooled, "pools hold the components of all prototypes");
  for (PrototypeId prototype = 0; prototype < index_.prototypes().size(); ++prototype)
    MOBULA_ASSERT(index_.prototypes().uses(prototype) == uses[prototype], "a prototype counts its entities");
  for (const core::Owned<GroupSet>& group : groups_) group->check();
}

}  // namespace mobula::ecs
