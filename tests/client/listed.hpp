// Reads the changes of a mirror.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <vector>

namespace mobula::test {

// Returns the entities that the mirror has handed out with a kind of change.
inline std::vector<ecs::Entity> listed(const client::Mirror& mirror, client::ChangeKind kind) {
  std::vector<ecs::Entity> entities;
  for (const client::Change& change : mirror.changes())
    if (change.kind == kind) entities.push_back(change.entity);
  return entities;
}

}  // namespace mobula::test
