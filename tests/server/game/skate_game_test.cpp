// A whole game with rules, as the server guide shows it.
#include <gtest/gtest.h>
#include <mobula/schema/skate_commands_generated.h>

#include <map>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/wire/row_codec.hpp>
#include <server/game/skate/skate_game.hpp>
#include <server/game/skate/skate_rules.hpp>
#include <server/hamlet.hpp>
#include <skate/components.hpp>

namespace mobula::server {
namespace skate_game_test {

using skate::Skater;

const std::shared_ptr<const reflect::Schema>& skate_schema() {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(skate::schema_bytes());
  return schema;
}

core::Bytes push(float strength) {
  flatbuffers::FlatBufferBuilder builder;
  const auto body = skate::commands::CreatePush(builder, strength);
  builder.Finish(skate::commands::CreateCommand(builder, skate::commands::Body::Push, body.Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

// A client's registry with one skater, in which the same rules run.
struct Copy {
  explicit Copy(ecs::Entity entity) : skater(entity) {
    EXPECT_TRUE(reflect::register_components(registry, *skate_schema()).ok());
    EXPECT_TRUE(registry.create_given(entity));
    registry.add<Skater>(entity);
    stepped.alive.push_back(entity);
    stepped.next_local = {1u << 19, 1};
    types.emplace(std::move(*prediction::PredictedTypes::resolve(registry, *skate_schema(), skate::rules)));
  }
  void step(ecs::Tick tick, std::span<const prediction::Command> commands) {
    const prediction::StepContext context{.registry = &registry,
                                          .types = &*types,
                                          .visible = &mirror,
                                          .stepped = &stepped,
                                          .ticks_per_second = 20,
                                          .effects = &effects,
                                          .spawned = &spawned,
                                          .scratch = &scratch};
    prediction::run_step(skate::rules, context, tick, commands);
    types->predicted()[0].codec.snap_predicted(reinterpret_cast<std::byte*>(&registry.get<Skater>(skater)));
  }

  ecs::Entity skater;
  ecs::Registry registry{{.entities = {.recycling = ecs::Recycling::given}, .pools = {}}};
  ecs::Registry mirror;
  std::optional<prediction::PredictedTypes> types;
  prediction::SteppedEntities stepped;
  prediction::EffectList effects;
  std::vector<prediction::Spawned> spawned;
  prediction::StepScratch scratch;
};

TEST(SkateGame, ACopyOfTheRulesHasTheServersValuesInEachTick) {
  const std::unique_ptr<Game> game = skate::make_skate_game();
  test::Village village(*game);
  test::Village::Client& client = village.join("ada", skate_schema());
  ASSERT_TRUE(village.tick_until([&] { return static_cast<bool>(client.connection.player_entity()); }));
  const ecs::Entity entity = client.connection.player_entity();
  World& world = village.server->world();
  Copy copy(entity);
  core::Random random(7);
  std::uint64_t done = village.server->predicted_step().commands;
  std::uint32_t number = 0;
  std::map<std::uint32_t, core::Bytes> given;
  for (int i = 0; i < 400; ++i) {
    const ecs::Tick tick = world.tick();
    if (random.chance(1, 3)) {
      given[static_cast<std::uint32_t>(given.size() + 1)] = push(random.uniform(-1, 1));
      client.connection.set_command(given.rbegin()->second);
    }
    village.tick();
    std::vector<prediction::Command> commands;
    for (const std::uint64_t now = village.server->predicted_step().commands; done < now; ++done) {
      ++number;
      commands.push_back({.player = 1, .entity = entity, .number = number, .bytes = given.at(number)});
    }
    copy.step(tick, commands);
    const Skater server = world.registry().get<const Skater>(entity);
    ASSERT_EQ(server, copy.registry.get<const Skater>(entity)) << "tick " << tick;
    client.connection.set_command({});
  }
  EXPECT_GT(number, 90u);
  EXPECT_NE(world.registry().get<const Skater>(entity).x, 0.0f);
}

}  // namespace skate_game_test
}  // namespace mobula::server
