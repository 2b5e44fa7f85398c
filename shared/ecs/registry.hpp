// One world's entities and components. A pool is identified by (component type,
// instance name); a component's default instance name is its type's name.
//
// Access through `const T` reads; access through `T` is taken as a write and stamps the
// current tick, which the publisher, and whoever else asks, finds later.
// Misuse (a stale handle, a double add, a missing component) asserts; try_ forms answer.
// Used by one thread at a time.
#pragma once

#include <memory>
#include <mobula/core/assert.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/component_type.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/journal.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/prototype.hpp>
#include <mobula/ecs/view.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mobula::ecs {

struct RegistryConfig {
  EntityPoolConfig entities;
  PoolConfig pools;
};

class Registry {
 public:
  static constexpr std::uint32_t max_pools = 4096;

  explicit Registry(RegistryConfig config = {});
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Component types and pools ------------------------------------------------------------

  // Refused ("name collision") if another type has the same id.
  core::Result<const ComponentType*> register_type(ComponentType type);
  [[nodiscard]] const ComponentType* find_type(core::StringId32 id) const;
  // Finds or makes the pool of a registered type. Refused: "unknown component", "too many pools",
  // "name collision" (two instance names of one hash).
  core::Result<PoolId> open_pool(core::StringId32 type, std::string_view instance_name);
  // none if there is no such pool.
  [[nodiscard]] PoolId find_pool(core::StringId32 type, core::StringId32 instance) const;
  [[nodiscard]] Pool& pool(PoolId id) { return *pools_[id]; }
  [[nodiscard]] const Pool& pool(PoolId id) const { return *pools_[id]; }
  [[nodiscard]] std::uint32_t pool_count() const { return static_cast<std::uint32_t>(pools_.size()); }
  static constexpr PoolId no_pool = ~0u;

  // The default pool of a C++ type. A schema component's type must be registered; a local
  // component's is registered on first use.
  template <class T>
  PoolId pool_of();
  // The pool of a schema component under an instance name of its own.
  template <SchemaComponent T>
  PoolId pool_of(std::string_view instance_name);

  // Entities -----------------------------------------------------------------------------

  Entity create();
  bool create_given(Entity entity);
  EntityRange create_range(std::uint32_t count);
  void destroy(Entity entity);
  // Destroys what still lives of the range.
  void destroy_range(const EntityRange& range);
  [[nodiscard]] bool valid(Entity entity) const { return entities_.valid(entity); }
  [[nodiscard]] const EntityPool& entities() const { return entities_; }

  // Components ---------------------------------------------------------------------------

  template <class T>
  T& add(Entity entity, T value = T{});
  template <class T>
  T& get(Entity entity);  // get<const T> reads
  template <class T>
  T* try_get(Entity entity);  // null for a stale handle or a missing component
  template <class T>
  [[nodiscard]] bool has(Entity entity);
  template <class T>
  void remove(Entity entity);
  // The entities with all of Ts and none of Excluded: view<A, const B>(exclude<C>).
  template <class... Ts, class... Excluded>
  View<Ts...> view(Exclude<Excluded...> = {});

  // The same by pool, for what is known only by its bytes. `value`: type().size bytes, or empty for
  // the default value; schema components only.
  std::byte* add_bytes(Entity entity, PoolId pool, core::ByteView value = {});
  [[nodiscard]] const std::byte* try_read(Entity entity, PoolId pool) const;
  [[nodiscard]] std::byte* try_write(Entity entity, PoolId pool);
  void remove(Entity entity, PoolId pool);

  // Bulk, for spawners: first every entity of the range gets its prototype, then each column
  // arrives, such that in the end an entity has components exactly where its prototype says so.
  // prototypes[i] belongs to range.at(i).
  void assign_prototypes(const EntityRange& range, std::span<const PrototypeId> prototypes);
  void add_column(const EntityRange& range, PoolId pool, std::span<const std::uint32_t> offsets, const std::byte* rows);

  // Prototypes and change ----------------------------------------------------------------

  [[nodiscard]] PrototypeTable& prototypes() { return prototypes_; }
  [[nodiscard]] const PrototypeTable& prototypes() const { return prototypes_; }
  [[nodiscard]] PrototypeId prototype(Entity entity) const;
  [[nodiscard]] Tick tick() const { return tick_; }
  void set_tick(Tick tick) { tick_ = tick; }
  [[nodiscard]] const Journal& journal() const { return journal_; }
  void clear_journal() { journal_.clear(); }

