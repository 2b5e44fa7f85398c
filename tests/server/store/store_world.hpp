// Helpers of store tests: open, restore, save.
#pragma once

#include <gtest/gtest.h>

#include <mobula/server/store/store.hpp>
#include <server/store/changing_world.hpp>
#include <server/store/test_folder.hpp>

namespace mobula::store {

inline std::unique_ptr<Store> open_store(const std::string& path,
                                         const std::shared_ptr<const reflect::Schema>& schema = kitchen_schema()) {
  core::Result<std::unique_ptr<Store>> store = Store::open({.path = path, .schema = schema});
  EXPECT_TRUE(store.ok()) << store.error().message;
  return store ? std::move(*store) : nullptr;
}

// The content of a file, restored into a new world.
struct Reopened {
  explicit Reopened(const std::string& path, ecs::OwnIndices own = {})
      : store(open_store(path)), world(store->incarnation(), kitchen_schema(), own) {
    if (!store->has_world()) return;
    tick = store->saved_facts().tick;
    const auto restored = store->restore(world.registry);
    EXPECT_TRUE(restored.ok()) << restored.error().message;
    world.registry.check();
  }
  std::unique_ptr<Store> store;
  StoreWorld world;
  ecs::Tick tick = 0;
};

inline std::string open_reason(const std::string& path,
                               const std::shared_ptr<const reflect::Schema>& schema = kitchen_schema()) {
  const core::Result<std::unique_ptr<Store>> store = Store::open({.path = path, .schema = schema});
  return store ? "" : store.error().reason;
}

// Ends a tick as a server does. Returns whether a checkpoint has begun.
inline bool save(Store& store, StoreWorld& world) {
  store.note();
  const bool begun = store.checkpoint(facts_of(world.registry));
  world.end_tick();
  return begun;
}

// Waits until `checkpoints` checkpoints are on the disk. Repeats failed writes.
inline void settle(Store& store, std::uint64_t checkpoints) {
  constexpr int tries_max = 10'000;
  core::Nanoseconds now = 0;
  for (int tries = 0; store.status().checkpoints < checkpoints; ++tries) {
    ASSERT_LT(tries, tries_max) << store.status().error;
    store.retry(now += core::second);
    store.wait_for_writer();
  }
}

}  // namespace mobula::store
