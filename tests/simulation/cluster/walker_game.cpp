#include <mobula/schema/demo_commands_generated.h>

#include <algorithm>
#include <cmath>
#include <mobula/schema/engine.hpp>
#include <mobula/server/game/commands.hpp>
#include <simulation/cluster/walker_game.hpp>

namespace mobula::sim {
namespace {

constexpr float pace = 0.3F;                  // metres per tick
constexpr std::uint32_t straight_ticks = 60;  // after which a walker takes another direction
constexpr std::uint32_t child_one_in = 5;
constexpr std::uint32_t birth_one_in = 40;  // ticks of a zone

void set_value(ecs::Registry& registry, ecs::Entity entity, ecs::Tick tick) {
  auto& avatar = registry.get<demo::Avatar>(entity);
  avatar.score = tick;
  registry.get<demo::Health>(entity).current = value_of(avatar.player, tick);
}

// Those that the game may end, by Health::maximum.
constexpr std::uint16_t mortal = 1;
constexpr std::uint16_t lasting = 2;

bool rests(std::uint32_t number) { return number % WalkerGame::rests_one_in == 0; }

}  // namespace

server::CommandTable WalkerGame::commands() {
  using demo::commands::Move;
  server::Commands<demo::commands::Command, demo::commands::BodyTraits> all;
  all.add<Move>(
      [this](server::World& world, const server::Player& player, const Move& move,
             const server::CommandContext& /*context*/) -> core::Status {
        auto* const avatar = world.registry().try_get<demo::Avatar>(player.entity);
        if (avatar == nullptr) return core::Error{"no avatar", "it has ended"};
        if (world.is_ghost(player.entity)) census_.fail("a command of a player who has left is executed");
        const auto number = static_cast<std::uint32_t>(move.x());
        census_.on_command(player.account, number, avatar->tags);
        avatar->tags = number;
        return core::Done{};
      },
      server::RateLimit{.per_second = 1000, .burst = 1000});
  return all.table();
}

core::Status WalkerGame::start(server::World& world) {
  for (std::uint32_t i = 0; i < config_.walkers; ++i) {
    const core::Result<ecs::Entity> one = make(world, Kind::forever);
    if (!one) return one.error();
    if (i % child_one_in != 0) continue;
    const core::Result<ecs::Entity> child = make(world, Kind::forever);
    if (!child) return child.error();
    world.registry().get<engine::Transform>(*child).position = {.x = 1, .y = 0, .z = 0};
    if (core::Status tied = world.hierarchy().set_parent(*child, *one); !tied) return tied;
  }
  return core::Done{};
}

engine::Vec3 WalkerGame::any_place(server::World& world) const {
  const server::Region& region = world.zone()->region;
  const auto within = [&](float least, float most) {
    return world.random().uniform(std::max(least, -config_.extent), std::min(most, config_.extent));
  };
  return {.x = within(region.x_min, region.x_max), .y = 0, .z = within(region.z_min, region.z_max)};
}

core::Result<ecs::Entity> WalkerGame::make(server::World& world, Kind kind) {
  const std::uint32_t number = census_.new_number(kind == Kind::forever);
  const core::Result<ecs::Entity> made =
      world.create(engine::Transform{.position = any_place(world)}, demo::Avatar{.player = number},
                   demo::Health{.maximum = kind == Kind::mortal ? mortal : lasting});
  if (made) set_value(world.registry(), *made, world.tick());
  return made;
}

core::Result<ecs::Entity> WalkerGame::join(server::World& world, const server::Player& player) {
  if (player.entity) return player.entity;
  ++census_.players;
  return make(world, Kind::player);
}

void WalkerGame::leave(server::World& world, const server::Player& player) {
  if (player.entity) world.destroy(player.entity);
}

void WalkerGame::walk(engine::Transform& transform, std::uint32_t number, ecs::Tick tick) const {
  constexpr float circle = 6.2831853F;
  const float angle = circle * static_cast<float>(value_of(number, tick / straight_ticks)) / 65536;
  engine::Vec3& at = transform.position;
  at.x = std::clamp(at.x + pace * std::cos(angle), -config_.extent, config_.extent);
  at.z = std::clamp(at.z + pace * std::sin(angle), -config_.extent, config_.extent);
}

void WalkerGame::tick(server::World& world) {
  ecs::Registry& registry = world.registry();
  std::vector<ecs::Entity> own;
  std::vector<ecs::Entity> mortals;
  registry.view<const demo::Avatar, const demo::Health>().each(
      [&](ecs::Entity entity, const demo::Avatar&, const demo::Health& health) {
        if (world.is_ghost(entity)) return;
        own.push_back(entity);
        if (health.maximum == mortal) mortals.push_back(entity);
      });
  for (const ecs::Entity entity : own) {
    const std::uint32_t number = registry.get<const demo::Avatar>(entity).player;
    const bool is_child = registry.try_get<const engine::Parent>(entity) != nullptr;
    if (rests(number)) continue;
    set_value(registry, entity, world.tick());
    if (!is_child && !census_.stands_still) walk(registry.get<engine::Transform>(entity), number, world.tick());
  }
  if (census_.stands_still) return;
  if (world.random().chance(1, birth_one_in)) static_cast<void>(make(world, Kind::mortal));
  if (mortals.empty() || !world.random().chance(1, birth_one_in)) return;
  world.destroy(mortals[world.random().below(static_cast<std::uint32_t>(mortals.size()))]);
}

}  // namespace mobula::sim
