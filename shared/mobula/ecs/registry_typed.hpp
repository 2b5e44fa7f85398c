// Registry: typed members. How a type finds its pool, and access that needs the component's layout. Included at the
// end of registry.hpp.
#pragma once

#include <mobula/core/undo.hpp>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {

template <class T>
inline Pool& Registry::pool() {
  Pool* const opened = default_pool(type_slot<T>);
  if (opened != nullptr) [[likely]]
    return *opened;
  return open_default_pool<T>();
}

// The pool of a schema component may have been opened by name only.
template <class T>
inline const Pool* Registry::existing_pool() const {
  if (const Pool* const opened = default_pool(type_slot<T>)) [[likely]]
    return opened;
  if constexpr (!SchemaComponent<T>) return nullptr;
  constexpr core::StringId32 id(component_name<T>());
  const PoolId found = find_pool(id, id);
  if (found == no_pool) return nullptr;
  pools_[found]->check_size(sizeof(T));
  return pools_[found].get();
}

template <class T>
[[gnu::noinline]] Pool& Registry::open_default_pool() {
  if constexpr (SchemaComponent<T>) {
    return open_default_pool(type_slot<T>, component_name<T>(), true, sizeof(T));
  } else {
    return open_server_only_pool(type_slot<T>, server_only_component_type<T>());
  }
}

template <class T>
PoolId Registry::pool_of(std::string_view instance_name) {
  pool<T>();  // registers a server-only type
  const core::Result<PoolId> opened = open_pool(core::StringId32(component_name<T>()), instance_name);
  MOBULA_CHECK(opened.ok(), opened.error().message);
  return *opened;
}

template <class T>
Pool& Registry::typed_pool(PoolId id) {
  Pool& found = pool(id);
  MOBULA_CHECK(
      found.type().id == core::StringId32(component_name<T>()) && found.is_schema() == SchemaComponent<T>,
      "pool " + found.instance_name() + " holds " + found.type().name + ", not " + std::string(component_name<T>()));
  found.check_size(sizeof(T));
  return found;
}

template <class... Ts>
inline const Registry::Composition& Registry::composition() {
  const std::uint32_t slot = composition_slot<Ts...>;
  if (slot < compositions_.size() && compositions_[slot]) [[likely]]
    return *compositions_[slot];
  return open_composition(slot, std::array{&pool<Ts>()...});
}

template <class First, class... Rest>
  requires(!std::convertible_to<First&, std::span<Entity>>)
inline Entity Registry::create(First first, Rest... rest) {
  return create_of<First, Rest...>(std::move(first), std::move(rest)...);
}

// Everything that may throw comes before the entity exists; moving a component does not throw.
namespace detail {
template <class... Ts>
inline constexpr bool are_distinct = true;
template <class First, class... Rest>
inline constexpr bool are_distinct<First, Rest...> = (!std::is_same_v<First, Rest> && ...) && are_distinct<Rest...>;
}  // namespace detail

template <class... Ts, class... Arguments>
inline Entity Registry::create_of(Arguments&&... arguments) {
  static_assert(detail::are_distinct<Ts...>, "an entity has one component of a type and instance name");
  const Composition& made_of = composition<Ts...>();
  Pool* const* const pools = made_of.pools.data();
  const std::uint32_t index = index_.entities().next_index();
  journal_.make_room();
  std::size_t prepared = 0;
  const std::array<SparseSet::Place, sizeof...(Ts)> places{
      (static_cast<void>(sizeof(Ts)), pools[prepared++]->make_room(index))...};
  if (watched_) [[unlikely]]
    make_group_room(made_of.pools, index);
  const Entity entity = index_.create(made_of.prototype);
  if (!entity) [[unlikely]]
    return entity;
  std::size_t next = 0;
  const auto push = [&]<class T, class Argument>(std::type_identity<T> /*type*/, Argument&& argument) {
    Pool& pool = *pools[next];
    construct_component<T>(pool.typed_address<T>(pool.size()), std::forward<Argument>(argument));
    pool.commit(index, places[next++]);
    if constexpr (!SchemaComponent<T>) note_growth(pool);
  };
  (push(std::type_identity<Ts>(), std::forward<Arguments>(arguments)), ...);
  journal_.note(JournalEntry::Kind::create, entity);
  if (watched_ || !created_.empty()) [[unlikely]]
    emit_created_with(entity, made_of.pools);
  return entity;
}

