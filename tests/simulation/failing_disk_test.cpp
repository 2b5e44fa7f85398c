// The store on a disk that is full for a while or has read errors. Runs anywhere; StoreTrouble uses a real full disk
// where it may mount one.
#include <gmock/gmock.h>

#include <headless/temporary_folder.hpp>
#include <map>
#include <mobula/server/store/database.hpp>
#include <server/store/store_world.hpp>
#include <simulation/simulated_disk.hpp>

namespace mobula::sim {
namespace {

using Trouble = SimulatedDisk::Trouble;

constexpr int few = 100;
constexpr int many = 2000;

class FailingDisk : public testing::Test {
 protected:
  void begin() {
    world.reset();
    store.reset();
    store = store::open_store(folder.path() + "/world.db");
    ASSERT_NE(store, nullptr);
    world = std::make_unique<store::StoreWorld>(store->incarnation());
    ASSERT_TRUE(!store->has_world() || store->restore(world->registry).ok());
    ASSERT_TRUE(store->begin(world->registry).ok());
    store->wait_for_writer();
  }
  // Many changes do not fit a log that has room for few.
  void save(int changes) {
    world->change(random, changes);
    ASSERT_TRUE(store::save(*store, *world));
    store->wait_for_writer();
  }
  // Retries a second later.
  void try_again() {
    for (const core::Nanoseconds wait : {0 * core::second, core::second}) store->retry(now += wait);
    store->wait_for_writer();
  }

  SimulatedDisk disk{1};
  const client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  core::Random random{3};
  core::Nanoseconds now = core::second;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<store::StoreWorld> world;
};

TEST_F(FailingDisk, LosesNothingThatWasSavedWhenItIsFull) {
  begin();
  save(few);
  ASSERT_EQ(store->status().checkpoints, 1u);
  const store::Model saved = world->model();
  disk.set_trouble(Trouble::full);
  save(many);
  EXPECT_THAT(store->status().error, testing::HasSubstr("full"));
  try_again();
  EXPECT_EQ(store->status().checkpoints, 1u);
  disk.set_trouble(Trouble::none);
  begin();
  EXPECT_TRUE(world->model() == saved);
}

TEST_F(FailingDisk, SavingGoesOnWhenThereIsRoom) {
  begin();
  save(few);
  disk.set_trouble(Trouble::full);
  save(many);
  const store::Model unsaved = world->model();
  try_again();
  EXPECT_EQ(store->status().checkpoints, 1u);
  disk.set_trouble(Trouble::none);
  try_again();
  EXPECT_EQ(store->status().checkpoints, 2u);
  EXPECT_EQ(store->status().error, "");
  begin();
  EXPECT_TRUE(world->model() == unsaved);
}

// A backup to the same disk has filled it and is done: the log's space can be overwritten.
TEST_F(FailingDisk, SavingGoesOnWithoutRoomOnceTheLogIsUnread) {
  begin();
  const ecs::PoolId pool = world->pool_of("Plain", "Plain");
  const ecs::Entity entity = world->registry.create();
  world->registry.add_bytes(entity, pool);
  const auto save_another_value = [&] {
    *world->registry.try_write(entity, pool) = static_cast<std::byte>(random.next());
    ASSERT_TRUE(store::save(*store, *world));
    store->wait_for_writer();
  };
  save_another_value();
  {
    auto reader = std::move(*store::Database::open(folder.path() + "/world.db", store::Database::Access::existing));
    reader.run("BEGIN");
    EXPECT_EQ(reader.number("SELECT count(*) FROM saved_entity"), 1);
    disk.set_trouble(Trouble::full);
    for (int i = 0; i < 100 && store->status().error.empty(); ++i) save_another_value();
    ASSERT_THAT(store->status().error, testing::HasSubstr("full"));
    reader.run("COMMIT");
  }
  const std::uint64_t checkpoints = store->status().checkpoints;
  try_again();
  try_again();
  EXPECT_EQ(store->status().checkpoints, checkpoints + 1) << store->status().error;
}

TEST_F(FailingDisk, FailedNameLookupsAreRepeated) {
  begin();
  save(few);
  constexpr int names = 40;
  {
    auto other = std::move(*store::Database::open(folder.path() + "/world.db", store::Database::Access::existing));
    for (int i = 0; i < names; ++i) other.run("CREATE TABLE component_Plain_" + std::to_string(i) + " (a)");
    ASSERT_FALSE(other.failed());
  }
  for (int i = 0; i < names; ++i)
    world->registry.add_bytes(world->registry.create(), world->pool_of("Plain", std::to_string(i)));
  disk.set_trouble(Trouble::memory);
  save(few);
  ASSERT_NE(store->status().error, "") << "there was memory enough";
  disk.set_trouble(Trouble::none);
  try_again();
  EXPECT_EQ(store->status().checkpoints, 2u) << store->status().error;
}

// For a damaged file the error advises the operator to restore a copy. An intact file must not cause that advice.
TEST_F(FailingDisk, UnreadableNowIsNotDamaged) {
  begin();
  save(many);
  world.reset();
  store.reset();
  std::map<std::string, int> reasons;
  for (int i = 0; i < 300; ++i) {
    disk.set_trouble(i % 2 == 0 ? Trouble::errors : Trouble::memory);
    const auto opened =
        store::Store::open({.path = folder.path() + "/world.db", .schema = store::kitchen_schema(), .finish_tries = 1});
    const char* const reason = opened ? "" : opened.error().reason;
    ++reasons[reason];
    EXPECT_STRNE(reason, "damaged") << opened.error().message;
  }
  EXPECT_GT(reasons[""], 0);
  EXPECT_GT(reasons["file error"], 0);
  disk.set_trouble(Trouble::none);
  begin();
}

}  // namespace
}  // namespace mobula::sim
