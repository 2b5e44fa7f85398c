// Registry: one world's entities and components. A pool is identified by (component type, instance name); a
// component's default instance name is its type's name.
//
// Access through `const T` reads. Access through `T` counts as a write: it sets the change tick of the block to the
// current tick. Publisher and hierarchy find writes by these change ticks.
//
// Misuse (a stale handle, a double add, a missing component) ends the process with a message, in release builds too;
// try_ forms return null. A call interrupted by an exception of a component's constructor or an allocation changes
// nothing. If a listener throws, its change is already made or still pending. Used by one thread at a time.
#pragma once

#include <concepts>
#include <mobula/core/assert.hpp>
#include <mobula/core/owned.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/component_type.hpp>
#include <mobula/ecs/entity_index.hpp>
#include <mobula/ecs/entity_list.hpp>
#include <mobula/ecs/found_pool.hpp>
#include <mobula/ecs/group.hpp>
#include <mobula/ecs/journal.hpp>
#include <mobula/ecs/lookup.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/view.hpp>
#include <mobula/ecs/watch.hpp>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mobula::ecs {

/// Configuration of a registry.
struct RegistryConfig {
  EntityPoolConfig entities;
  PoolConfig pools;
};

/// One world's entities and components.
class Registry {
 public:
  static constexpr std::uint32_t max_pools = 4096;
  static constexpr std::size_t max_name_bytes = 255;  // schema components only: their instance names are sent

  explicit Registry(RegistryConfig config = {});
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Component types and pools ------------------------------------------------------------

  /// Registers a type. Errors: "name collision" (another type has the same id).
  core::Result<const ComponentType*> register_type(ComponentType type);
  [[nodiscard]] const ComponentType* find_type(core::StringId32 id) const;           // null if there is none
  static bool good_instance_name(const ComponentType& type, std::string_view name);  // as open_pool() requires
  /// Finds or creates the pool of a registered type. A pool stays until the registry ends, so names should come from a
  /// fixed set. Errors: "unknown component", "bad name", "too many pools", "name collision" (one hash for two names).
  core::Result<PoolId> open_pool(core::StringId32 type, std::string_view instance_name);
  /// Returns no_pool if there is no such pool.
  [[nodiscard]] PoolId find_pool(core::StringId32 type, core::StringId32 instance) const;
  /// Returns a pool by id. Fails a check if there is none.
  [[nodiscard]] Pool& pool(PoolId id) {
    MOBULA_CHECK(id < pools_.size(), "there is no such pool");
    return *pools_[id];
  }
  [[nodiscard]] const Pool& pool(PoolId id) const {
    MOBULA_CHECK(id < pools_.size(), "there is no such pool");
    return *pools_[id];
  }
  [[nodiscard]] std::uint32_t pool_count() const { return static_cast<std::uint32_t>(pools_.size()); }
  static constexpr PoolId no_pool = ecs::no_pool;

  /// Returns the default pool of a C++ type. A schema component's type must be registered; a server-only component's is
  /// registered on first use.
  template <class T>
  Pool& pool();
  template <class T>
  PoolId pool_of() {
    return pool<T>().id();
  }
  /// Returns the pool of a named instance, created if needed. Stops the process in every build if open_pool() refuses:
  /// a name that depends on input goes to open_pool().
  template <class T>
  PoolId pool_of(std::string_view instance_name);

  // Entities -----------------------------------------------------------------------------

