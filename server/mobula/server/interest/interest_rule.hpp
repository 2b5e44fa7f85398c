// The game's own part of the decision who sees what.
#pragma once

#include <mobula/ecs/entity.hpp>

namespace mobula::server {

class Viewer;

/// The game's own rule: line of sight, stealth, fog of war.
class InterestRule {
 public:
  virtual ~InterestRule() = default;
  /// Returns whether the entity and those below it may be visible. Called once per visibility query for each entity
  /// that would be visible and for its parents, in no particular order.
  [[nodiscard]] virtual bool may_see(const Viewer& viewer, ecs::Entity entity) const = 0;
};

}  // namespace mobula::server
