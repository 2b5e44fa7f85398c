// Counts calls of fsync and fdatasync: saved data is on the disk, not only in the system's memory.
#include <sys/syscall.h>

#include <atomic>
#include <server/store/store_world.hpp>

namespace {

std::atomic<std::uint32_t> syncs{0};

int sync(long call, int descriptor) {
  ++syncs;
  return static_cast<int>(::syscall(call, descriptor));
}

}  // namespace

// SQLite links to these instead of the C library's.
extern "C" int fsync(int descriptor) { return sync(SYS_fsync, descriptor); }
extern "C" int fdatasync(int descriptor) { return sync(SYS_fdatasync, descriptor); }

namespace mobula::store {
namespace {

TEST(StoreDisk, AnIncarnationIsOnTheDiskBeforeItsFirstEntity) {
  const TestFolder folder;
  for (int start = 0; start < 3; ++start) {
    const std::uint32_t before = syncs;
    const auto store = open_store(folder.file());
    EXPECT_GT(syncs, before);
    const StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
  }
}

TEST(StoreDisk, ACheckpointIsOnTheDiskBeforeItCountsAsWritten) {
  const TestFolder folder;
  core::Random random(3);
  const auto store = open_store(folder.file());
  StoreWorld world(store->incarnation());
  EXPECT_TRUE(store->begin(world.registry).ok());
  for (std::uint32_t checkpoint = 1; checkpoint <= 3; ++checkpoint) {
    const std::uint32_t before = syncs;
    world.change(random, 20);
    ASSERT_TRUE(save(*store, world));
    settle(*store, checkpoint);
    EXPECT_GT(syncs, before);
  }
}

}  // namespace
}  // namespace mobula::store
