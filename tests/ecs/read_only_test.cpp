#include <gtest/gtest.h>

#include <ecs/components.hpp>
#include <mobula/ecs/read_only.hpp>

namespace mobula::ecs::test {
namespace {

TEST(ReadOnly, ReadingAndWritingAreFree) {
  World world;
  const Entity entity = world.create();
  world.add<Mana>(entity);
  const std::size_t noted = world.journal().size();
  {
    const ReadOnly reading(world, "a rule");
    world.get<Mana>(entity);
  }
  EXPECT_EQ(world.journal().size(), noted) << "earlier changes are still noted";
}

// A change right after another one to the same entity shares its entry in the log.
TEST(ReadOnlyDeathTest, EachChangeIsNamed) {
  World world;
  const Entity entity = world.create();
  world.add<Mana>(entity);
  const auto run = [&](const auto& change) {
    const ReadOnly reading(world, "a rule");
    change();
  };
  EXPECT_DEATH(run([&] { world.create(); }), "a rule creates entity 1.1: it must change no entity");
  EXPECT_DEATH(run([&] { world.destroy(entity); }), "a rule destroys entity 0.1");
  EXPECT_DEATH(run([&] { world.remove<Mana>(entity); }), "a rule adds or removes components of entity 0.1");
}

}  // namespace
}  // namespace mobula::ecs::test
