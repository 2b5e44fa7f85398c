// Random commands, compared with a reference model that executes them immediately.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/ecs/commands.hpp>
#include <optional>

#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using test::Health;
using test::Thought;
using test::Wide;

struct Model {
  std::optional<std::int32_t> health;
  std::optional<std::int32_t> inner;
  std::optional<std::int32_t> thought;
  std::optional<std::int32_t> wide;

  bool operator==(const Model&) const = default;
};
using Models = std::map<Entity, Model>;

// Records random commands and applies them to the model.
class Player {
 public:
  Player(Registry& registry, Commands& commands, std::uint64_t seed)
      : random_(seed), registry_(registry), commands_(commands), inner_(registry.pool_of<Health>("Inner")) {}

  void record() {
    if (random_.chance(1, 8) && models.size() < 400) {
      const auto value = static_cast<int>(random_.below(1000));
      const bool bare = random_.chance(1, 2);
      made_.push_back(known_.emplace_back(
          bare ? commands_.create() : commands_.create(Health{value}, test::make<Thought>(value), Wide{value})));
      Model& model = models[made_.back()];
      if (!bare) model.health = model.thought = model.wide = value;
      return;
    }
    if (known_.empty()) return;
    const Entity entity = known_[random_.below(static_cast<std::uint32_t>(known_.size()))];
    const auto found = models.find(entity);
    Model nothing;
    change(entity, found == models.end() ? nothing : found->second);
  }
  void apply() {
    commands_.apply();
    settle();
  }
  void forget() {
    commands_.clear();
    models = settled_;
    for (const Entity entity : made_) models[entity];
    settle();
  }
  [[nodiscard]] Models observed() const {
    Models result;
    for (const Entity entity : registry_.entities()) {
      Model& model = result[entity];
      if (const auto* health = registry_.try_get<const Health>(entity)) model.health = health->value;
      if (const auto* inner = registry_.try_get<const Health>(entity, inner_)) model.inner = inner->value;
      if (const auto* thought = registry_.try_get<const Thought>(entity)) model.thought = *thought->content;
      if (const auto* wide = registry_.try_get<const Wide>(entity)) model.wide = wide->value;
    }
    return result;
  }

  Models models;

 private:
  void change(Entity entity, Model& model) {
    const auto value = static_cast<int>(random_.below(1000));
    const Health health{value};
    switch (random_.below(10)) {
      case 0: commands_.add<Health>(entity, {value}), model.health = value; break;
      case 1: commands_.add_bytes(entity, inner_, core::as_bytes(&health, 1)), model.inner = value; break;
      case 2: commands_.add<Thought>(entity, test::make<Thought>(value)), model.thought = value; break;
      case 3: commands_.emplace<Wide>(entity, value), model.wide = value; break;
      case 4: commands_.remove<Health>(entity), model.health.reset(); break;
      case 5: commands_.remove(entity, inner_), model.inner.reset(); break;
      case 6: commands_.remove<Thought>(entity), model.thought.reset(); break;
      case 7: commands_.remove<Wide>(entity), model.wide.reset(); break;
      case 8: commands_.add_bytes(entity, inner_), model.inner = Health{}.value; break;
      default: commands_.destroy(entity), models.erase(entity);
    }
  }
  void settle() {
    settled_ = models;
    made_.clear();
    if (known_.size() > 1000) known_.erase(known_.begin(), known_.begin() + 500);
  }

  core::Random random_;
  Registry& registry_;
  Commands& commands_;
  PoolId inner_;
  std::vector<Entity> known_;  // alive or not
  std::vector<Entity> made_;   // since the last apply or clear
  Models settled_;
};

TEST(CommandsAtRandom, AgreeWithImmediateExecution) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    test::World world({.entities = {}, .pools = test::small_pages});
    static_cast<void>(world.group<Health, Thought>());  // so that world.check() covers groups too
    static_cast<void>(world.group<>(with<const Wide, const Thought>, exclude<Health>));
    Commands recorded(world);
    Player player(world, recorded, seed);
    std::size_t most = 0;
    for (int operation = 0; operation < 25'000; ++operation) {
      player.record();
      if (!random.chance(1, 60)) continue;
      random.chance(1, 10) ? player.forget() : player.apply();
      world.clear_journal();
      world.check();
      ASSERT_EQ(player.observed(), player.models);
      most = std::max(most, player.models.size());
    }
    EXPECT_GT(most, 100u);
  }
}

}  // namespace
}  // namespace mobula::ecs
