#include <mobula/schema/demo_commands_generated.h>

#include <algorithm>
#include <cmath>
#include <mobula/server/game/commands.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <numbers>
#include <string>
#include <vectors/motions.hpp>
#include <vectors/vector_game.hpp>

namespace mobula::test {
namespace {

constexpr std::uint32_t hidden_group = 9;  // no viewer joins it
constexpr int code_max = 511;              // greatest code in vectors::Turn

// Returns the smallest three parts of a rotation. The omitted part counts as positive.
vectors::Turn smallest_three(const engine::Quat& q) {
  const float parts[] = {q.x, q.y, q.z, q.w};
  vectors::Turn turn;
  for (std::uint8_t i = 1; i < 4; ++i)
    if (std::abs(parts[i]) > std::abs(parts[turn.largest])) turn.largest = i;
  const float sign = parts[turn.largest] < 0 ? -1.f : 1.f;
  std::uint16_t* const codes[] = {&turn.a, &turn.b, &turn.c};
  for (std::size_t i = 0, next = 0; i < 4; ++i) {
    if (i == turn.largest) continue;
    const float code = (sign * parts[i] * std::numbers::sqrt2_v<float> + 1) * code_max / 2;
    *codes[next++] = static_cast<std::uint16_t>(std::clamp(static_cast<int>(std::lround(code)), 0, code_max));
  }
  return turn;
}

}  // namespace

std::vector<server::Layer> VectorGame::layers() const {
  return options_.flies ? Squadron::layers() : std::vector<server::Layer>{};
}

server::CommandTable VectorGame::commands() {
  if (!options_.obeys) return {};
  using demo::commands::Move;
  server::Commands<demo::commands::Command, demo::commands::BodyTraits> all;
  all.add<Move>([](server::World& world, const server::Player& player, const Move& move,
                   const server::CommandContext& /*context*/) -> core::Status {
    if (!(move.x() >= 0 && move.x() < refused_from)) return core::Error{"out of range", "no such place"};
    world.registry().get<vectors::Body>(player.entity).position.x = move.x();
    return core::Done{};
  });
  return all.table();
}

core::Status VectorGame::start(server::World& world) {
  if (options_.flies) {
    squadron_.start(world);
    return core::Done{};
  }
  const auto add = [&](ecs::Entity entity, const engine::Vec3& axis, float rate) {
    tumblers_.push_back({.entity = entity, .velocity = {}, .axis = axis, .angle = 0, .rate = rate});
    world.registry().add<server::Relevance>(entity);
  };
  add(*world.create(vectors::Body{}, vectors::Wide{}), {0, 1, 0}, 40);
  add(*world.create(vectors::Cube{}), {1, 2, 3}, 25);
  add(*world.create(vectors::Body{}, vectors::Cube{}, vectors::Bag{}), {3, 1, 1}, 11);
  const ecs::Entity named = *world.create(vectors::Body{});
  world.registry().add<vectors::Wide>(named, {}, world.registry().pool_of<vectors::Wide>("Plan"));
  return core::Done{};
}

core::Result<ecs::Entity> VectorGame::join(server::World& world, const server::Player& player) {
  const core::Result<ecs::Entity> entity = world.create(vectors::Body{}, vectors::Bag{});
  if (!entity) return entity;
  player_ = *entity;
  world.registry().add<server::Relevance>(player_).owner = player.id;
  if (options_.flies) squadron_.join(world, player_);
  return entity;
}

void VectorGame::leave(server::World& world, const server::Player& player) { world.destroy(player.entity); }

void VectorGame::tick(server::World& world) {
  if (options_.flies) return squadron_.tick(world, !at_rest);
  if (at_rest) return;
  ++ticks_;
  for (Tumbler& each : tumblers_) move(world, each);
  ecs::Registry& registry = world.registry();
  if (ticks_ % 3 == 0) fill_bag(world, registry.get<vectors::Bag>(tumblers_[2].entity));
  if (ticks_ % 4 == 0 && registry.valid(player_)) fill_bag(world, registry.get<vectors::Bag>(player_));
  if (ticks_ % 7 == 0) replace_short_lived(world);
  if (world.level() != nullptr) change_level(world);
  if (options_.regains) regain(world);
  if (options_.hoards) hoard(world);
}

void VectorGame::move(server::World& world, Tumbler& tumbler) {
  if (world.random().chance(1, 6)) tumbler.rate += world.random(-9, 9);
  if (world.random().chance(1, 4)) {
    tumbler.velocity = {.x = world.random(-1, 1), .y = 0, .z = world.random(-1, 1)};
  }
  tumbler.angle = std::fmod(tumbler.angle + tumbler.rate, 360.f);
  const engine::Quat rotation = turned(tumbler.axis, tumbler.angle);
  if (auto* body = world.registry().try_get<vectors::Body>(tumbler.entity)) {
    if (world.random().chance(1, 15)) body->position.x = world.random(-500, 500);
    advance(body->position, tumbler.velocity);
    body->rotation = rotation;
  }
  if (auto* cube = world.registry().try_get<vectors::Cube>(tumbler.entity)) {
    advance(cube->position, tumbler.velocity);
    cube->turn = smallest_three(rotation);
  }
  if (auto* wide = world.registry().try_get<vectors::Wide>(tumbler.entity)) {
    vectors::Five& five = wide->five;
    for (float* each : {&five.a, &five.b, &five.c, &five.d}) *each += std::abs(tumbler.velocity.x) * 8;
    five.e = world.random(0, 1000);
    wide->half = {.shown = world.random(0, 1), .hidden = world.random(0, 1)};
  }
}

// Uses other numbers of slots, from none to all: slots that are no longer in use become zeros.
void VectorGame::fill_bag(server::World& world, vectors::Bag& bag) {
  constexpr vectors::Mood moods[] = {vectors::Mood::sad, vectors::Mood::calm, vectors::Mood::glad};
  bag.mood = moods[world.random().below(3)];
  bag.used = static_cast<std::uint8_t>(world.random().below(4));
  for (vectors::Slot& slot : bag.slots) {
    slot.item = static_cast<std::uint16_t>(world.random().below(50));
    slot.worn = world.random().chance(1, 2);
  }
  bag.owner = world.random().chance(1, 2) ? tumblers_[0].entity : ecs::null_entity;
  bag.title = {};
  for (std::uint32_t i = world.random().below(7); i > 0; --i)
    bag.title[i - 1] = static_cast<char>('a' + world.random().below(26));
  bag.far += std::uint64_t{1} << (30 + world.random().below(4));
  bag.level = static_cast<std::int16_t>(bag.level - 3);
  ++bag.secret;
}

// All bags of an entity are filled at first and once more, and one of them now and then.
void VectorGame::hoard(server::World& world) {
  constexpr int bags = 120;
  ecs::Registry& registry = world.registry();
  if (!hoard_) hoard_ = *world.create(vectors::Body{});
  for (int i = 0; i < bags; ++i) {
    const ecs::PoolId pool = registry.pool_of<vectors::Bag>("bag " + std::to_string(i));
    const bool has = registry.pool(pool).contains(hoard_.index);
    if (has && ticks_ != 50 && ticks_ % bags != static_cast<std::uint32_t>(i)) continue;
    fill_bag(world, has ? registry.get<vectors::Bag>(hoard_, pool) : registry.add<vectors::Bag>(hoard_, {}, pool));
  }
}

// A later entity gets the same index, with another generation.
void VectorGame::replace_short_lived(server::World& world) {
  if (short_lived_) world.destroy(short_lived_);
  short_lived_ = *world.create(vectors::Wide{});
}

// The components of an entity of level.json decide what happens to it. Two entities stay as they were loaded.
void VectorGame::change_level(server::World& world) {
  ecs::Registry& registry = world.registry();
  for (const ecs::Entity entity : world.level_entities()) {
    if (!registry.valid(entity)) continue;
    const bool cube = registry.has<vectors::Cube>(entity);
    const bool bag = registry.has<vectors::Bag>(entity);
    const bool wide = registry.has<vectors::Wide>(entity);
    if (auto* body = registry.try_get<vectors::Body>(entity)) body->position.x += 0.25f;
    if (ticks_ == 30 && bag && !cube && !wide) world.destroy(entity);
    if (ticks_ == 33 && cube && wide) registry.get<vectors::Cube>(entity).position.x += 1;
    if (ticks_ == 36 && cube && !wide) registry.add<vectors::Bag>(entity);
  }
}

// An entity whose components or owner have changed is gained again without being lost. One that was out of view is
// gained after it was lost.
void VectorGame::regain(server::World& world) {
  ecs::Registry& registry = world.registry();
  const ecs::Entity composed = tumblers_[0].entity;
  if (ticks_ % 9 == 0)
    registry.has<vectors::Wide>(composed) ? registry.remove<vectors::Wide>(composed)
                                          : void(registry.add<vectors::Wide>(composed));
  auto& hidden = registry.get<server::Relevance>(tumblers_[1].entity);
  if (ticks_ % 13 == 0) hidden.interest_group = hidden.interest_group == 0 ? hidden_group : 0;
  auto& owned = registry.get<server::Relevance>(tumblers_[2].entity);
  const bool has_player = registry.valid(player_);
  if (ticks_ % 11 == 0 && has_player)
    owned.owner = owned.owner == 0 ? registry.get<const server::Relevance>(player_).owner : 0;
}

}  // namespace mobula::test