  /// Creates an entity. null_entity if the index space is used up.
  Entity create();
  /// Creates an entity that has these components, in one step. The result is that of create() and an add() of each, in
  /// this order. `created` and then the `construct` signals of these components, in this order, receive it complete.
  template <class First, class... Rest>
    requires(!std::convertible_to<First&, std::span<Entity>>)
  Entity create(First first, Rest... rest);
  /// Fills `out` with entities without components. Returns false and creates nothing if the index space is too small.
  bool create(std::span<Entity> out);
  bool create_given(Entity entity);               // EntityPool::create_given
  EntityRange create_range(std::uint32_t count);  // empty if the index space is too small
  /// Destroys a living entity; fails a check for a dead one. Does nothing if a listener of its destruction calls it.
  void destroy(Entity entity);
  /// Destroys living, distinct entities.
  void destroy(std::span<const Entity> entities);
  /// Destroys the entities of the range that still live. Checks that create_range() or begin_spawn() made the range.
  void destroy_range(EntityRange range);
  [[nodiscard, gnu::always_inline]] bool valid(Entity entity) const { return index_.entities().valid(entity); }
  [[nodiscard]] const EntityPool& entities() const { return index_.entities(); }

  // Components ---------------------------------------------------------------------------

  /// Adds a component and returns it. Fails a check if the entity is dead or has it.
  template <class T>
  T& add(Entity entity, T value = T{}) {
    return add_in<T>(entity, pool<T>(), value);
  }
  /// Adds to a named instance. Every typed form also takes the pool, which must hold components of type T.
  template <class T>
  T& add(Entity entity, T value, PoolId pool) {
    return add_in<T>(entity, typed_pool<T>(pool), value);
  }
  /// Constructs the component in place.
  template <class T, class... Arguments>
  T& emplace(Entity entity, Arguments&&... arguments) {
    return emplace_in<T>(entity, pool<T>(), std::forward<Arguments>(arguments)...);
  }
  /// Returns a component, as do the forms with a pool; get<const T> reads. Fails a check if the entity lacks it.
  template <class T>
  T& get(Entity entity) {
    return get_in<T>(entity, pool<std::remove_const_t<T>>());
  }
  template <class T>
  T& get(Entity entity, PoolId pool) {
    return get_in<T>(entity, typed_pool<std::remove_const_t<T>>(misuse::found(entity, pool)));
  }
  /// Returns the same; null for a stale handle, a missing component or no_pool.
  template <class T>
  T* try_get(Entity entity) {
    return try_get_in<T>(entity, pool<std::remove_const_t<T>>());
  }
  template <class T>
  T* try_get(Entity entity, PoolId pool) {
    return pool == no_pool ? nullptr : try_get_in<T>(entity, typed_pool<std::remove_const_t<T>>(pool));
  }
  template <class T>
  [[nodiscard]] bool has(Entity entity) {
    return valid(entity) && pool<std::remove_const_t<T>>().contains(entity.index);
  }
  /// Reads from a const registry, which creates no pool. If the pool does not exist, no entity has the component.
  template <class T>
  T& get(Entity entity) const;
  template <class T>
  T* try_get(Entity entity) const;
  template <class T>
  [[nodiscard]] bool has(Entity entity) const {
    const Pool* found = existing_pool<std::remove_const_t<T>>();
    return found != nullptr && valid(entity) && found->contains(entity.index);
  }
  /// Returns the same access for many handles, which costs half. Valid until the next structural change.
  template <class T>
  Lookup<T> lookup();
  template <class T>
  Lookup<T> lookup(PoolId pool);
  /// Removes a component. Fails a check if the entity is dead or lacks it.
  template <class T>
  void remove(Entity entity) {
    remove_from<SchemaComponent<T> ? sizeof(T) : 0>(entity, pool<T>());
  }
  /// Calls function(T&), then the `update` listeners. Plain writes call none. Fails a check if the entity lacks it.
  template <class T, class Function>
  void patch(Entity entity, Function&& function);

  /// Adds a component known only as bytes, by pool. `value`: type().size bytes; empty for the default
  /// value. Schema components only. Returns null if a listener destroyed the entity, where typed forms fail a check.
  std::byte* add_bytes(Entity entity, PoolId pool, core::ByteView value = {});
  /// Allocates what adding the component may need: after it only listeners can throw.
  void make_room(Entity entity, PoolId id) { prepare_add(entity, pool(id)); }
  /// Adds a component of any type by moving it from `value`, which is destroyed.
  void add_moved(Entity entity, PoolId pool, void* value);
  [[nodiscard]] const std::byte* try_read(Entity entity, PoolId pool) const;  // null as for try_get()
  [[nodiscard]] std::byte* try_write(Entity entity, PoolId pool);             // the same; sets the change tick
  void remove(Entity entity, PoolId id) { remove_from<0>(entity, pool(misuse::found(entity, id))); }

