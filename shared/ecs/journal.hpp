// What changed in structure since the journal was last cleared, in order. Creates, destroys,
// adds and removes of schema components are noted; bulk work is one entry, and so are several adds and
// removes in a row of the entity that was noted last.
// Owned by the registry; whoever runs the tick clears it when all readers have read.
#pragma once

#include <cstdint>
#include <mobula/ecs/entity.hpp>
#include <vector>

namespace mobula::ecs {

struct JournalEntry {
  enum class Kind : std::uint8_t { create, destroy, recompose };

  Kind kind{};
  Entity first;  // indices first.index … first.index + count - 1, all of first.generation
  std::uint32_t count = 1;
};

using Journal = std::vector<JournalEntry>;

}  // namespace mobula::ecs
