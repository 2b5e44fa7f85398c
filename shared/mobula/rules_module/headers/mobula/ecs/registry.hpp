// Registry of a rules module. It takes the place of <mobula/ecs/registry.hpp> where rules are compiled to WebAssembly.
// It has the functions that a step needs. The host fills it before each step and drops it after.
//
// Entities and rows ascend by index. Rows do not move, as those of the native pools: a step may keep a reference while
// it spawns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/ecs/component_type.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/misuse.hpp>
#include <mobula/rules_module/column_type.hpp>
#include <mobula/rules_module/list.hpp>
#include <span>

namespace mobula::ecs {

using PoolId = std::uint32_t;
inline constexpr PoolId no_pool = ~0u;
using Tick = std::uint32_t;

/// Column of one component type.
class Pool {
 public:
  static constexpr std::uint32_t none = ~0u;

  [[nodiscard]] PoolId id() const { return type_->number; }
  [[nodiscard]] const rules_module::ColumnType& type() const { return *type_; }
  [[nodiscard]] core::StringId32 instance() const { return type_->id; }
  [[nodiscard]] std::string_view instance_name() const { return type_->name; }
  [[nodiscard]] std::uint32_t size() const { return indices_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return indices_.all(); }
  /// Returns the position of an entity's component, or `none`.
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const;
  [[nodiscard]] bool contains(std::uint32_t index) const { return find(index) != none; }
  [[nodiscard]] std::byte* address(std::uint32_t position) const {
    return blocks_[position / block_size] + std::size_t{position % block_size} * type_->size;
  }
  template <class T>
  [[nodiscard]] T* typed_address(std::uint32_t position) const {
    return reinterpret_cast<T*>(address(position));
  }
  void mark_changed(std::uint32_t position) { changed_[position] = true; }
  [[nodiscard]] bool is_changed(std::uint32_t position) const { return changed_[position]; }
  /// Appends a row of zeros, of an index above all others. Returns its position.
  std::uint32_t append(std::uint32_t index);

 private:
  friend class Registry;
  static constexpr std::uint32_t block_size = 64;  // rows

  const rules_module::ColumnType* type_ = nullptr;
  rules_module::List<std::uint32_t> indices_;
  rules_module::List<bool> changed_;  // beside indices_
  rules_module::List<std::byte*> blocks_;
};

/// Entities that exist, ascending by index.
class EntityList {
 public:
  [[nodiscard]] std::span<const Entity> all() const { return entities_.all(); }
  /// Adds an entity. Does nothing if it is there. Checks that no other has its index.
  void insert(Entity entity);
  /// Returns the entity of an index; null if there is none.
  [[nodiscard]] Entity at(std::uint32_t index) const;
  /// Returns false: a client has no ghosts of other zones.
  static bool is_ghost(Entity /*entity*/) { return false; }

 private:
  rules_module::List<Entity> entities_;
};

/// Entities and their components.
class Registry {
 public:
  /// Opens a pool for each component type of the module.
  Registry();

  [[nodiscard]] const EntityList& entities() const { return entities_; }
  [[nodiscard]] bool valid(Entity entity) const { return entity && entities_.at(entity.index) == entity; }
  /// Returns false if the index is beyond those that the host has room for.
  bool create_given(Entity entity) {
    if (entity.index >= indices_end_) return false;
    entities_.insert(entity);
    return true;
  }
  void set_indices_end(std::uint32_t end) { indices_end_ = end; }
  template <class T>
  [[nodiscard]] Pool& pool() {
    return pools_[rules_module::column_type<std::remove_const_t<T>>.number];
  }
  [[nodiscard]] Pool& pool(PoolId pool) { return pools_[pool]; }
  [[nodiscard]] const Pool& pool(PoolId pool) const { return pools_[pool]; }
  [[nodiscard]] std::span<const Pool> pools() const { return pools_.all(); }
  [[nodiscard]] PoolId find_pool(core::StringId32 type, core::StringId32 instance) const;
  template <class T>
  [[nodiscard]] T* try_get(Entity entity) const {
    return reinterpret_cast<T*>(
        find_row(entity, rules_module::column_type<std::remove_const_t<T>>.number, !std::is_const_v<T>));
  }
  /// Adds a component to an entity whose index is above those that have one.
  template <class T>
  void add(Entity entity, const T& value) {
    std::memcpy(add_row(entity, rules_module::column_type<T>.number), &value, sizeof(T));
  }

  // Never called: a client's step is given its handles, and hides what it destroys.
  template <class... Ts>
  Entity create(const Ts&... /*values*/) {
    core::check_failed("a module creates given entities only");
  }
  void destroy(Entity /*entity*/) { core::check_failed("a module hides the entities that it destroys"); }

 private:
  // Returns a component, null if there is none. A row that is written counts as changed.
  [[nodiscard]] std::byte* find_row(Entity entity, PoolId pool, bool writes) const;
  [[nodiscard]] std::byte* add_row(Entity entity, PoolId pool);

  EntityList entities_;
  std::uint32_t indices_end_ = ~0u;
  rules_module::List<Pool> pools_;  // by number of the type
};

}  // namespace mobula::ecs
