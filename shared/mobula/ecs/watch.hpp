// Observers of a pool's changes: the groups that depend on it, and listeners.
#pragma once

#include <mobula/ecs/signal.hpp>
#include <vector>

namespace mobula::ecs {

class GroupSet;

/// construct: after components were added. update: after patch() or an overwriting command. destroy: before components
/// are removed.
struct PoolSignals {
  Signal construct;
  Signal update;
  Signal destroy;
};

/// Observers of a pool's changes.
struct PoolWatch {
  PoolSignals signals;
  std::vector<GroupSet*> groups;  // require or exclude the pool's component
};

}  // namespace mobula::ecs
