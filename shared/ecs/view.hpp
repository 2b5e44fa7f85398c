// The entities that have all of some components. Walks the smallest pool and looks the
// others up. `const T` reads; `T` counts as written.
// Runs from the end to the start, so that the function may remove components of, or
// destroy, the entity it is given; entities that it makes are not visited.
#pragma once

#include <array>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/pool.hpp>
#include <type_traits>
#include <utility>

namespace mobula::ecs {

template <class... Ts>
class View {
 public:
  View(const EntityPool& entities, std::array<Pool*, sizeof...(Ts)> pools) : entities_(entities), pools_(pools) {}

  // function(Entity, Ts&...)
  template <class Function>
  void each(Function&& function) {
    const Pool* lead = pools_[0];
    for (const Pool* pool : pools_)
      if (pool->size() < lead->size()) lead = pool;
    for (std::uint32_t position = lead->size(); position-- > 0;) {
      if (position >= lead->size()) continue;  // the function removed several
      visit(lead->indices()[position], function, std::index_sequence_for<Ts...>{});
    }
  }

 private:
  template <class Function, std::size_t... Is>
  void visit(std::uint32_t index, Function& function, std::index_sequence<Is...> /*all*/) {
    const std::array<std::uint32_t, sizeof...(Ts)> positions{pools_[Is]->find(index)...};
    if (((positions[Is] == Pool::none) || ...)) return;
    function(entities_.at(index), component<Ts>(*pools_[Is], positions[Is])...);
  }

  template <class T>
  static T& component(Pool& pool, std::uint32_t position) {
    if constexpr (std::is_const_v<T>) {
      return *reinterpret_cast<T*>(pool.at(position));
    } else {
      return *reinterpret_cast<T*>(pool.at_mutable(position));
    }
  }

  const EntityPool& entities_;
  std::array<Pool*, sizeof...(Ts)> pools_;
};

}  // namespace mobula::ecs
