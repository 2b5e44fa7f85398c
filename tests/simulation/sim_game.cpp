#include <mobula/schema/demo_commands_generated.h>

#include <algorithm>
#include <cmath>
#include <ecs/allocations.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/index/properties.hpp>
#include <mobula/server/game/commands.hpp>
#include <reflect/compile_schema.hpp>
#include <simulation/sim_game.hpp>
#include <utility>

namespace mobula::sim {

const std::shared_ptr<const reflect::Schema>& schema_of(const Plan& plan) {
  static const std::shared_ptr<const reflect::Schema> predicted = test::load_predicted_game_schema();
  if (plan.has_rules) return rules_schema();
  return plan.predicts ? predicted : test::game_schema();
}

SimGame::SimGame(const Plan& plan, std::uint32_t run, const Watchers& watchers)
    : UpheavalGame(plan.seed + 0x9e3779b9ull * run),
      seed_(plan.seed),
      entities_(plan.entities),
      run_(run),
      census_(watchers.census),
      steps_(watchers.steps),
      views_(watchers.views),
      has_rule_(plan.hides && plan.seed % 2 == 0),
      has_large_(plan.has_large),
      has_rules_(plan.has_rules),
      rewinds_(plan.rewinds),
      schema_(schema_of(plan)) {
  census_.server_starts();
  hides = plan.hides;
  changes_max = plan.changes_max;
}

core::Status SimGame::start(server::World& world) {
  const core::Status started = UpheavalGame::start(world);
  while (things.size() < entities_) {
    things.push_back(world.registry().create());
    world.registry().add<engine::Transform>(things.back()).position.x = random.uniform(-60, 60);
  }
  return started;
}

// Ticks of 50 ms: on a bad path an honest view is several ticks behind its command.
std::optional<server::RewindConfig> SimGame::rewind() const {
  if (!rewinds_) return std::nullopt;
  return server::RewindConfig{.components = {"Transform", "Parent", "Cuts"},
                              .window = 600 * core::millisecond,
                              .view_age_max = 500 * core::millisecond};
}

void SimGame::effect(server::World& world, const prediction::Effect& effect) {
  steps_.on_effect(effect);
  if (effect.name != ran_effect) return;
  const auto played = core::load<RanPlay>(effect.payload.data());
  census_.command_took_effect(players_.at(played.player), play_command(played.play), world.tick());
}

// Restored players join again with their avatars.
core::Status SimGame::load(server::World& world, core::ByteView /*saved*/) {
  world.registry().entities().each([&](ecs::Entity entity) { things.push_back(entity); });
  std::ranges::sort(things);
  return core::Done{};
}

core::Result<ecs::Entity> SimGame::join(server::World& world, const server::Player& player) {
  {
    const ecs::test::UncountedBytes own;
    players_[player.id] = player;
  }
  core::Result<ecs::Entity> joined = admit(world, player);
  if (joined) add_puck(world.registry(), *joined);
  return joined;
}

core::Result<ecs::Entity> SimGame::admit(server::World& world, const server::Player& player) {
  if (!player.entity) {
    const core::Result<ecs::Entity> joined = UpheavalGame::join(world, player);
    if (!joined) return joined;
    census_.joined(player);
    census_.gave(player.id, *joined);
    return joined;
  }
  census_.joined(player);
  census_.gave(player.id, player.entity);
  std::erase(things, player.entity);
  if (std::ranges::find(avatars, player.entity) == avatars.end()) avatars.push_back(player.entity);
  if (!world.registry().has<server::Relevance>(player.entity))
    world.registry().add<server::Relevance>(player.entity).owner = player.id;
  last_player = std::max(last_player, player.id);
  return player.entity;
}

// The viewpoint is an entity that may be destroyed.
core::Status SimGame::spectate(server::World& world, const server::Player& player) {
  if (!things.empty()) world.viewer(player.id).set_viewpoints({&things.front(), 1});
  return core::Done{};
}

void SimGame::leave(server::World& world, const server::Player& player) {
  if (player.spectator) return;
  census_.left(player);
  std::erase(avatars, player.entity);
  if (world.registry().valid(player.entity)) UpheavalGame::leave(world, player);
}

void SimGame::level_changed(server::World& world, const server::LevelChange& change) {
  steps_.touch_all();
  for (const auto& [entity, successor] : change.removed)
    if (!world.registry().valid(entity))
      census_.fail("an entity is destroyed before the game knows that it is removed");
  census_.followed(change);
}

// An avatar may be dead, or have lost its Health.
server::CommandTable SimGame::commands() {
  using demo::commands::Move;
  server::Commands<demo::commands::Command, demo::commands::BodyTraits> all;
  all.add<Move>([this](server::World& world, const server::Player& player, const Move& move,
                       const server::CommandContext& context) -> core::Status {
    if (rewinds_) views_.judge(world, player, context, test::move_command(move.x(), move.z()));
    const auto note_effect = [&] {
      census_.command_took_effect(player, test::move_command(move.x(), move.z()), world.tick());
      return core::Done{};
    };
    constexpr float largest = 1 << 24;  // floats are exact for integers up to it
    const auto is_number = [](float value) { return value >= 0 && value <= largest; };
    if (!is_number(move.x()) || !is_number(move.z())) return core::Error{"out of range", "no such number"};
    const float program = std::floor(move.x() / program_step);
    const float x = move.x() - program * program_step;
    census_.command_ran(player, static_cast<std::uint32_t>(program), static_cast<std::uint32_t>(move.z()));
    if (x == no_move) return note_effect();
    if (!(x >= 0 && x <= 100)) return core::Error{"out of range", "0 to 100"};
    demo::Health* health = world.registry().try_get<demo::Health>(player.entity);
    if (health == nullptr) return core::Error{"no health", "nothing to change"};
    health->current = static_cast<std::uint16_t>(x);
    return note_effect();
  });
  // Some are refused, although clients have predicted them.
  if (has_rules_) all.add_predicted<demo::commands::WalkTo>(server::RateLimit{.per_second = 3, .burst = 2});
  return all.table();
}

// Each tick has a random source of its own: a fault changes later ticks as little as possible, so that a failing plan
// can be shrunk.
void SimGame::tick(server::World& world) {
  if (has_rules_) {
    steps_.after_step(world);
    rule_.registry = &world.registry();
  }
  if (changes_max != 0) rule_.tick = world.tick();
  random = core::Random(core::hash64(core::as_bytes(&seed_, 1), std::uint64_t{run_} << 32 | world.tick()));
  UpheavalGame::tick(world);
  if (changes_max == 0 || things.empty()) return;
  std::erase_if(things, [&](ecs::Entity thing) { return !world.registry().valid(thing); });
  drift(world.registry());
  reparent(world);
  teleport(world);
  if (has_rules_) disturb_pucks(world.registry());
  dress(world.registry());
  aim(world);
  set_property(world);
  spawn(world);
  if (hides) hide(world.registry());
  send_events(world);
  replace_avatar(world);
  if (has_large_) haul(world.registry());
  std::erase_if(things, [&](ecs::Entity thing) { return !world.registry().valid(thing); });
  if (things.empty() || !random.chance(1, 50)) return;
  world.destroy_tree(any_thing());
  std::erase_if(things, [&](ecs::Entity thing) { return !world.registry().valid(thing); });
  std::erase_if(avatars, [&](ecs::Entity avatar) { return !world.registry().valid(avatar); });
}

// Moves and turns some entities evenly, so that they keep their courses.
void SimGame::drift(ecs::Registry& registry) {
  constexpr float end = 60;
  for (const ecs::Entity thing : things) {
    engine::Transform* const transform = thing.index % 3 == 0 ? registry.try_get<engine::Transform>(thing) : nullptr;
    if (transform == nullptr) continue;
    transform->position.z += 0.01f * static_cast<float>(thing.index % 20);
    if (!(transform->position.z < end)) transform->position.z = -end;
    const float half = 0.01f * static_cast<float>(thing.index % 4);
    const auto& [x, y, z, w] = transform->rotation;
    const float c = std::cos(half);
    const float s = std::sin(half);
    transform->rotation = {x * c + z * s, y * c + w * s, z * c - x * s, w * c - y * s};
  }
}

void SimGame::add_puck(ecs::Registry& registry, ecs::Entity entity) const {
  if (!has_rules_ || !entity || registry.has<Puck>(entity)) return;
  auto& puck = registry.add<Puck>(entity);
  puck.position = {.x = 0, .y = 0, .z = static_cast<float>(entity.index % 20)};
  if (!registry.has<Grip>(entity)) registry.add<Grip>(entity);
}

// Gives things pucks and takes them away, moves pucks, darts and avatars, and gives them other owners.
void SimGame::disturb_pucks(ecs::Registry& registry) {
  constexpr std::uint32_t pucks_least = 12;
  ecs::Pool& pool = registry.pool<Puck>();
  if (pool.size() < pucks_least) add_puck(registry, any_thing());
  if (pool.size() == 0 || !random.chance(1, 8)) return;
  const ecs::Entity entity = registry.entities().at(pool.indices()[random.below(pool.size())]);
  switch (random.below(5)) {
    case 4:
      if (auto* const grip = registry.try_get<Grip>(entity))
        grip->strength = static_cast<std::uint8_t>(random.below(3));
      return;
    case 0: registry.remove<Puck>(entity); return;
    case 1: registry.get<Puck>(entity).position.x = random.uniform(-50, 50); return;
    case 2: registry.get<Puck>(entity).velocity = {.x = random.uniform(-40, 40), .y = 1, .z = 0}; return;
    default:
      if (auto* const relevance = registry.try_get<server::Relevance>(entity))
        relevance->owner = random.below(last_player + 1);
  }
}

void SimGame::reparent(server::World& world) {
  if (!random.chance(1, 4)) return;
  const ecs::Entity child = any_thing();
  const ecs::Entity parent = random.chance(1, 3) ? ecs::null_entity : any_thing();
  static_cast<void>(world.hierarchy().set_parent(child, parent));  // cycles are refused
}

void SimGame::teleport(server::World& world) {
  if (!random.chance(1, 4)) return;
  const ecs::Entity thing = any_thing();
  auto* const transform = world.registry().try_get<engine::Transform>(thing);
  if (transform == nullptr) return;
  transform->position = {random.uniform(-60, 60), 0, random.uniform(-60, 60)};
  world.cut(thing);
}

// Uses two instances of one component type.
void SimGame::dress(ecs::Registry& registry) {
  if (!random.chance(1, 3)) return;
  const ecs::Entity thing = any_thing();
  const ecs::PoolId pool = registry.pool_of<demo::RenderData>(random.chance(1, 2) ? "Fog" : "Body");
  if (!registry.pool(pool).contains(thing.index)) {
    static_cast<void>(registry.add_bytes(thing, pool));
  } else if (random.chance(1, 3)) {
    registry.remove(thing, pool);
  } else {
    reinterpret_cast<demo::RenderData*>(registry.try_write(thing, pool))->tint = random.below(1u << 24);
  }
}

// Gives some entities more components than a datagram holds, changes one or all of them, or removes them.
void SimGame::haul(ecs::Registry& registry) {
  constexpr std::uint32_t crates = 70;  // each at most 25 bytes
  const ecs::Entity thing = any_thing();
  if (thing.index % 8 != 0 || !random.chance(1, 2)) return;
  const std::uint32_t dice = random.below(6);
  const std::uint32_t one = random.below(crates);
  for (std::uint32_t i = 0; i < crates; ++i) {
    const ecs::PoolId pool = registry.pool_of<demo::Name>("crate " + std::to_string(i));
    const bool there = registry.pool(pool).contains(thing.index);
    if (there && dice == 0) registry.remove(thing, pool);
    if (there && dice != 1 && i != one) continue;
    if (dice == 0) continue;
    std::byte* const crate = there ? registry.try_write(thing, pool) : registry.add_bytes(thing, pool);
    reinterpret_cast<demo::Name*>(crate)->text.fill(static_cast<char>('a' + random.below(26)));
  }
}

// Sets a target: a living entity, or a handle that has died since. Uses the world's random source, which is saved.
void SimGame::aim(server::World& world) {
  if (!world.random().chance(1, 6)) return;
  ecs::Registry& registry = world.registry();
  const ecs::Entity thing = any_thing();
  const ecs::Entity at = any_thing();
  if (!registry.has<demo::Target>(thing)) registry.add<demo::Target>(thing);
  registry.get<demo::Target>(thing).entity = {at.index, at.generation};
}

// Sets any property by name, as scripts and tools do. Invalid values are refused.
void SimGame::set_property(server::World& world) {
  if (!random.chance(1, 4)) return;
  index::Properties properties(world.registry(), world.schema(), world.names());
  const ecs::Entity thing = any_thing();
  const std::vector<index::PropertyInfo> all = *properties.list(thing);
  for (std::uint32_t more = all.empty() ? 0 : 1 + random.below(3); more > 0; --more) {
    const index::PropertyInfo& one = all[random.below(static_cast<std::uint32_t>(all.size()))];
    std::string path(one.path);
    if (one.field.count > 1) path.insert(one.field.array_at, "[0]");
    if (one.type != "Parent") static_cast<void>(properties.set(thing, one.component, path, any_value(one.field)));
  }
}

// Entity values are left to aim() and reparent().
reflect::Value SimGame::any_value(const reflect::Field& field) {
  using Kind = reflect::FieldKind;
  if (!field.enum_values.empty())
    return field.enum_values[random.below(static_cast<std::uint32_t>(field.enum_values.size()))].value;
  if (field.kind == Kind::boolean) return random.chance(1, 2);
  if (reflect::is_float(field.kind)) return double{random.uniform(-60, 60)};
  if (reflect::is_integer(field.kind)) return std::int64_t{random.below(100)};
  if (field.kind == Kind::string_id) return core::StringId32{random.below(3)};
  if (field.kind == Kind::fixed_string) return std::string_view(random.chance(1, 2) ? "Manta" : "");
  if (field.kind == Kind::unit_quaternion)
    return reflect::Quaternion{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), 1};
  return false;
}