  // Bulk: one journal entry per run of consecutive entities, one call per listener ---------

  /// Fills `out` with entities that have these schema components. Returns false without effect if indices run out.
  template <SchemaComponent... Ts>
  bool create(std::span<Entity> out, Ts... values);
  /// Adds a component to living, distinct entities without it.
  template <class T>
  void add(std::span<const Entity> entities, T value = T{});
  template <class T>
  void remove(std::span<const Entity> entities) {
    remove(entities, pool<T>().id());
  }
  void remove(std::span<const Entity> entities, PoolId pool);  // living, distinct entities that have it

  /// Starts a spawn: creates an entity for each prototype. The columns that follow must add exactly the components that
  /// the prototypes name. The range is empty if the index space is used up.
  EntityRange begin_spawn(std::span<const PrototypeId> prototypes);
  /// Starts a spawn of single entities, out[i] of prototypes[i]. Returns false without effect if indices run out.
  bool begin_spawn(std::span<Entity> out, std::span<const PrototypeId> prototypes);
  /// Adds a column of a spawn: row i is the component of batch.at(offsets[i]); offsets ascend. Releases check its ends.
  void add_column(const EntityBatch& batch, PoolId pool, std::span<const std::uint32_t> offsets, const std::byte* rows);
  /// Ends a spawn: entities enter their groups, and listeners receive them complete, `created` first. An entity fails
  /// a check if it is destroyed before it has the components that its prototype names.
  void end_spawn(const EntityBatch& batch);
  /// Destroys the batch with the components added so far, after a column failed. end_spawn() calls it if memory runs
  /// out before the first listener is called.
  void undo_spawn(const EntityBatch& batch) noexcept;

  // Iteration ----------------------------------------------------------------------------

  /// Returns a view of the entities with all of Ts and none of Excluded: view<A, const B>(exclude<C>).
  template <class... Ts, class... Excluded>
  View<Ts...> view(Exclude<Excluded...> /*excluded*/ = {}) {
    return {index_.entities(), {&pool<detail::PlainComponent<Ts>>()...}, excluded_pools<Excluded...>()};
  }
  template <class... Ts, class... Excluded>
  View<Ts...> view(Exclude<Excluded...> /*excluded*/ = {}) const {
    static_assert((std::is_const_v<typename detail::IteratedType<Ts>::Component> && ...),
                  "a const registry is only read");
    return const_cast<Registry*>(this)->view<Ts...>(exclude<Excluded...>);
  }
  /// Returns a view over the given pools, which hold these types in this order. Excludes up to 8 pools.
  template <class... Ts>
  View<Ts...> view_of(const std::array<PoolId, sizeof...(Ts)>& pools, std::span<const PoolId> excluded = {});
  /// Calls function(Entity, core::StringId32 instance, T&) for every component of the type, whatever its instance name.
  template <class T, class Function>
  void each_instance(Function&& function);
  /// Returns the group that owns the order of Owned and also requires Required; created on first use.
  template <class... Owned, class... Required, class... Excluded>
  Group<Owned..., Required...> group(With<Required...> /*required*/ = {}, Exclude<Excluded...> /*excluded*/ = {});

  // Listeners ----------------------------------------------------------------------------

