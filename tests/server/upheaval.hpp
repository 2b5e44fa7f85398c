// A game without rules: anything may happen to any entity in any tick.
#pragma once

#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <mobula/server/interest/viewer.hpp>
#include <server/tiny_game.hpp>

namespace mobula::test {

class UpheavalGame : public TinyGame {
 public:
  static constexpr float radius = 25;

  explicit UpheavalGame(std::uint64_t seed) : random(seed) {}

  [[nodiscard]] std::vector<server::Layer> layers() const override { return {{"all"}, {"near", radius, 0, true}}; }
  core::Status start(server::World& world) override {
    for (std::uint32_t i = 0; i < world.level_range().count; ++i) things.push_back(world.level_range().at(i));
    return core::Done{};
  }
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override {
    const core::Result<ecs::Entity> joined = TinyGame::join(world, player);
    if (!joined) return joined;
    world.registry().add<engine::Transform>(*joined);
    world.registry().add<demo::Inventory>(*joined);
    world.registry().add<server::Relevance>(*joined).owner = player.id;
    avatars.push_back(*joined);
    last_player = player.id;
    return joined;
  }
  void leave(server::World& world, const server::Player& player) override {
    std::erase(avatars, player.entity);
    TinyGame::leave(world, player);
  }
  void tick(server::World& world) override {
    ++ticks;
    std::erase_if(things, [&](ecs::Entity thing) { return !world.registry().valid(thing); });  // a reload destroys some
    for (std::uint32_t more = changes_max == 0 ? 0 : random.below(changes_max); more > 0; --more) change(world);
  }

  core::Random random;
  std::vector<ecs::Entity> things;
  std::vector<ecs::Entity> avatars;
  std::uint32_t changes_max = 12;
  bool hides = false;  // if some entities are visible to some players only
  std::uint32_t last_player = 0;

 private:
  void change(server::World& world) {
    ecs::Registry& registry = world.registry();
    const std::uint32_t dice = random.below(100);
    if (!avatars.empty() && dice < 20) return write(registry, avatars[pick(avatars.size())]);
    if (things.size() < 60 || dice < 26) return static_cast<void>(create(registry));
    const std::size_t place = pick(things.size());
    const ecs::Entity thing = things[place];
    if (dice < 32) {
      things.erase(things.begin() + static_cast<std::ptrdiff_t>(place));
      registry.destroy(thing);
      if (dice < 28) create(registry);
    } else if (dice < 40 && hides) {
      hide(world, thing);
    } else if (dice < 60) {
      recompose(registry, thing);
    } else {
      write(registry, thing);
    }
  }
  // A few places and priorities are values that a game should not write. They take no random numbers.
  static float any_priority(ecs::Entity thing) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float all[] = {1, 2, 0.5f, 0, -1, nan, 1e38f, 1e-30f};
    return all[thing.index % std::size(all)];
  }
  static float any_place(float place) {
    if (place > 59) return std::numeric_limits<float>::quiet_NaN();
    return place < -59 ? -std::numeric_limits<float>::infinity() : place;
  }
  std::uint32_t pick(std::size_t count) { return random.below(static_cast<std::uint32_t>(count)); }
  void create(ecs::Registry& registry) {
    things.push_back(registry.create());
    for (std::uint32_t more = random.below(4); more > 0; --more) recompose(registry, things.back());
  }
  void hide(server::World& world, ecs::Entity thing) {
    server::Relevance relevance{.layer = static_cast<std::uint8_t>(random.below(2)),
                                .interest_group = random.chance(1, 2) ? 0 : random.below(3),
                                .owner = random.chance(1, 2) ? 0 : random.below(last_player + 1),
                                .priority = any_priority(thing)};
    if (server::Relevance* there = world.registry().try_get<server::Relevance>(thing)) {
      *there = relevance;
    } else {
      world.registry().add<server::Relevance>(thing) = relevance;
    }
    server::Viewer* viewer = world.try_viewer(random.below(last_player + 1));
    if (viewer == nullptr) return;
    const std::uint32_t group = 1 + random.below(2);
    if (random.chance(1, 2)) return viewer->leave_group(group);
    static_cast<void>(viewer->join_group(group));
  }
  template <class T>
  void toggle(ecs::Registry& registry, ecs::Entity thing) {
    if (registry.has<T>(thing)) return registry.remove<T>(thing);
    registry.add<T>(thing);
  }
  void recompose(ecs::Registry& registry, ecs::Entity thing) {
    switch (random.below(5)) {
      case 0: return toggle<demo::Velocity>(registry, thing);
      case 1: return toggle<demo::Health>(registry, thing);
      case 2: return toggle<demo::Inventory>(registry, thing);
      case 3: return toggle<demo::Name>(registry, thing);
      default:
        if (!registry.has<engine::Parent>(thing)) toggle<engine::Transform>(registry, thing);
    }
  }
  void write(ecs::Registry& registry, ecs::Entity thing) {
    if (engine::Transform* transform = registry.try_get<engine::Transform>(thing); transform != nullptr)
      transform->position.x = any_place(random.uniform(-60, 60));
    if (demo::Health* health = registry.try_get<demo::Health>(thing); health != nullptr && random.chance(1, 2))
      health->current = static_cast<std::uint16_t>(random.below(3));
    if (demo::Inventory* inventory = registry.try_get<demo::Inventory>(thing)) {
      inventory->items[0] = static_cast<std::uint8_t>(random.below(3));
      inventory->item_count = static_cast<std::uint8_t>(random.below(2));
    }
    if (demo::Name* name = registry.try_get<demo::Name>(thing))
      name->text[0] = static_cast<char>('a' + random.below(3));
  }
};

}  // namespace mobula::test
