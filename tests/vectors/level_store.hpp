// A resource store in a temporary folder that holds one level.
#pragma once

#include <headless/temporary_folder.hpp>
#include <mobula/client/connection/resource_store.hpp>
#include <mobula/client/files/resource_folder.hpp>

namespace mobula::test {

struct LevelStore {
  /// Stores the clients' part of a level.
  explicit LevelStore(core::ByteView level)
      : folder(std::move(*client::TemporaryFolder::make())), store(*client::ResourceFolder::open(folder.path())) {
    const core::ContentHash identity = (*resource::Resource::from_bytes(level))->identity();
    const core::Result<bool> stored = store.receive(identity, level.size())->append(0, level);
    MOBULA_ASSERT(stored.ok() && *stored, "a new folder takes a level");
  }

  client::TemporaryFolder folder;
  client::ResourceFolder store;
};

}  // namespace mobula::test