// Spawns a prefab with children at once.
void SimGame::spawn(server::World& world) {
  if (world.level() == nullptr || things.size() > 2 * entities_ || !random.chance(1, 30)) return;
  const core::Result<ecs::Entity> spawned = world.spawn("boar");
  if (spawned) things.push_back(*spawned);
}

// Creates an entity that few players can see.
void SimGame::hide(ecs::Registry& registry) {
  if (things.size() > 2 * entities_ || !random.chance(1, 10)) return;
  things.push_back(registry.create());
  registry.add<engine::Transform>(things.back()).position.x = random.uniform(-60, 60);
  registry.add<server::Relevance>(things.back()) = {.layer = static_cast<std::uint8_t>(random.below(2)),
                                                    .interest_group = random.below(3)};
}

// Returns null if the world is full.
ecs::Entity SimGame::make_avatar(server::World& world, std::uint32_t player) {
  const core::Result<ecs::Entity> made =
      world.create(engine::Transform{}, demo::Health{}, demo::Inventory{}, server::Relevance{.owner = player});
  if (!made) return ecs::null_entity;
  add_puck(world.registry(), *made);
  avatars.push_back(*made);
  return *made;
}

// A player dies and gets another entity, dies and stays dead, or takes a thing over, which may be another player's.
void SimGame::replace_avatar(server::World& world) {
  if (!random.chance(1, 10)) return;
  const std::uint32_t player = 1 + random.below(last_player + 1);
  const server::Viewer* const viewer = world.try_viewer(player);
  if (viewer == nullptr || viewer->is_spectator()) return;
  const ecs::Entity former = world.player_entity(player);
  ecs::Entity next = any_thing();
  if (random.chance(2, 3)) {
    if (former) world.destroy(former);
    std::erase(avatars, former);
    next = ecs::null_entity;
    if (random.chance(2, 3)) next = make_avatar(world, player);
  }
  if (next || random.chance(1, 2)) world.set_player_entity(player, next);  // a dead entity counts as none
  census_.gave(player, next);
}