  /// Signals of a pool. A listener may destroy entities, also those it receives: one that is being destroyed already
  /// stays so, and its listeners are called once. `construct` may add further components to the entities it receives.
  /// Other changes to them go through Commands.
  template <class T>
  PoolSignals& signals() {
    return signals(pool<T>().id());
  }
  PoolSignals& signals(PoolId pool);
  /// Returns the signal for created entities. Creates with components, spawns and snapshots add those before it.
  [[nodiscard]] Signal& created() { return created_; }
  /// Returns the signal for entities about to be destroyed, with all their components.
  [[nodiscard]] Signal& destroying() { return destroying_; }

  // Prototypes and change ----------------------------------------------------------------

  [[nodiscard]] PrototypeTable& prototypes() { return index_.prototypes(); }
  [[nodiscard]] const PrototypeTable& prototypes() const { return index_.prototypes(); }
  [[nodiscard]] PrototypeId prototype(Entity entity) const;  // fails a check if it is dead
  /// Returns the pool in which an entity has the component of an instance name; no_pool if it has none or is dead.
  [[nodiscard]] PoolId find(Entity entity, core::StringId32 name) const { return index_.find(entity, name); }
  [[nodiscard]] Tick tick() const { return tick_; }
  /// Sets the current tick. Fails a check in code of the game, as does clear_journal().
  void set_tick(Tick tick);
  [[nodiscard]] std::span<const JournalEntry> journal() const { return journal_.entries(); }  // valid until a change
  void clear_journal();

  /// Checks that no spawn lacks components. The server calls it after the code of the game.
  void check_spawned() const;
  /// Asserts that entities, prototypes, pools and groups agree.
  void check() const;

 private:
  friend class Guests;
  friend class ReadOnly;
  friend class SnapshotLoader;
  class Leaving;
  class Removal;

  // Prepared add: the place of the index, the entity's prototype and its change.
  struct PreparedAdd {
    SparseSet::Place place;
    EntityPool::PrototypePlace prototype = {};
    PrototypeId from = empty_prototype;
    PrototypeId to = empty_prototype;
  };

