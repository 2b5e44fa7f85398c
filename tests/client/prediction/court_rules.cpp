#include <mobula/schema/court_commands_generated.h>

#include <client/prediction/court_rules.hpp>
#include <mobula/server/game/commands.hpp>

namespace mobula::test {
namespace {

using court::Body;
using court::Crate;
using court::Heading;
using court::Stone;
using court::Surface;
using court::Thrower;
using prediction::PredictedWorld;

constexpr float edge = 30;
constexpr std::uint8_t stone_ticks = 24;
constexpr std::uint8_t cooldown_ticks = 6;

void walk(PredictedWorld& world, ecs::Entity avatar, float x, float z) {
  auto* const body = world.try_get<Body>(avatar);
  if (body == nullptr) return;
  body->velocity.x += std::clamp(x, -1.0f, 1.0f);
  body->velocity.z += std::clamp(z, -1.0f, 1.0f);
  if (auto* const heading = world.try_get<Heading>(avatar))
    heading->rotation = {.x = 0, .y = x > 0 ? 0.6f : -0.6f, .z = 0, .w = 0.8f};
}

void throw_stone(PredictedWorld& world, const prediction::Command& command, float x, float z) {
  auto* const thrower = world.try_get<Thrower>(command.entity);
  const auto* const from = world.try_get<const Body>(command.entity);
  if (thrower == nullptr || from == nullptr || thrower->cooldown > 0) return;
  thrower->cooldown = cooldown_ticks;
  ++thrower->thrown;
  const ecs::Entity stone =
      world.spawn(command, Body{.position = from->position, .velocity = {.x = x * 8, .y = 2, .z = z * 8}},
                  Stone{.left = stone_ticks});
  if (auto* const thrown = world.try_get<Body>(stone)) thrown->velocity.x += world.random(stone).uniform(-0.5f, 0.5f);
  world.effect(throw_effect, command.number);
}

void run_command(PredictedWorld& world, const prediction::Command& command) {
  const auto* const root = flatbuffers::GetRoot<court::commands::Command>(command.bytes.data());
  if (const auto* const given = root->body_as_Walk()) walk(world, command.entity, given->x(), given->z());
  if (const auto* const given = root->body_as_Throw()) throw_stone(world, command, given->x(), given->z());
}

void bounce(float& position, float& velocity) {
  if (position >= -edge && position <= edge) return;
  position = std::clamp(position, -edge, edge);
  velocity = -velocity * 0.5f;
}

// Ends a motion that rounding would continue for ever.
float slowed(float velocity, float kept) {
  const float left = velocity * kept;
  return left > -0.1f && left < 0.1f ? 0 : left;
}

void move(PredictedWorld& world) {
  const float dt = world.seconds_per_tick();
  world.each<Body>([&](ecs::Entity entity, Body& body) {
    const auto* const surface = world.try_get<const Surface>(entity);
    const float kept = 1 - (surface == nullptr ? 0.0f : surface->friction);
    body.velocity.x = slowed(body.velocity.x, kept);
    body.velocity.z = slowed(body.velocity.z, kept);
    body.position.x += body.velocity.x * dt;
    body.position.z += body.velocity.z * dt;
    bounce(body.position.x, body.velocity.x);
    bounce(body.position.z, body.velocity.z);
  });
}

void push_crates(PredictedWorld& world, ecs::Tick tick) {
  world.each<Crate, Body>([&](ecs::Entity crate, Crate& state, Body& body) {
    world.each_visible<const Thrower, const Body>([&](const Thrower& /*thrower*/, const Body& avatar) {
      const float x = body.position.x - avatar.position.x;
      const float z = body.position.z - avatar.position.z;
      const float square = x * x + z * z;
      const bool stands = avatar.velocity.x == 0 && avatar.velocity.z == 0;
      if (stands || square >= 1 || square < 0.0001f) return;
      body.velocity.x += x;
      body.velocity.z += z;
      ++state.pushes;
      world.effect(bump_effect, std::uint64_t{crate.index} << 32 | tick);
    });
  });
}

void step(PredictedWorld& world, ecs::Tick tick, std::span<const prediction::Command> commands) {
  for (const prediction::Command& command : commands) run_command(world, command);
  move(world);
  push_crates(world, tick);
  world.each<Thrower>([](Thrower& thrower) {
    if (thrower.cooldown > 0) --thrower.cooldown;
  });
  world.each<Stone>([&](ecs::Entity entity, Stone& stone) {
    if (--stone.left == 0) world.destroy(entity);
  });
}

template <class Body>
core::Bytes command_of(flatbuffers::FlatBufferBuilder& builder, court::commands::Body type,
                       flatbuffers::Offset<Body> body) {
  builder.Finish(court::commands::CreateCommand(builder, type, body.Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

}  // namespace

const prediction::Rules& court_rules() {
  static const prediction::Rules rules{.step = &step, .reads = {"Surface"}};
  return rules;
}

const std::shared_ptr<const reflect::Schema>& court_schema() {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(court::schema_bytes());
  return schema;
}

core::Bytes court_walk(float x, float z) {
  flatbuffers::FlatBufferBuilder builder(128);
  return command_of(builder, court::commands::Body::Walk, court::commands::CreateWalk(builder, x, z));
}

core::Bytes court_throw(float x, float z) {
  flatbuffers::FlatBufferBuilder builder(128);
  return command_of(builder, court::commands::Body::Throw, court::commands::CreateThrow(builder, x, z));
}

core::ByteView CourtGame::schema() const { return court::schema_bytes(); }

core::Status CourtGame::start(server::World& world) {
  for (std::size_t i = 0; i < crates.size(); ++i)
    crates[i] =
        *world.create(Body{.position = {.x = 2.0f * static_cast<float>(i), .y = 0, .z = 3}}, Crate{}, Surface{});
  return core::Done{};
}

core::Result<ecs::Entity> CourtGame::join(server::World& world, const server::Player& player) {
  const core::Result<ecs::Entity> avatar = world.create(Body{}, Heading{}, Thrower{}, Surface{});
  if (avatar) world.registry().add<server::Relevance>(*avatar).owner = player.id;
  return avatar;
}

void CourtGame::leave(server::World& world, const server::Player& player) { world.destroy(player.entity); }

server::CommandTable CourtGame::commands() {
  server::Commands<court::commands::Command, court::commands::BodyTraits> all;
  const server::RateLimit limit{.per_second = 1000, .burst = 1000};
  all.add_predicted<court::commands::Walk>(limit);
  all.add_predicted<court::commands::Throw>(limit);
  return all.table();
}

void CourtGame::effect(server::World& /*world*/, const prediction::Effect& effect) {
  effects.emplace_back(effect.name, effect.key);
}

}  // namespace mobula::test