void SimGame::send_events(server::World& world) {
  using For = Event::For;
  if (!random.chance(1, 2)) return;
  const bool reliable = random.chance(1, 2);
  switch (random.below(3)) {
    case 0: return send(world, server::Audience::everyone(), {.run = run_, .whom = For::all, .reliable = reliable});
    case 1: {
      const std::uint32_t player = 1 + random.below(last_player + 1);
      return send(world, server::Audience::player(player),
                  {.run = run_, .whom = For::one, .player = player, .reliable = reliable});
    }
    default:
      return send(world, server::Audience::seers_of(any_thing()),
                  {.run = run_, .whom = For::seers, .reliable = reliable});
  }
}

void SimGame::send(server::World& world, const server::Audience& audience, Event event) {
  event.tick = world.tick();
  Event* const last = event.whom == Event::For::all ? &last_for_all_ : &last_for_[event.player];
  const bool follows = event.reliable != 0 && event.whom != Event::For::seers;
  event.number = follows ? last->number + 1 : ++other_events_;
  event.before = follows ? last->tick : 0;
  if (follows) *last = event;
  static_cast<void>(
      world.events().send(core::as_bytes(&event, 1), audience,
                          event.reliable != 0 ? server::Reliability::reliable : server::Reliability::unreliable));
}

}  // namespace mobula::sim