  // Asserts that entities, prototypes and pools agree.
  void check() const;

 private:
  void note(JournalEntry::Kind kind, Entity entity, std::uint32_t count = 1);
  std::byte* append(Entity entity, PoolId pool) {
    MOBULA_ASSERT(valid(entity), dead_entity("adding", entity, pool));
    Pool& target = *pools_[pool];
    std::byte* place = target.append(entity.index);
    if (target.type().schema) {
      entities_.set_prototype(entity.index, prototypes_.with(entities_.prototype(entity.index), pool));
      note_recomposed(entity);
    }
    return place;
  }
  // Several changes of one entity in a row are one entry: the first already says look again.
  void note_recomposed(Entity entity) {
    if (journal_.empty() || journal_.back().first != entity) note(JournalEntry::Kind::recompose, entity);
  }
  [[nodiscard]] std::string dead_entity(const char* doing, Entity entity, PoolId pool) const;
  template <class T>
  PoolId open_pool_of();
  PoolId bind_slot(std::uint32_t slot, PoolId pool);
  void drop_components(std::uint32_t index);

  RegistryConfig config_;
  Tick tick_ = 1;
  EntityPool entities_;
  PrototypeTable prototypes_;
  Journal journal_;
  std::unordered_map<core::StringId32, std::unique_ptr<ComponentType>> types_;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::vector<PoolId> local_pools_;                        // of local components: destroy walks them
  std::unordered_map<std::uint64_t, PoolId> pool_by_key_;  // type << 32 | instance
  std::vector<PoolId> pool_by_slot_;                       // by type_slot<T>
};

template <class T>
PoolId Registry::pool_of() {
  const std::uint32_t slot = type_slot<T>;
  if (slot < pool_by_slot_.size() && pool_by_slot_[slot] != no_pool) [[likely]]
    return pool_by_slot_[slot];
  return open_pool_of<T>();
}

template <class T>
[[gnu::noinline]] PoolId Registry::open_pool_of() {
  const core::StringId32 id(component_name<T>());
  if constexpr (!SchemaComponent<T>) {
    const bool registered = register_type(local_component_type<T>()).ok();
    MOBULA_ASSERT(registered, "two local component types of one name: " + std::string(component_name<T>()));
  }
  const core::Result<PoolId> opened = open_pool(id, component_name<T>());
  MOBULA_ASSERT(opened.ok(), opened.error().message);
  return bind_slot(type_slot<T>, *opened);
}

template <SchemaComponent T>
PoolId Registry::pool_of(std::string_view instance_name) {
  const core::Result<PoolId> opened = open_pool(core::StringId32(component_name<T>()), instance_name);
  MOBULA_ASSERT(opened.ok(), opened.error().message);
  return *opened;
}

template <class T>
T& Registry::add(Entity entity, T value) {
  return *::new (append(entity, pool_of<T>())) T(std::move(value));
}

template <class T>
T* Registry::try_get(Entity entity) {
  using Plain = std::remove_const_t<T>;
  if (!valid(entity)) return nullptr;
  Pool& found = pool(pool_of<Plain>());
  const std::uint32_t position = found.find(entity.index);
  if (position == Pool::none) return nullptr;
  if constexpr (std::is_const_v<T>) {
    return reinterpret_cast<T*>(found.at(position));
  } else {
    return reinterpret_cast<T*>(found.at_mutable(position));
  }
}

template <class T>
T& Registry::get(Entity entity) {
  T* found = try_get<T>(entity);
  MOBULA_ASSERT(found != nullptr, "entity " + to_string(entity) + " is dead or has no component " +
                                      std::string(component_name<std::remove_const_t<T>>()));
  return *found;
}

template <class T>
bool Registry::has(Entity entity) {
  return valid(entity) && pool(pool_of<std::remove_const_t<T>>()).contains(entity.index);
}

template <class T>
void Registry::remove(Entity entity) {
  remove(entity, pool_of<T>());
}

template <class... Ts, class... Excluded>
View<Ts...> Registry::view(Exclude<Excluded...> /*excluded*/) {
  return View<Ts...>(entities_, {&pool(pool_of<std::remove_const_t<typename detail::ViewType<Ts>::Component>>())...},
                     {&pool(pool_of<Excluded>())...});
}

}  // namespace mobula::ecs
