// Random worlds and sudden ends: the restored world is exactly that of the last checkpoint.
#include <signal.h>
#include <sys/wait.h>

#include <mobula/core/format.hpp>
#include <mobula/server/store/database.hpp>
#include <seeds.hpp>
#include <server/store/store_world.hpp>

namespace mobula::store {
namespace {

void copy_by_sqlite(const std::string& from, const std::string& to) {
  core::Result<Database> database = Database::open(from, Database::Access::existing);
  ASSERT_TRUE(database.ok());
  database->run("VACUUM INTO " + literal(to));
  ASSERT_FALSE(database->failed()) << database->take_error()->message;
}

// Each second world is a zone.
ecs::OwnIndices indices_of(std::uint64_t seed) {
  return seed % 2 == 0 ? ecs::OwnIndices{.first = 64, .end = 5000} : ecs::OwnIndices{};
}

// Copies the files as a killed process would leave them, or by SQLite during a write.
TEST(StoreModel, ACopyIsACompleteCheckpoint) {
  test::for_each_seed(1, test::few_or_all(2, 6), 60, [](std::uint64_t seed) {
    const TestFolder folder;
    core::Random random(seed);
    const ecs::OwnIndices own = indices_of(seed);
    std::map<ecs::Tick, Model> saved{{0, {}}};
    std::set<ecs::Entity> ever;
    ecs::Tick newest = 0;
    for (int life = 0; life < 3; ++life) {
      Reopened read(folder.file(), own);
      ASSERT_EQ(read.tick, newest);
      ASSERT_EQ(read.world.model(), saved.at(newest));
      StoreWorld& world = read.world;
      Store& store = *read.store;
      EXPECT_TRUE(store.begin(world.registry).ok());
      std::uint64_t checkpoints = 0;
      for (int tick = 0; tick < 20; ++tick) {
        world.change(random, static_cast<int>(random.below(30)));
        const Model now = world.model();
        const ecs::Tick at = world.registry.tick();
        if (!random.chance(1, 3)) {
          store.note();
          world.end_tick();
          continue;
        }
        if (!save(store, world)) continue;
        ++checkpoints;
        saved.emplace(at, now);
        if (random.chance(1, 3)) continue;  // the next save may find the writer busy
        const std::string copied = folder.file(core::format("{}.db", at));
        const bool during_write = random.chance(1, 2);
        if (!during_write) settle(store, checkpoints);
        during_write ? copy_by_sqlite(folder.file(), copied) : copy_world(folder.file(), copied);
        const Reopened copy(copied, own);
        EXPECT_TRUE(during_write || copy.tick == at);
        ASSERT_TRUE(saved.contains(copy.tick)) << copy.tick;
        EXPECT_EQ(copy.world.model(), saved.at(copy.tick));
      }
      settle(store, checkpoints);
      if (checkpoints > 0) newest = store.status().tick;
      for (const ecs::Entity entity : world.ever) EXPECT_FALSE(ever.contains(entity)) << to_string(entity);
      ever.merge(world.ever);
      // The store ends without finish(), like a killed process.
    }
  });
}

// Saves ticks until it is killed. Writes {tick, hash of the model} to `out` before a save and {tick, 0} after it.
[[noreturn]] void run_until_killed(const std::string& path, std::uint64_t seed, int out) {
  core::Random random(seed);
  core::Result<std::unique_ptr<Store>> store = Store::open({.path = path, .schema = kitchen_schema()});
  if (!store) ::_exit(1);
  StoreWorld world((*store)->incarnation());
  if ((*store)->has_world() && !(*store)->restore(world.registry).ok()) ::_exit(2);
  if (!(*store)->begin(world.registry).ok()) ::_exit(4);
  std::uint64_t checkpoints = 0;
  for (;;) {
    world.change(random, 20);
    const std::size_t hash = std::hash<std::string>()(testing::PrintToString(world.model()));
    const ecs::Tick tick = world.registry.tick();
    const std::uint64_t line[2] = {tick, hash};
    if (::write(out, line, sizeof line) != sizeof line) ::_exit(3);
    if (save(**store, world)) settle(**store, ++checkpoints);
    const std::uint64_t done[2] = {tick, 0};
    if (::write(out, done, sizeof done) != sizeof done) ::_exit(3);
  }
}

TEST(StoreModel, AKilledProcessLosesNothingThatWasOnTheDisk) {
  test::for_each_seed(1, test::few_or_all(1, 3), 100, [](std::uint64_t seed) {
    const TestFolder folder;
    core::Random random(seed);
    for (int life = 0; life < 4; ++life) {
      int pipe[2];
      ASSERT_EQ(::pipe(pipe), 0);
      const std::uint64_t child_seed = random.next();
      const pid_t child = ::fork();
      if (child == 0) {
        ::close(pipe[0]);
        run_until_killed(folder.file(), child_seed, pipe[1]);
      }
      ::close(pipe[1]);
      std::map<std::uint64_t, std::uint64_t> announced;
      std::uint64_t done = 0;
      std::uint64_t line[2];
      const std::uint32_t lines = 2 + random.below(60);
      for (std::uint32_t i = 0; i < lines && ::read(pipe[0], line, sizeof line) == sizeof line; ++i)
        line[1] == 0 ? void(done = line[0]) : void(announced[line[0]] = line[1]);
      ::usleep(random.below(3000));
      ::kill(child, SIGKILL);
      while (::read(pipe[0], line, sizeof line) == sizeof line)
        line[1] == 0 ? void(done = line[0]) : void(announced[line[0]] = line[1]);
      ::close(pipe[0]);
      int status = 0;
      ::waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << status;

      const Reopened read(folder.file());
      EXPECT_GE(read.tick, done);
      ASSERT_TRUE(announced.contains(read.tick)) << read.tick;
      EXPECT_EQ(std::hash<std::string>()(testing::PrintToString(read.world.model())), announced[read.tick]);
    }
  });
}

}  // namespace
}  // namespace mobula::store
