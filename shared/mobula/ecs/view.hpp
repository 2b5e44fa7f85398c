// View: the entities that have all of some components and none of others, found during iteration. A view stores
// nothing and costs nothing to create. `const T` reads; `T` counts as written. It iterates the smallest pool. Changes
// allowed meanwhile: iteration.hpp.
#pragma once

#include <mobula/ecs/iteration.hpp>

namespace mobula::ecs {

/// Components that entities of a view or group must not have.
template <class... Ts>
struct Exclude {};
template <class... Ts>
inline constexpr Exclude<Ts...> exclude{};

/// Entities that have all of some components and none of others.
template <class... Ts>
class View {
 public:
  static_assert((detail::IteratedType<Ts>::required || ...), "a view asks for at least one component");

  View(const EntityPool& entities, const std::array<Pool*, sizeof...(Ts)>& pools, const ExcludedPools& excluded)
      : entities_(&entities), pools_(pools), excluded_(excluded) {}

  /// Calls function(components...) or function(Entity, components...) for each match; T& for each T, T* for each
  /// Maybe<T>.
  template <class Function>
  void each(Function&& function) const {
    iteration().each(function);
  }
  [[nodiscard]] detail::EntityIterator<Ts...> begin() const { return detail::EntityIterator<Ts...>(iteration()); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

  /// Returns an upper bound of the number of matches.
  [[nodiscard]] std::uint32_t size_hint() const { return lead().size(); }
  /// Returns whether an entity matches. False for a stale handle.
  [[nodiscard]] bool contains(Entity entity) const {
    if (!entities_->valid(entity) || excluded_.contain(entity.index)) return false;
    for (std::size_t i = 0; i < pools_.size(); ++i)
      if (detail::Iteration<Ts...>::required[i] && !pools_[i]->contains(entity.index)) return false;
    return true;
  }

 private:
  [[nodiscard]] const SparseSet& lead() const {
    const Pool* best = nullptr;
    for (std::size_t i = 0; i < pools_.size(); ++i)
      if (detail::Iteration<Ts...>::required[i] && (best == nullptr || pools_[i]->size() < best->size()))
        best = pools_[i];
    return best->set();
  }
  [[nodiscard]] detail::Iteration<Ts...> iteration() const { return {*entities_, pools_, excluded_, lead()}; }

  const EntityPool* entities_;
  std::array<Pool*, sizeof...(Ts)> pools_;
  ExcludedPools excluded_;
};

}  // namespace mobula::ecs
