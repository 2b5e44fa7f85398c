// How iteration passes components to the function: T& for T, T* for Maybe<T>. A column is one type's components, of a
// run of positions or of a block of the lead.
#pragma once

#include <array>
#include <mobula/ecs/pool.hpp>
#include <type_traits>

namespace mobula::ecs {

/// An optional component: the function receives a pointer, null if the entity has none.
template <class T>
struct Maybe {};

namespace detail {

// How iteration passes one of its types to the function.
template <class T>
struct IteratedType {
  using Component = T;
  using Argument = T&;
  static constexpr bool required = true;
};
template <class T>
struct IteratedType<Maybe<T>> {
  using Component = T;
  using Argument = T*;
  static constexpr bool required = false;
};
template <class T>
using IteratedComponent = typename IteratedType<T>::Component;
template <class T>
using IteratedArgument = typename IteratedType<T>::Argument;
template <class T>
using PlainComponent = std::remove_const_t<IteratedComponent<T>>;

template <class T>
IteratedArgument<T> as_argument(IteratedComponent<T>* component) {
  if constexpr (IteratedType<T>::required) {
    return *component;
  } else {
    return component;
  }
}

// Returns the component at a position as an argument, marked as written unless it is const. `position` is `none` only
// for an optional component.
template <class T>
IteratedArgument<T> iterated_argument(const Pool::Table& table, std::uint32_t position) {
  using Component = IteratedComponent<T>;
  if constexpr (!IteratedType<T>::required)
    if (position == SparseSet::none) return nullptr;
  if constexpr (!std::is_const_v<Component>) table.mark_changed(position);
  return as_argument<T>(table.template typed_address<Component>(position));
}

// A run, in which the components lie in one array.
template <class T>
struct RunColumn {
  IteratedComponent<T>* components;
  IteratedArgument<T> at(std::uint32_t /*index*/, std::uint32_t i) const { return components[i]; }
};
template <class T>
struct RunColumn<Maybe<T>> {
  Pool* pool;
  T* at(std::uint32_t index, std::uint32_t /*i*/) const {
    return iterated_argument<Maybe<T>>(pool->table(), pool->find(index));
  }
};

// Positions in one pool of the entities of a block of the lead.
using FoundPositions = std::array<std::uint32_t, Pool::block_size>;

// A block of the lead, whose entities were looked up. The tick is read once, as the run's is.
template <class T, bool is_lead>
class BlockColumn {
 public:
  BlockColumn(Pool& pool, std::uint32_t /*first*/, const FoundPositions& found)
      : table_(pool.table()), now_(*table_.now), found_(found.data()) {}

  [[nodiscard]] bool has(std::uint32_t k) const { return !IteratedType<T>::required || found_[k] != SparseSet::none; }
  [[nodiscard]] IteratedArgument<T> at(std::uint32_t k) const {
    using Component = IteratedComponent<T>;
    const std::uint32_t position = found_[k];
    if constexpr (!IteratedType<T>::required)
      if (position == SparseSet::none) return nullptr;
    if constexpr (!std::is_const_v<Component>) table_.change_ticks[position >> Pool::block_shift] = now_;
    return as_argument<T>(table_.template typed_address<Component>(position));
  }

 private:
  Pool::Table table_;
  Tick now_;
  const std::uint32_t* found_;
};

// The lead's own block: it is one array with one change tick.
template <class T>
class BlockColumn<T, true> {
 public:
  BlockColumn(Pool& pool, std::uint32_t first, const FoundPositions& /*found*/)
      : components_(pool.typed_address<IteratedComponent<T>>(first)),
        change_tick_(pool.table().change_ticks + (first >> Pool::block_shift)),
        now_(*pool.table().now) {}

  [[nodiscard]] bool has(std::uint32_t /*k*/) const { return true; }
  [[nodiscard]] IteratedArgument<T> at(std::uint32_t k) const {
    if constexpr (!std::is_const_v<IteratedComponent<T>>) *change_tick_ = now_;
    return as_argument<T>(&components_[k]);
  }

 private:
  IteratedComponent<T>* components_;
  Tick* change_tick_;
  Tick now_;
};

}  // namespace detail
}  // namespace mobula::ecs
