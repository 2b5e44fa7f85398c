// Group: the entities that have all of some components and none of others. The registry creates it on first use and
// keeps it current. Owned components lie in one order and are iterated as bare arrays; `with<...>` are looked up. A
// Group is a small value; two with the same pools refer to the same group.
#pragma once

#include <mobula/ecs/iteration.hpp>

namespace mobula::ecs {

/// Components that members must have without the group owning their order.
template <class... Ts>
struct With {};
template <class... Ts>
inline constexpr With<Ts...> with{};

/// Handle of a group of entities.
template <class... Ts>
class Group {
 public:
  static_assert((detail::IteratedType<Ts>::required && ...), "members of a group have all of its components");

  Group(const EntityPool& entities, GroupSet& set, const std::array<Pool*, sizeof...(Ts)>& pools)
      : entities_(&entities), set_(&set), pools_(pools) {}

  /// Calls function(components...) or function(Entity, components...) for each member.
  template <class Function>
  void each(Function&& function) const {
    iteration().each(function);
  }
  [[nodiscard]] detail::EntityIterator<Ts...> begin() const { return detail::EntityIterator<Ts...>(iteration()); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

  [[nodiscard]] std::uint32_t size() const { return set_->size(); }
  /// Returns whether an entity is a member. False for a stale handle.
  [[nodiscard]] bool contains(Entity entity) const { return entities_->valid(entity) && set_->contains(entity.index); }
  [[nodiscard]] GroupSet& set() const { return *set_; }

 private:
  [[nodiscard]] detail::Iteration<Ts...> iteration() const { return {*entities_, pools_, *set_}; }

  const EntityPool* entities_;
  GroupSet* set_;
  std::array<Pool*, sizeof...(Ts)> pools_;
};

}  // namespace mobula::ecs
