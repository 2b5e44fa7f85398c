// The entities that have all of some components and none of others, always current: kept by the
// registry from when it is first asked for. Owned components lie in one order and are walked as bare arrays;
// `with<...>` are looked up. A group is a small value; two of the same pools are the same group.
#pragma once

#include <mobula/ecs/iteration.hpp>

namespace mobula::ecs {

// What members must have, without the group owning its order.
template <class... Ts>
struct With {};
template <class... Ts>
inline constexpr With<Ts...> with{};

template <class... Ts>
class Group {
 public:
  static_assert((detail::IteratedType<Ts>::required && ...), "members of a group have all of its components");

  Group(const EntityPool& entities, GroupSet& set, const std::array<Pool*, sizeof...(Ts)>& pools)
      : entities_(&entities), set_(&set), pools_(pools) {}

  // function(arguments...) or function(Entity, arguments...).
  template <class Function>
  void each(Function&& function) const {
    iteration().each(function);
  }
  [[nodiscard]] detail::EntityIterator<Ts...> begin() const { return detail::EntityIterator<Ts...>(iteration()); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

  [[nodiscard]] std::uint32_t size() const { return set_->size(); }
  [[nodiscard]] bool contains(Entity entity) const { return entities_->valid(entity) && set_->contains(entity.index); }
  [[nodiscard]] GroupSet& set() const { return *set_; }

 private:
  [[nodiscard]] detail::Iteration<Ts...> iteration() const { return {*entities_, pools_, *set_}; }

  const EntityPool* entities_;
  GroupSet* set_;
  std::array<Pool*, sizeof...(Ts)> pools_;
};

}  // namespace mobula::ecs
