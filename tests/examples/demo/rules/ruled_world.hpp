// A registry in which the demo's step runs among given obstacles. After each step predicted fields are rounded, as
// server and clients do it.
#pragma once

#include <mobula/schema/demo_commands_generated.h>

#include <algorithm>
#include <examples/demo/rules/rules.hpp>
#include <examples/demo/rules/step.hpp>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/schema/components.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace demo {

namespace core = mobula::core;
namespace ecs = mobula::ecs;

}  // namespace demo

namespace demo::test {

namespace prediction = mobula::prediction;
using mobula::engine::Transform;
using mobula::engine::Vec3;

inline const mobula::reflect::Schema& demo_schema() {
  static const std::shared_ptr<const mobula::reflect::Schema> schema = *mobula::reflect::Schema::load(schema_bytes());
  return *schema;
}

/// The side whose step runs. On a client, spawned entities get local handles, which ascend.
enum class Side : std::uint8_t { server, client };

class RuledWorld {
 public:
  explicit RuledWorld(std::span<const ObstacleShape> shapes = {}, std::uint32_t ticks_per_second = 20,
                      Side side = Side::server)
      : level_(Obstacles::make(shapes)),
        obstacles(level_),
        registry(side == Side::server
                     ? ecs::RegistryConfig{}
                     : ecs::RegistryConfig{.entities = {.recycling = ecs::Recycling::given}, .pools = {}}) {
    if (!mobula::reflect::register_components(registry, demo_schema()).ok()) std::abort();
    types_.emplace(std::move(*prediction::PredictedTypes::resolve(registry, demo_schema(), rules)));
    context_ = {.registry = &registry,
                .types = &*types_,
                .seed = 5,
                .ticks_per_second = ticks_per_second,
                .effects = &effects,
                .spawned = &spawned,
                .scratch = &scratch_};
    if (side == Side::client) context_.stepped = &stepped_;
  }
  RuledWorld(const RuledWorld&) = delete;
  RuledWorld& operator=(const RuledWorld&) = delete;

  ecs::Entity add_avatar(float x, float z) {
    const Pose pose{.position = {x, 0, z}, .rotation = {.x = 0, .y = 0, .z = 0, .w = 1}};
    const ecs::Entity avatar = create();
    registry.add(avatar, Transform{pose.position, pose.rotation});
    registry.add(avatar, pose);
    registry.add(avatar, Velocity{});
    registry.add(avatar, Walker{});
    avatars.push_back(avatar);
    return avatar;
  }
  // Commands of the next tick. The avatars' players are 1, 2, …
  void move(std::size_t avatar, float x, float z) {
    flatbuffers::FlatBufferBuilder builder(128);
    give(avatar, builder, commands::Body::Move, commands::CreateMove(builder, x, z).Union());
  }
  void walk_to(std::size_t avatar, float x, float z) {
    flatbuffers::FlatBufferBuilder builder(128);
    give(avatar, builder, commands::Body::WalkTo, commands::CreateWalkTo(builder, x, z).Union());
  }
  void throw_stone(std::size_t avatar, float x, float y, float z) {
    flatbuffers::FlatBufferBuilder builder(128);
    give(avatar, builder, commands::Body::Throw, commands::CreateThrow(builder, x, y, z).Union());
  }
  void tick() {
    effects.clear();
    spawned.clear();
    std::ranges::sort(given_, {}, [](const Given& each) { return std::pair(each.player, each.number); });
    std::vector<prediction::Command> commands;
    for (const Given& each : given_)
      commands.push_back({each.player, avatars[each.player - 1], each.number, each.bytes});
    prediction::PredictedWorld world(context_, registry.tick());
    step_among(obstacles, world, commands);
    given_.clear();
    if (context_.stepped != nullptr) drop_hidden();
    round();
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  template <class T>
  const T& get(ecs::Entity entity) {
    return registry.get<const T>(entity);
  }
  // Returns the stones, ascending by index.
  std::vector<ecs::Entity> stones() {
    std::vector<ecs::Entity> all;
    registry.view<const Stone>().each([&](ecs::Entity entity, const Stone&) { all.push_back(entity); });
    std::ranges::sort(all, {}, &ecs::Entity::index);
    return all;
  }

 private:
  struct Given {
    std::uint32_t player;
    std::uint32_t number;
    core::Bytes bytes;
  };

  void give(std::size_t avatar, flatbuffers::FlatBufferBuilder& builder, commands::Body type,
            flatbuffers::Offset<void> body) {
    builder.Finish(commands::CreateCommand(builder, type, body));
    const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
    given_.push_back({static_cast<std::uint32_t>(avatar) + 1, ++number_, {bytes.begin(), bytes.end()}});
  }
  ecs::Entity create() {
    if (context_.stepped == nullptr) return registry.create();
    const ecs::Entity entity = stepped_.next_local;
    registry.create_given(entity);
    stepped_.alive.push_back(entity);
    ++stepped_.next_local.index;
    return entity;
  }
  // Destroys the entities that a client's step has hidden.
  void drop_hidden() {
    for (const ecs::Entity stone : stones())
      if (!std::ranges::binary_search(stepped_.alive, stone)) registry.destroy(stone);
  }
  void round() {
    for (const prediction::PredictedTypes::Predicted& type : types_->predicted()) {
      ecs::Pool& pool = registry.pool(type.pool);
      for (std::uint32_t i = 0; i < pool.size(); ++i) type.codec.snap_predicted(pool.address(i));
    }
  }

  core::Bytes level_;

 public:
  Obstacles obstacles;
  ecs::Registry registry;
  prediction::EffectList effects;
  std::vector<prediction::Spawned> spawned;
  std::vector<ecs::Entity> avatars;

 private:
  std::optional<prediction::PredictedTypes> types_;
  prediction::StepScratch scratch_;
  prediction::StepContext context_;
  prediction::SteppedEntities stepped_{.alive = {}, .next_local = {1, 1}};
  std::vector<Given> given_;
  std::uint32_t number_ = 0;
};

inline ObstacleShape box(float x, float z, float half_x, float half_z, float sine = 0, float cosine = 1) {
  return {.x = x, .z = z, .half_x = half_x, .half_z = half_z, .sine = sine, .cosine = cosine, .top = 3};
}
inline ObstacleShape cylinder(float x, float z, float radius) { return {.x = x, .z = z, .radius = radius, .top = 3}; }
// Returns boxes and cylinders at random places within `extent` metres.
inline std::vector<ObstacleShape> random_shapes(core::Random& random, int count, float extent) {
  constexpr std::pair<float, float> turns[] = {{0, 1}, {0.6f, 0.8f}, {-0.8f, 0.6f}, {1, 0}};
  std::vector<ObstacleShape> shapes;
  for (int i = 0; i < count; ++i) {
    const float x = random.uniform(-extent, extent);
    const float z = random.uniform(-extent, extent);
    const auto [sine, cosine] = turns[random.below(4)];
    // One number in a statement: compilers differ in the order of arguments.
    const float first = random.uniform(0.2f, 2);
    const float second = random.uniform(0.2f, 3);
    shapes.push_back(random.chance(1, 2) ? cylinder(x, z, first) : box(x, z, first, second, sine, cosine));
    shapes.back().top = random.uniform(0.5f, 5);
  }
  return shapes;
}

}  // namespace demo::test