inline Registry::PreparedAdd Registry::prepare_add(Entity entity, Pool& pool, bool schema, bool watched) {
  EntityPool::PrototypePlace prototype;
  if (!watched) prototype = index_.entities().find_flat_prototype_place(entity);
  if (watched ? !valid(entity) : !prototype) [[unlikely]]
    misuse::dead_entity("adding", entity, pool.instance_name());
  if (watched) {
    prototype = index_.entities().prototype_place(entity.index);
    make_group_room(pool, entity);
  }
  const PrototypeId from = prototype.get();
  const SparseSet::Place place = pool.make_room(entity.index);
  if (!schema) {
    if (!place.is_free()) [[unlikely]]
      fail_add(entity, pool);
    return {place};
  }
  journal_.make_room();
  const PrototypeId to = index_.prototypes().with(from, pool.id());
  if (to == PrototypeTable::impossible) [[unlikely]]
    fail_add(entity, pool);
  return {place, prototype, from, to};
}

// Whether the constructor has left the entity as it was prepared. A server-only component has no prototype to keep.
inline bool Registry::is_unchanged(Entity entity, const PreparedAdd& prepared) {
  if (!valid(entity)) return false;
  return !prepared.prototype || (prepared.prototype == index_.entities().prototype_place(entity.index) &&
                                 prepared.prototype.get() == prepared.from);
}

// The rare call gets a copy: a value without an address stays in registers.
template <class T>
inline T& Registry::add_in(Entity entity, Pool& pool, T& value) {
  if (pool.watch() == nullptr) [[likely]]
    return *emplace_unnotified<T>(entity, pool, false, std::move(value));
  T moved(std::move(value));
  return emplace_watched<T>(entity, pool, std::move(moved));
}

template <class T, class... Arguments>
inline T& Registry::emplace_in(Entity entity, Pool& pool, Arguments&&... arguments) {
  if (pool.watch() != nullptr) [[unlikely]]
    return emplace_watched<T>(entity, pool, std::forward<Arguments>(arguments)...);
  return *emplace_unnotified<T>(entity, pool, false, std::forward<Arguments>(arguments)...);
}

template <class T, class... Arguments>
[[gnu::noinline]] T& Registry::emplace_watched(Entity entity, Pool& pool, Arguments&&... arguments) {
  emplace_unnotified<T>(entity, pool, true, std::forward<Arguments>(arguments)...);
  emit_constructed(pool, entity);
  T* const added = try_get_in<T>(entity, pool);
  if (added == nullptr) [[unlikely]]
    misuse::lost_while_added(entity, pool.instance_name(), !valid(entity));
  return *added;
}

template <class T, class... Arguments>
inline T* Registry::emplace_unnotified(Entity entity, Pool& pool, bool watched, Arguments&&... arguments) {
  constexpr bool schema = SchemaComponent<T>;
  const PreparedAdd prepared = prepare_add(entity, pool, schema, watched);
  [[maybe_unused]] const std::uint64_t version = pool.version();
  T* const made = construct_component<T>(pool.typed_address<T>(pool.size()), std::forward<Arguments>(arguments)...);
  if constexpr (!std::is_trivially_constructible_v<T, Arguments...>) {  // only then it calls code of the game
    if (pool.version() != version || (pool.watch() != nullptr) != watched || !is_unchanged(entity, prepared))
        [[unlikely]]
      misuse::changed_by_constructor(entity, pool.instance_name());
  }
  commit_add(entity, pool, schema, prepared);
  return made;
}

template <class T>
void Registry::add(std::span<const Entity> given, T value) {
  Pool& target = pool<T>();
  const EntityList own(lists_, given);
  const std::span<const Entity> entities = own.entities;
  prepare_add(entities, target);
  [[maybe_unused]] const bool watched = target.watch() != nullptr;
  std::uint32_t made = 0;
  core::Undo undo([&] {
    while (made-- > 0) std::destroy_at(target.typed_address<T>(target.size() + made));
  });
  [[maybe_unused]] const std::uint64_t version = target.version();
  for (; made < entities.size(); ++made) ::new (target.typed_address<T>(target.size() + made)) T(value);
  undo.dismiss();
  if constexpr (!std::is_trivially_copy_constructible_v<T>) {  // only then it calls code of the game
    if (target.version() != version || (target.watch() != nullptr) != watched ||
        !std::ranges::all_of(entities, [this](Entity each) { return valid(each); }))
      misuse::changed_by_constructor(entities.front(), target.instance_name());
  }
  commit_add(entities, target);
  if (target.watch() != nullptr) emit_constructed(target, entities);
}