  // A change takes two steps: prepare_… allocates all it may need and changes nothing; commit_… cannot fail. `schema`:
  // whether the pool is of a schema component; `watched`: whether it has a watch. Typed callers know both as constants.
  PreparedAdd prepare_add(Entity entity, Pool& pool, bool schema, bool watched);
  PreparedAdd prepare_add(Entity entity, Pool& pool) {
    return prepare_add(entity, pool, pool.is_schema(), pool.watch() != nullptr);
  }
  void commit_add(Entity entity, Pool& pool, bool schema, const PreparedAdd& prepared) noexcept {
    pool.commit(entity.index, prepared.place);
    if (!schema) return note_growth(pool);
    MOBULA_ASSERT(is_unchanged(entity, prepared), "code of the game changed the entity of a prepared add");
    recompose(entity, prepared.prototype, prepared.from, prepared.to);
  }
  [[nodiscard]] bool is_unchanged(Entity entity, const PreparedAdd& prepared);
  // After each component that was added to a pool of server-only components.
  void note_growth(Pool& pool) noexcept {
    if (pool.size() == 1) [[unlikely]]
      note_occupied(pool);
  }
  void recompose(Entity entity, EntityPool::PrototypePlace prototype, PrototypeId from, PrototypeId to) noexcept {
    index_.change(prototype, from, to);
    journal_.note_recomposed(entity);
  }
  // `plain_size`: the size of the schema component, 0 if the caller does not know the type.
  template <std::size_t plain_size>
  void remove_from(Entity entity, Pool& pool) {
    if (pool.watch() != nullptr || missing_ != 0 || (plain_size == 0 && !pool.is_schema())) [[unlikely]]
      return remove_watched(entity, pool);
    const EntityPool::PrototypePlace prototype = index_.entities().find_flat_prototype_place(entity);
    if (!prototype) [[unlikely]]
      misuse::dead_entity("removing", entity, pool.instance_name());
    journal_.make_room();
    const PrototypeId from = prototype.get();
    const PrototypeId to = index_.prototypes().without(from, pool.id());
    if (to == PrototypeTable::impossible) [[unlikely]]
      misuse::missing_component(entity, pool.instance_name());
    recompose(entity, prototype, from, to);
    pool.remove_held<plain_size>(entity.index);
  }
  void prepare_add(std::span<const Entity> entities, Pool& pool);
  void commit_add(std::span<const Entity> entities, Pool& pool) noexcept;
  void check_removable(std::span<const Entity> entities, const Pool& pool) const;
  void remove_notified(std::span<const Entity> entities, Pool& pool);
  void remove_with_values(std::span<const Entity> entities, Pool& pool);
  void prepare_remove(std::span<const Entity> entities, Pool& pool);
  void commit_remove(Entity entity, Pool& pool) noexcept;
  void find_runs(std::span<const Entity> entities);
  bool create_with(std::span<Entity> out, std::span<Pool* const> pools, std::span<const std::byte* const> values);
  void make_group_room(Pool& pool, std::span<const Entity> entities);
  // Updates groups, and calls listeners, after components were added.
  void enter_groups(const Pool& pool, std::span<const Entity> entities) noexcept;
  void emit_constructed(Pool& pool, std::span<const Entity> entities);
  void emit_created_with(std::span<Entity> entities, std::span<Pool* const> pools);
  void destroy_notified(Entity entity) noexcept;
  void drop_components(std::uint32_t index, PrototypeId prototype) noexcept;
  void drop_server_only(std::uint32_t index, std::size_t end) noexcept;
  void forget_if_empty(std::size_t place) noexcept;
  void leave_groups(Entity entity) noexcept;
  // Notes that a server-only pool is no longer empty. Repeated calls have no effect.
  [[gnu::noinline]] void note_occupied(Pool& pool) noexcept;
  // For one entity, by value: a handle without an address stays in a register.
  [[gnu::noinline]] void make_group_room(Pool& pool, Entity entity);
  [[gnu::noinline]] void make_group_room(std::span<Pool* const> pools, std::uint32_t index);
  [[gnu::noinline]] void emit_constructed(Pool& pool, Entity entity);
  [[gnu::noinline]] void emit_created(Entity entity);
  [[gnu::noinline]] void emit_created_with(Entity entity, std::span<Pool* const> pools);
  [[gnu::noinline]] void destroy_watched(Entity entity);
  void destroy_watched(std::span<const Entity> entities);
  [[gnu::noinline]] void remove_watched(Entity entity, Pool& pool);
  void emit_destroying(std::span<const Entity> entities);
  void emit_destroy(std::span<const Entity> entities);
  [[nodiscard]] bool is_leaving(Entity entity) const { return leaving_.contains(entity.index); }
  [[nodiscard]] bool is_removing(Entity entity, const Pool& pool) const;
  [[nodiscard]] std::uint64_t components_of(std::span<const PrototypeId> prototypes) const;
  void check_complete(Entity entity) const;
  void check_column(const EntityBatch& batch, const Pool& pool, std::span<const std::uint32_t> offsets) const;
  void assign_prototypes(const EntityBatch& batch, std::span<const PrototypeId> prototypes) noexcept;
  void select(const EntityBatch& batch, PoolId pool, std::vector<Entity>& selected) const;
  void find_living(const EntityRange& range, std::vector<Entity>& found) const;
  [[noreturn, gnu::cold]] void fail_add(Entity entity, const Pool& pool) const;

  // Pools of a list of types, and the prototype of entities that are created with them, which is held.
  struct Composition {
    PrototypeId prototype;
    std::vector<Pool*> pools;
  };
  template <class... Ts>
  const Composition& composition();
  const Composition& open_composition(std::uint32_t slot, std::span<Pool* const> pools);

  struct PoolKey {
    std::uint64_t key;  // type << 32 | instance
    PoolId pool;

    bool operator<(const PoolKey& other) const { return key < other.key; }
  };

