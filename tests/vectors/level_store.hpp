// A resource store in memory that holds one level.
#pragma once

#include <mobula/client/connection/resource_memory.hpp>

namespace mobula::test {

struct LevelStore {
  /// Stores the clients' part of a level.
  explicit LevelStore(core::ByteView level) {
    const core::Status added = store.add(level);
    MOBULA_ASSERT(added.ok(), "a new store takes a level");
  }

  client::ResourceMemory store;
};

}  // namespace mobula::test
