// Observers of a pool's changes: the groups that depend on it, and listeners.
#pragma once

#include <mobula/ecs/signal.hpp>
#include <vector>

namespace mobula::ecs {

class GroupSet;

/// construct: after components were added. update: after patch() or an overwriting command. destroy: before components
/// are removed.
struct PoolSignals {
  explicit PoolSignals(std::string_view component)
      : construct("construct", component), update("update", component), destroy("destroy", component) {}

  Signal construct;
  Signal update;
  Signal destroy;
};

/// Observers of a pool's changes.
struct PoolWatch {
  /// Keeps the view of the component's name.
  explicit PoolWatch(std::string_view component) : signals(component) {}

  PoolSignals signals;
  std::vector<GroupSet*> groups;  // require or exclude the pool's component
};

}  // namespace mobula::ecs