template <SchemaComponent... Ts>
bool Registry::create(std::span<Entity> out, Ts... values) {
  static_assert(detail::are_distinct<Ts...>, "an entity has one component of a type and instance name");
  if constexpr (sizeof...(Ts) > 0) {
    if (out.size() == 1) {
      const Entity entity = create_of<Ts...>(values...);
      if (entity) out[0] = entity;
      return static_cast<bool>(entity);
    }
  }
  const std::array<Pool*, sizeof...(Ts)> pools{&pool<Ts>()...};
  const std::array<const std::byte*, sizeof...(Ts)> bytes{reinterpret_cast<const std::byte*>(&values)...};
  return create_with(out, pools, bytes);
}

template <class T>
inline T* Registry::try_get_in(Entity entity, Pool& pool) {
  const std::uint32_t position = find_component(entity, pool);
  if (position == Pool::none) return nullptr;
  if constexpr (!std::is_const_v<T>) pool.mark_held(position);
  return pool.typed_address<T>(position);
}

template <class T>
inline T& Registry::get_in(Entity entity, Pool& pool) {
  T* found = try_get_in<T>(entity, pool);
  if (found == nullptr) [[unlikely]]
    misuse::nothing_to_get(entity, pool.instance_name());
  return *found;
}

template <class T>
T* Registry::try_get(Entity entity) const {
  static_assert(std::is_const_v<T>, "a const registry is only read");
  const Pool* found = existing_pool<std::remove_const_t<T>>();
  if (found == nullptr) return nullptr;
  const std::uint32_t position = find_component(entity, *found);
  return position == Pool::none ? nullptr : found->typed_address<T>(position);
}

template <class T>
T& Registry::get(Entity entity) const {
  T* found = try_get<T>(entity);
  if (found == nullptr) [[unlikely]]
    misuse::nothing_to_get(entity, component_name<std::remove_const_t<T>>());
  return *found;
}

template <class T>
Lookup<T> Registry::lookup() {
  return {index_.entities(), pool<std::remove_const_t<T>>()};
}

template <class T>
Lookup<T> Registry::lookup(PoolId pool) {
  return {index_.entities(), typed_pool<std::remove_const_t<T>>(pool)};
}

template <class T, class Function>
void Registry::patch(Entity entity, Function&& function) {
  Pool& patched = pool<T>();
  function(get_in<T>(entity, patched));
  const bool stays = valid(entity) && patched.contains(entity.index);  // else the function has removed it
  if (stays && patched.watch() != nullptr) patched.watch()->signals.update.emit({&entity, 1});
}

template <class... Excluded>
ExcludedPools Registry::excluded_pools() {
  static_assert(sizeof...(Excluded) <= ExcludedPools::max_count, "a view excludes at most 8 components");
  return {{&pool<Excluded>()...}, sizeof...(Excluded)};
}

template <class... Ts>
View<Ts...> Registry::view_of(const std::array<PoolId, sizeof...(Ts)>& pools, std::span<const PoolId> excluded) {
  MOBULA_CHECK(excluded.size() <= ExcludedPools::max_count, "a view excludes at most 8 components");
  ExcludedPools without;
  for (const PoolId id : excluded) without.pools[without.count++] = &pool(id);
  std::size_t next = 0;
  return {index_.entities(), {&typed_pool<detail::PlainComponent<Ts>>(pools[next++])...}, without};
}

template <class T, class Function>
void Registry::each_instance(Function&& function) {
  const core::StringId32 type(component_name<std::remove_const_t<T>>());
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    Pool& instance = *pools_[i];
    if (instance.type().id != type) continue;
    View<T>(index_.entities(), {&instance}, {}).each([&](Entity entity, T& component) {
      function(entity, instance.instance(), component);
    });
  }
}

template <class... Owned, class... Required, class... Excluded>
Group<Owned..., Required...> Registry::group(With<Required...> /*required*/, Exclude<Excluded...> /*excluded*/) {
  GroupSet& set = open_group(
      {{&pool<std::remove_const_t<Owned>>()...}, {&pool<std::remove_const_t<Required>>()...}, {&pool<Excluded>()...}});
  return {index_.entities(), set, {&pool<std::remove_const_t<Owned>>()..., &pool<std::remove_const_t<Required>>()...}};
}

}  // namespace mobula::ecs
