#include <algorithm>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {
namespace {

// Mirrors hold few entities at scattered indices: their sets have no pages.
RegistryConfig with_form_of_sets(RegistryConfig config) {
  if (config.entities.recycling == Recycling::given) config.pools.sparse_page_shift = SparseSet::no_pages;
  return config;
}

}  // namespace

// A removal whose listeners are being called.
class Registry::Removal {
 public:
  Removal(Registry& registry, const Pool& pool, std::span<const Entity> entities) : registry_(registry) {
    registry_.removals_.emplace_back(&pool, entities);
  }
  ~Removal() { registry_.removals_.pop_back(); }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;

 private:
  Registry& registry_;
};

Registry::Registry(RegistryConfig config)
    : config_(with_form_of_sets(config)), index_(config_.entities), leaving_(config_.pools.sparse_page_shift) {}

void Registry::fail_add(Entity entity, const Pool& pool) const {
  if (pool.contains(entity.index)) misuse::double_add(entity, pool.instance_name());
  const PoolId by = find(entity, pool.instance());
  if (by == pool.id()) misuse::incomplete_entity("adding to", entity, pool.instance_name());
  if (by != no_pool) misuse::name_taken(entity, pool.type().name, pool.instance_name(), this->pool(by).type().name);
  const PrototypeTable& prototypes = index_.prototypes();
  SentSize size = prototypes.sent_size(prototypes.pools(index_.entities().prototype(entity.index)));
  size.add(pool.type().sent_bits_max);
  misuse::too_large(entity, pool.instance_name(), size);
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
  core::Undo undo([&] { index_.entities().destroy(out); });
  journal_.make_room(out);
  const EntityList own(lists_, created_.empty() ? std::span<const Entity>() : out);
  undo.dismiss();
  index_.prototypes().retain(empty_prototype, static_cast<std::uint32_t>(out.size()));
  journal_.note_all(JournalEntry::Kind::create, out);
  created_.emit(own.entities);
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
void Registry::make_group_room(std::span<Pool* const> pools, std::uint32_t index) {
  for (Pool* pool : pools) make_group_room(*pool, Entity{index, 0});  // its generation is not known yet
}
void Registry::emit_constructed(Pool& pool, Entity entity) { emit_constructed(pool, {&entity, 1}); }
void Registry::emit_created(Entity entity) { created_.emit({&entity, 1}); }
void Registry::emit_created_with(Entity entity, std::span<Pool* const> pools) {
  emit_created_with({&entity, 1}, pools);
}

EntityRange Registry::create_range(std::uint32_t count) {
  journal_.make_room();
  EntityList own(lists_);
  if (!created_.empty()) own.entities.resize(count);
  const EntityRange range = index_.entities().create_range(count);
  if (range.count == 0) return range;
  index_.prototypes().retain(empty_prototype, range.count);
  journal_.note(JournalEntry::Kind::create, range.at(0), range.count);
  for (std::size_t i = 0; i < own.entities.size(); ++i) own.entities[i] = range.at(static_cast<std::uint32_t>(i));
  created_.emit(own.entities);
  return range;
}

bool Registry::create_with(std::span<Entity> out, std::span<Pool* const> pools,
                           std::span<const std::byte* const> values) {
  PrototypeId prototype = empty_prototype;
  SentSize size;
  for (const Pool* pool : pools) {
    prototype = index_.prototypes().with(prototype, pool->id());
    size.add(pool->type().sent_bits_max);
    if (prototype == PrototypeTable::impossible) misuse::too_large(null_entity, pool->instance_name(), size);
  }
  if (!index_.entities().create(out, prototype)) return false;
  core::Undo undo([&] { index_.entities().destroy(out); });
  find_runs(out);
  journal_.make_room(runs_.size());
  for (Pool* pool : pools) {
    pool->reserve(pool->size() + static_cast<std::uint32_t>(out.size()));
    for (const EntityRun& run : runs_) pool->make_pages(run.first.index, run.count);
    make_group_room(*pool, out);
  }
  const bool notifies = watched_ || !created_.empty();
  EntityList own(lists_, notifies ? out : std::span<const Entity>());
  undo.dismiss();
  for (std::size_t i = 0; i < pools.size(); ++i)
    for (const EntityRun& run : runs_) pools[i]->commit_run(run.first.index, run.count, values[i]);
  index_.prototypes().retain(prototype, static_cast<std::uint32_t>(out.size()));
  for (const EntityRun& run : runs_) journal_.note(JournalEntry::Kind::create, run.first, run.count);
  if (notifies) emit_created_with(own.entities, pools);
  return true;
}

// A listener may destroy entities: the next one receives those that live.
void Registry::emit_created_with(std::span<Entity> entities, std::span<Pool* const> pools) {
  for (const Pool* pool : pools) enter_groups(*pool, entities);
  created_.emit(entities);
  for (Pool* pool : pools) {
    if (pool->watch() == nullptr || pool->watch()->signals.construct.empty()) continue;
    const auto dead = std::ranges::remove_if(entities, [this](Entity entity) { return !valid(entity); });
    entities = {entities.begin(), dead.begin()};
    pool->watch()->signals.construct.emit(entities);
  }
}

void Registry::find_runs(std::span<const Entity> entities) {
  runs_.clear();
  for (std::size_t i = 0; i < entities.size(); i += runs_.back().count)
    runs_.push_back({entities[i], run_length(entities.subspan(i))});
}

std::uint32_t Registry::find_without_page(Entity entity, const Pool& pool) const {
  return valid(entity) ? pool.find(entity.index) : Pool::none;
}

// Groups and listeners -------------------------------------------------------------------

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

bool Registry::is_removing(Entity entity, const Pool& pool) const {
  return std::ranges::any_of(removals_, [&](const auto& removal) {
    return removal.first == &pool && std::ranges::find(removal.second, entity) != removal.second.end();
  });
}

PrototypeId Registry::prototype(Entity entity) const {
  if (!valid(entity)) misuse::dead_entity("reading the prototype of", entity);
  return index_.entities().prototype(entity.index);
}

std::byte* Registry::add_bytes(Entity entity, PoolId id, core::ByteView value) {
  Pool& pool = this->pool(id);
  const ComponentType& type = pool.type();
  MOBULA_CHECK(type.schema, "component " + type.name + " is server-only: it has no byte form");
  MOBULA_CHECK(value.empty() || value.size() == type.size, "a value of " + type.name + " has its size");
  const PreparedAdd prepared = prepare_add(entity, pool);
  std::memcpy(pool.end(), value.empty() ? type.default_value.data() : value.data(), type.size);
  commit_add(entity, pool, type.schema, prepared);
  emit_constructed(pool, entity);
  return try_write(entity, id);
}

void Registry::add_moved(Entity entity, PoolId id, void* value) {
  Pool& pool = this->pool(id);
  const PreparedAdd prepared = prepare_add(entity, pool);
  pool.relocate(pool.end(), static_cast<std::byte*>(value));
  commit_add(entity, pool, pool.is_schema(), prepared);
  emit_constructed(pool, entity);
}

void Registry::prepare_add(std::span<const Entity> entities, Pool& pool) {
  for (const Entity entity : entities)
    if (!valid(entity)) misuse::dead_entity("adding", entity, pool.instance_name());
  pool.make_room(entities);
  make_group_room(pool, entities);
  if (!pool.is_schema()) return;
  journal_.make_room(entities);
  for (const Entity entity : entities) {
    const PrototypeId from = index_.entities().prototype(entity.index);
    if (index_.prototypes().with(from, pool.id()) == PrototypeTable::impossible) fail_add(entity, pool);
  }
}

void Registry::commit_add(std::span<const Entity> entities, Pool& pool) noexcept {
  const bool schema = pool.is_schema();
  if (!schema && !entities.empty()) note_occupied(pool);
  for (const Entity entity : entities) {
    pool.commit_prepared(entity.index);
    if (!schema) continue;
    const EntityPool::PrototypePlace prototype = index_.entities().prototype_place(entity.index);
    const PrototypeId from = prototype.get();
    recompose(entity, prototype, from, index_.prototypes().with(from, pool.id()));
  }
}

const std::byte* Registry::try_read(Entity entity, PoolId id) const {
  if (id == no_pool) return nullptr;
  const Pool& read = pool(id);
  const std::uint32_t position = find_component(entity, read);
  return position == Pool::none ? nullptr : read.address(position);
}

std::byte* Registry::try_write(Entity entity, PoolId id) {
  if (id == no_pool) return nullptr;
  Pool& written = pool(id);
  const std::uint32_t position = find_component(entity, written);
  if (position == Pool::none) return nullptr;
  written.mark_held(position);
  return written.address(position);
}

void Registry::remove_watched(Entity entity, Pool& pool) { remove({&entity, 1}, pool.id()); }

void Registry::remove(std::span<const Entity> entities, PoolId id) {
  Pool& pool = this->pool(id);
  check_removable(entities, pool);
  const bool notifies = pool.watch() != nullptr && !pool.watch()->signals.destroy.empty();
  EntityList own(lists_, entities);
  std::vector<Entity>& left = own.entities;
  if (!notifies && !pool.has_destructor()) return remove_notified(left, pool);
  if (!removals_.empty()) std::erase_if(left, [&](Entity each) { return is_removing(each, pool); });
  if (notifies) {
    const Removal removal(*this, pool, left);
    pool.watch()->signals.destroy.emit(left);
  }
  std::erase_if(left, [&](Entity each) { return !valid(each) || !pool.contains(each.index); });  // by a listener
  remove_notified(left, pool);
}

void Registry::check_removable(std::span<const Entity> entities, const Pool& pool) const {
  for (const Entity entity : entities) {
    if (!valid(entity)) misuse::dead_entity("removing", entity, pool.instance_name());
    if (!pool.contains(entity.index)) misuse::missing_component(entity, pool.instance_name());
  }
}

void Registry::remove_notified(std::span<const Entity> entities, Pool& pool) {
  if (pool.has_destructor()) return remove_with_values(entities, pool);
  prepare_remove(entities, pool);
  for (const Entity entity : entities) {
    if (!pool.contains(entity.index)) misuse::missing_component(entity, pool.instance_name());  // else listed twice
    commit_remove(entity, pool);
  }
}

// A destructor may remove the components of later entities, destroy them, and use up what is prepared.
void Registry::remove_with_values(std::span<const Entity> entities, Pool& pool) {
  prepare_remove(entities, pool);
  for (const Entity entity : entities) {
    if (!valid(entity) || !pool.contains(entity.index)) continue;
    prepare_remove({&entity, 1}, pool);
    commit_remove(entity, pool);
  }
}

void Registry::prepare_remove(std::span<const Entity> entities, Pool& pool) {
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
  const auto removed = [&pool, watch, entity] {
    if (watch == nullptr) return;
    for (GroupSet* group : watch->groups) group->removed(pool, entity.index);
  };
  if (pool.has_destructor()) return pool.remove_then(entity.index, removed);
  pool.remove_held<0>(entity.index);
  removed();
  if (!pool.is_schema()) return;
  const EntityPool::PrototypePlace prototype = index_.entities().prototype_place(entity.index);
  const PrototypeId from = prototype.get();
  recompose(entity, prototype, from, index_.prototypes().without(from, pool.id()));
}

}  // namespace mobula::ecs
