#include <mobula/schema/demo_commands_generated.h>

#include <cmath>
#include <demo/demo_commands.hpp>
#include <reflect/compile_schema.hpp>
#include <simulation/sim_rules.hpp>

namespace mobula::sim {
namespace {

using prediction::PredictedWorld;

constexpr float edge = 40;
constexpr float reach = 20;  // radius of a shove
constexpr std::uint16_t cooldown_ticks = 4;
constexpr std::uint32_t dart_ticks_least = 3;
constexpr std::uint32_t dart_ticks_more = 12;

// Turns are exact: each direction is a step on a square.
engine::Vec3 direction_of(std::uint32_t direction) {
  const auto x = static_cast<float>(direction % 8) - 3.5f;
  const auto z = static_cast<float>(direction / 8) - 3.5f;
  return {.x = x, .y = 0, .z = z};
}

void kick(PredictedWorld& world, ecs::Entity own, const Play& play) {
  auto* const puck = world.try_get<Puck>(own);
  if (puck == nullptr) return;
  const auto* const grip = world.try_get<const Grip>(own);
  const float strength = grip != nullptr && grip->strength > 1 ? 1.5f : 0.5f;
  const engine::Vec3 way = direction_of(play.direction);
  puck->velocity.x += way.x * strength;
  puck->velocity.z += way.z * strength;
}

// Throws one dart, or two.
void throw_darts(PredictedWorld& world, const prediction::Command& command, const Play& play) {
  auto* const puck = world.try_get<Puck>(command.entity);
  if (puck == nullptr || puck->cooldown > 0) return;
  puck->cooldown = cooldown_ticks;
  core::Random random = world.random(play.serial);
  const engine::Vec3 way = direction_of(play.direction);
  const Puck thrown{.position = puck->position, .velocity = {.x = way.x * 4, .y = random.uniform(-2, 2), .z = way.z}};
  for (std::uint32_t count = 1 + play.direction % 2; count > 0; --count) {
    const std::uint32_t ticks = dart_ticks_least + random.below(dart_ticks_more);
    world.spawn(command, thrown, Dart{.left = static_cast<std::uint8_t>(ticks)});
  }
  world.effect(throw_effect, play.serial);
}

void shove(PredictedWorld& world, ecs::Entity own) {
  const auto* const found = world.try_get<Puck>(own);
  if (found == nullptr) return;
  const Puck from = *found;
  world.each<Puck>([&](ecs::Entity entity, Puck& puck) {
    const float x = puck.position.x - from.position.x;
    const float z = puck.position.z - from.position.z;
    if (entity == own || x * x + z * z > reach * reach) return;
    puck.velocity.x += x * 0.5f;
    puck.velocity.z += z * 0.5f;
    ++puck.pushes;
  });
}

void run(PredictedWorld& world, const prediction::Command& command) {
  const std::optional<Play> play = read_play(command.bytes);
  if (!play) return;
  const RanPlay ran{.player = command.player, .entity = command.entity, .number = command.number, .play = *play};
  world.effect(ran_effect, play->serial, core::as_bytes(&ran, 1));
  switch (play->kind) {
    case PlayKind::kick: return kick(world, command.entity, *play);
    case PlayKind::throw_darts: return throw_darts(world, command, *play);
    case PlayKind::shove: return shove(world, command.entity);
  }
}

// Returns the share of its velocity that a puck keeps in a tick. Each level has another.
float kept_share(const PredictedWorld& world) {
  const resource::Static* const ground = world.find_static_of(core::StringId32("Obstacles"));
  return ground == nullptr ? 0.8f : 0.7f + static_cast<float>(ground->id % 1000) * 0.0002f;
}

// Ends a motion that rounding would continue for ever.
float slowed(float velocity, float kept) {
  const float left = velocity * kept;
  return left > -0.3f && left < 0.3f ? 0 : left;
}

bool bounce(float& position, float& velocity) {
  if (position >= -edge && position <= edge) return false;
  position = position < 0 ? -edge : edge;
  velocity = -velocity * 0.5f;
  return true;
}

bool move(Puck& puck, float seconds, float kept) {
  engine::Vec3& velocity = puck.velocity;
  velocity = {.x = slowed(velocity.x, kept), .y = slowed(velocity.y, kept), .z = slowed(velocity.z, kept)};
  puck.position.x += puck.velocity.x * seconds;
  puck.position.z += puck.velocity.z * seconds;
  const bool bounced_x = bounce(puck.position.x, puck.velocity.x);
  const bool bounced_z = bounce(puck.position.z, puck.velocity.z);
  return bounced_x || bounced_z;
}

void step(PredictedWorld& world, ecs::Tick tick, std::span<const prediction::Command> commands) {
  for (const prediction::Command& command : commands) run(world, command);
  const float kept = kept_share(world);
  world.each<Puck>([&](ecs::Entity entity, Puck& puck) {
    if (puck.cooldown > 0) --puck.cooldown;
    if (puck.velocity.x != 0) puck.velocity.z += world.random(entity).uniform(-0.2f, 0.2f);
    const bool bounced = move(puck, world.seconds_per_tick(), kept);
    // A dart has another handle on its client.
    if (bounced && world.try_get<const Dart>(entity) == nullptr)
      world.effect(bounce_effect, std::uint64_t{entity.index} << 32 | tick);
  });
  world.each<Dart>([&](ecs::Entity entity, Dart& dart) {
    if (dart.left <= 1) return world.destroy(entity);
    --dart.left;
  });
}

constexpr std::string_view definitions = R"(
struct Puck (component) {
  position:mobula.engine.Vec3 (range:"-64 64", step:"0.002", predicted);
  velocity:mobula.engine.Vec3 (range:"-32 32", step:"0.01", predicted);
  pushes:ushort (predicted);
  cooldown:ushort (predicted);
}
struct Dart (component) {
  left:ubyte (predicted);
}
struct Grip (component) {
  strength:ubyte (default:"1");
}
)";

}  // namespace

const prediction::Rules& sim_rules() {
  static const prediction::Rules rules{.step = &step, .reads = {"Grip"}};
  return rules;
}

const std::shared_ptr<const reflect::Schema>& rules_schema() {
  static const std::shared_ptr<const reflect::Schema> schema = test::load_game_schema_with(definitions);
  return schema;
}

core::Bytes play_command(const Play& play) {
  const std::uint32_t what = static_cast<std::uint32_t>(play.kind) * directions + play.direction;
  return client::walk_to_command(static_cast<float>(what), static_cast<float>(play.serial));
}

std::optional<Play> read_play(core::ByteView command) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(command.data());
  flatbuffers::Verifier verifier(data, command.size());
  if (!verifier.VerifyBuffer<demo::commands::Command>(nullptr)) return std::nullopt;
  const auto* const walk = flatbuffers::GetRoot<demo::commands::Command>(data)->body_as_WalkTo();
  if (walk == nullptr) return std::nullopt;
  const bool in_range =
      walk->x() >= 0 && walk->x() < 3.0f * directions && walk->z() >= 0 && walk->z() < static_cast<float>(serial_end);
  if (!in_range) return std::nullopt;
  const auto what = static_cast<std::uint32_t>(walk->x());
  return Play{.kind = static_cast<PlayKind>(what / directions),
              .direction = what % directions,
              .serial = static_cast<std::uint32_t>(walk->z())};
}

}  // namespace mobula::sim
