// Who is told when a pool changes: the groups that depend on it, and listeners.
#pragma once

#include <mobula/ecs/signal.hpp>
#include <vector>

namespace mobula::ecs {

class GroupSet;

// construct: the components are there. update: patch(), or a command that overwrites, has written. destroy: they are
// still there.
struct PoolSignals {
  Signal construct;
  Signal update;
  Signal destroy;
};

struct PoolWatch {
  PoolSignals signals;
  std::vector<GroupSet*> groups;  // those that ask for, or exclude, the pool's component
};

}  // namespace mobula::ecs