  // Returns the default pool of a type slot; null if it is not opened.
  [[nodiscard]] Pool* default_pool(std::uint32_t slot) const {
    return slot < near_pools_.size() ? near_pools_[slot] : far_default_pool(slot);
  }
  [[nodiscard, gnu::noinline, gnu::pure]] Pool* far_default_pool(std::uint32_t slot) const;
  template <class T>
  Pool& open_default_pool();
  Pool& open_default_pool(std::uint32_t slot, std::string_view name, bool schema, std::size_t size);
  Pool& open_server_only_pool(std::uint32_t slot, ComponentType type);
  // Returns the default pool of a C++ type; null if there is none.
  template <class T>
  [[nodiscard]] const Pool* existing_pool() const;
  template <class T>
  Pool& typed_pool(PoolId pool);
  template <class... Excluded>
  ExcludedPools excluded_pools();
  GroupSet& open_group(GroupPools pools);

  // Creates an entity with components made from the arguments, one for each type.
  template <class... Ts, class... Arguments>
  Entity create_of(Arguments&&... arguments);
  template <class T>
  T& add_in(Entity entity, Pool& pool, T& value);
  template <class T, class... Arguments>
  T& emplace_in(Entity entity, Pool& pool, Arguments&&... arguments);
  template <class T, class... Arguments>
  T* emplace_unnotified(Entity entity, Pool& pool, bool watched, Arguments&&... arguments);
  template <class T, class... Arguments>
  T& emplace_watched(Entity entity, Pool& pool, Arguments&&... arguments);
  // Returns the position of a valid entity's component, else Pool::none.
  [[nodiscard]] std::uint32_t find_component(Entity entity, const Pool& pool) const {
    if (!pool.set().has_page(entity.index)) [[unlikely]]
      return find_without_page(entity, pool);
    const std::uint32_t position = pool.set().find_in_page(entity.index);
    return position != Pool::none && entities().owns(entity) ? position : Pool::none;
  }
  [[nodiscard, gnu::noinline, gnu::pure]] std::uint32_t find_without_page(Entity entity, const Pool& pool) const;
  template <class T>
  T& get_in(Entity entity, Pool& pool);
  template <class T>
  T* try_get_in(Entity entity, Pool& pool);

  RegistryConfig config_;
  Tick tick_ = 1;
  EntityIndex index_;
  Journal journal_;
  std::vector<core::Owned<ComponentType>> types_;  // pools are destroyed before their types
  // Default pools by type_slot<T>, null if not opened. The first are in the registry itself, which saves two loads.
  std::array<Pool*, 128> near_pools_{};
  std::vector<Pool*> far_pools_;
  std::vector<core::Owned<Composition>> compositions_;  // by composition_slot<Ts...>, null if not opened
  std::vector<core::Owned<Pool>> pools_;
  // Server-only pools that are not empty, and some that have become so. destroy() checks these alone, so that pools
  // cost nothing while they are empty. Holds as many as there are server-only pools without an allocation.
  std::vector<Pool*> occupied_pools_;
  std::vector<bool> is_occupied_;        // by pool: in occupied_pools_
  std::uint32_t server_only_count_ = 0;  // pools
  std::vector<PoolId> signal_pools_;     // pools that signals() was called for, ascending
  bool watched_ = false;                 // a pool has a watch, which it never loses
  bool destructors_ = false;             // a pool's components have a destructor
  std::uint64_t missing_ = 0;            // components that spawns have yet to add
  Signal created_{"created"};
  Signal destroying_{"destroying"};
  std::vector<core::Owned<GroupSet>> groups_;
  SparseSet leaving_;  // indices of entities whose `destroy` listeners are being called
  std::vector<std::pair<const Pool*, std::span<const Entity>>> removals_;  // their listeners are being called
  EntityLists lists_;
  std::vector<EntityRun> runs_;        // scratch of bulk creates
  std::vector<PoolKey> pools_by_key_;  // sorted
};

}  // namespace mobula::ecs

#include <mobula/ecs/registry_typed.hpp>  // definitions of the typed members
