#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/prediction/predicted_world.hpp>
#include <mobula/schema/chat_commands_generated.h>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/commands.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/predicted_step.hpp>
#include <reflect/compile_schema.hpp>
#include <server/hamlet.hpp>
#include <server/played_game.hpp>
#include <server/raw_client.hpp>

namespace mobula::server {
namespace {

namespace chat = ::chat::commands;
using prediction::Command;
using prediction::PredictedWorld;
using testing::ElementsAre;
using testing::HasSubstr;

// A component of a schema that is compiled from text.
struct Puck {
  static constexpr std::string_view component_name = "Puck";
  static constexpr bool has_predicted_fields = true;
  float x{};
  std::uint32_t hits{};
};

const std::shared_ptr<const reflect::Schema>& puck_schema() {
  static const std::shared_ptr<const reflect::Schema> schema =
      test::load_schema("struct Puck (component) { x:float (predicted); hits:uint; }");
  return schema;
}

struct Seen {
  std::uint32_t player;
  std::uint32_t number;
  ecs::Entity entity;
  std::string text;
  bool operator==(const Seen&) const = default;
};
// Commands that the step has received. A step has no state of its own, so a test's step writes here.
std::vector<Seen>& seen() {
  static std::vector<Seen> all;
  return all;
}

constexpr core::StringId32 said("said");

std::string text_of(core::ByteView bytes) {
  const auto* const say = flatbuffers::GetRoot<chat::Command>(bytes.data())->body_as_Say();
  return say == nullptr ? "" : say->text()->str();
}

// Notes each command. "throw" spawns a puck, "gone" one that is destroyed at once.
void note_commands(PredictedWorld& world, ecs::Tick /*tick*/, std::span<const Command> commands) {
  for (const Command& command : commands) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(command.bytes.data()) % Command::alignment, 0u);
    const std::string text = text_of(command.bytes);
    seen().push_back({command.player, command.number, command.entity, text});
    world.effect(said, command.number, core::as_bytes(text.data(), text.size()));
    if (text == "throw") world.spawn(command, Puck{.x = 1});
    if (text == "gone") world.destroy(world.spawn(command, Puck{}));
  }
  world.each<Puck>([](Puck& puck) { puck.x += 1; });
}

class PuckGame : public Game {
 public:
  [[nodiscard]] core::ByteView schema() const override { return puck_schema()->bytes(); }
  CommandTable commands() override {
    Commands<chat::Command, chat::BodyTraits> all;
    all.add_predicted<chat::Say>(RateLimit{.per_second = 20, .burst = 4});
    return all.table();
  }
  [[nodiscard]] const prediction::Rules* rules() const override { return &rules_; }
  core::Result<ecs::Entity> join(World& world, const Player& /*player*/) override { return world.create(Puck{}); }
  core::Status spectate(World& /*world*/, const Player& /*player*/) override { return core::Done{}; }
  void leave(World& world, const Player& player) override { world.destroy(player.entity); }
  void step_spawned(World& world, ecs::Entity entity, std::uint32_t player) override {
    EXPECT_EQ(world.registry().get<const Relevance>(entity).owner, player);
    order.push_back("spawned for " + std::to_string(player));
  }
  void effect(World& /*world*/, const prediction::Effect& effect) override {
    order.push_back("effect " + std::to_string(effect.key) + " " +
                    std::string(reinterpret_cast<const char*>(effect.payload.data()), effect.payload.size()));
  }
  void tick(World& /*world*/) override { order.emplace_back("tick"); }

  std::vector<std::string> order;

 private:
  prediction::Rules rules_{.step = note_commands};
};

core::Bytes say(const std::string& text) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(
      chat::CreateCommand(builder, chat::Body::Say, chat::CreateSay(builder, builder.CreateString(text)).Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

class PredictedStepTest : public testing::Test {
 protected:
  PredictedStepTest() {
    seen().clear();
    for (const std::uint32_t player : {1u, 2u}) {
      entities.push_back(*world->create(Puck{}));
      world->add_viewer(player, entities.back());
    }
  }
  void run() { step.run(*world, game); }

  PuckGame game;
  std::unique_ptr<World> world = std::move(*World::make({.schema = puck_schema(), .level = nullptr}));
  PredictedStep step = std::move(*PredictedStep::make(*world, game.rules()));
  std::vector<ecs::Entity> entities;
};

TEST_F(PredictedStepTest, CommandsAscendByPlayerAndNumber) {
  step.queue(2, 8, say("d"));
  step.queue(1, 4, say("b"));
  step.queue(2, 7, say("c"));
  step.queue(1, 3, say("a"));
  run();
  EXPECT_THAT(seen(), ElementsAre(Seen{1, 3, entities[0], "a"}, Seen{1, 4, entities[0], "b"},
                                  Seen{2, 7, entities[1], "c"}, Seen{2, 8, entities[1], "d"}));
  EXPECT_EQ(step.stats().commands, 4u);
}

TEST_F(PredictedStepTest, ANumberUsedTwiceKeepsItsOrder) {
  for (int i = 0; i < 9; ++i) step.queue(1, 1, say(std::to_string(i)));
  run();
  ASSERT_EQ(seen().size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(seen()[i].text, std::to_string(i));
}

TEST_F(PredictedStepTest, EachCommandIsRunOnce) {
  step.queue(1, 1, say("a"));
  run();
  run();
  EXPECT_EQ(seen().size(), 1u);
  EXPECT_EQ(world->registry().get<const Puck>(entities[0]).x, 2.0f) << "the step runs without commands too";
}

TEST_F(PredictedStepTest, ALostEntityDropsTheCommand) {
  step.queue(1, 1, say("a"));
  step.queue(2, 1, say("b"));
  step.queue(3, 1, say("c"));
  world->destroy(entities[0]);
  run();
  EXPECT_THAT(seen(), ElementsAre(Seen{2, 1, entities[1], "b"}));
  EXPECT_EQ(step.stats().dropped, 2u) << "player 3 is not in the game";
  EXPECT_EQ(step.stats().commands, 1u);
}

TEST_F(PredictedStepTest, SpawnedEntitiesBelongToTheirPlayer) {
  step.queue(2, 1, say("throw"));
  step.queue(1, 1, say("gone"));
  run();
  EXPECT_THAT(game.order, ElementsAre("spawned for 2", "effect 1 gone", "effect 1 throw"));
  EXPECT_EQ(step.stats().spawned, 2u);
  EXPECT_EQ(step.stats().effects, 2u);
  std::vector<engine::SpawnKey> keys;
  world->each<const engine::SpawnKey>([&](const engine::SpawnKey& key) { keys.push_back(key); });
  EXPECT_THAT(keys, ElementsAre(engine::SpawnKey{.tick = 1, .player = 2, .command = 1, .ordinal = 0}));
}

TEST_F(PredictedStepTest, WithoutRulesNothingRuns) {
  PredictedStep none = std::move(*PredictedStep::make(*world, nullptr));
  EXPECT_FALSE(none.has_rules());
  none.run(*world, game);
  EXPECT_EQ(world->registry().get<const Puck>(entities[0]).x, 0.0f);
}

TEST_F(PredictedStepTest, RefusesReadsThatTheSchemaDoesNotHave) {
  const prediction::Rules rules{.step = note_commands, .reads = {"Pack"}};
  const auto refused = PredictedStep::make(*world, &rules);
  ASSERT_FALSE(refused.ok());
  EXPECT_STREQ(refused.error().reason, "unknown component");
}

TEST_F(PredictedStepTest, CountsStepsThatTakeLongerThanATick) {
  step.note_time(50 * core::millisecond, 20);
  EXPECT_EQ(step.stats().overruns, 0u);
  step.note_time(50 * core::millisecond + 1, 20);
  EXPECT_EQ(step.stats().overruns, 1u);
}

// --- In the server -------------------------------------------------------------------------------------------------

class PredictedCommands : public testing::Test {
 protected:
  PredictedCommands() { seen().clear(); }
  // Runs a command as the server does when it is due.
  std::string refusal(CommandDispatch& dispatch, const Player& player, const std::string& text) {
    const core::Status done = dispatch.run(*world, player, limiters, say(text), {.number = 6});
    return done ? "" : done.error().reason;
  }

  PuckGame game;
  std::unique_ptr<World> world = std::move(*World::make({.schema = puck_schema(), .level = nullptr}));
  PredictedStep step = std::move(*PredictedStep::make(*world, game.rules()));
  CommandDispatch::RateLimiters limiters;
};

TEST_F(PredictedCommands, WaitForTheStep) {
  CommandDispatch dispatch(game.commands(), 20, step);
  const Player player{.id = 1, .name = "ada", .entity = *world->create(Puck{})};
  world->add_viewer(1, player.entity);
  EXPECT_EQ(refusal(dispatch, player, "hello"), "");
  EXPECT_TRUE(seen().empty());
  step.run(*world, game);
  EXPECT_THAT(seen(), ElementsAre(Seen{1, 6, player.entity, "hello"}));
  EXPECT_EQ(dispatch.commands()[0].done, 1u);
}

TEST_F(PredictedCommands, AreLimitedAndVerifiedLikeOthers) {
  CommandDispatch dispatch(game.commands(), 20, step);
  const Player player{.id = 1, .name = "ada", .entity = *world->create(Puck{})};
  world->add_viewer(1, player.entity);
  int accepted = 0;
  for (int i = 0; i < 10; ++i) accepted += refusal(dispatch, player, "x").empty() ? 1 : 0;
  EXPECT_EQ(accepted, 4) << "the burst of the limit";
  const core::Bytes cut(7, std::byte{1});
  EXPECT_STREQ(dispatch.run(*world, player, limiters, cut, {}).error().reason, "malformed command");
  step.run(*world, game);
  EXPECT_EQ(seen().size(), 4u);
}

TEST_F(PredictedCommands, AreRefusedByTheirCheck) {
  Commands<chat::Command, chat::BodyTraits> all;
  int checked = 0;
  all.add_predicted<chat::Say>(
      [&](World&, const Player&, const chat::Say& say, const CommandContext& context) -> core::Status {
        EXPECT_EQ(context.number, 6u);
        ++checked;
        if (say.text()->str() == "rude") return core::Error{"rude", "mind your words"};
        return core::Done{};
      },
      RateLimit{.per_second = 20, .burst = 4});
  CommandDispatch dispatch(all.table(), 20, step);
  const Player player{.id = 1, .name = "ada", .entity = *world->create(Puck{})};
  world->add_viewer(1, player.entity);
  EXPECT_EQ(refusal(dispatch, player, "rude"), "rude");
  EXPECT_EQ(refusal(dispatch, player, "hello"), "");
  EXPECT_EQ(refusal(dispatch, {.id = 1, .name = "ada", .entity = {}}, "hello"), "no entity");
  EXPECT_EQ(checked, 2) << "a player without an entity is refused before";
  EXPECT_EQ(refusal(dispatch, player, "again"), "");
  EXPECT_EQ(refusal(dispatch, player, "too much"), "too many commands");
  step.run(*world, game);
  EXPECT_THAT(seen(), ElementsAre(Seen{1, 6, player.entity, "hello"}, Seen{1, 6, player.entity, "again"}));
  EXPECT_EQ(dispatch.commands()[0].refused, 3u);
}

TEST_F(PredictedCommands, ArePlayersWithEntitiesOnly) {
  CommandDispatch dispatch(game.commands(), 20, step);
  EXPECT_EQ(refusal(dispatch, {.id = 1, .name = "ada", .entity = {}}, "hello"), "no entity");
  step.run(*world, game);
  EXPECT_TRUE(seen().empty());
  EXPECT_EQ(step.stats().dropped, 0u);
}

using PredictedCommandsDeathTest = PredictedCommands;

TEST_F(PredictedCommandsDeathTest, WithoutRulesFailACheck) {
  PredictedStep none = std::move(*PredictedStep::make(*world, nullptr));
  EXPECT_DEATH(CommandDispatch(game.commands(), 20, none),
               "command Say is for the step, but Game::rules.. returns none");
}

TEST(PredictedStepInServer, RunsBeforeTheGamesTick) {
  seen().clear();
  PuckGame game;
  test::Village village(game);
  test::Village::Client& client = village.join("ada", puck_schema());
  ASSERT_TRUE(village.tick_until([&] { return static_cast<bool>(client.connection.player_entity()); }));
  client.connection.set_command(say("throw"));
  ASSERT_TRUE(village.tick_until([&] { return !seen().empty(); }));
  const auto effect = std::ranges::find(game.order, "effect 1 throw");
  ASSERT_NE(effect, game.order.end());
  ASSERT_NE(effect + 1, game.order.end());
  EXPECT_EQ(*(effect + 1), "tick");
  EXPECT_EQ(*(effect - 1), "spawned for 1");
  EXPECT_EQ(village.server->predicted_step().commands, 1u);
}

TEST(PredictedStepInServer, OnlyTheOwnerReceivesTheSpawnKey) {
  seen().clear();
  PuckGame game;
  test::Village village(game);
  test::Village::Client& owner = village.join("ada", puck_schema());
  test::Village::Client& other = village.join("bob", puck_schema());
  ASSERT_TRUE(village.tick_until([&] { return owner.connection.player_entity() && other.connection.player_entity(); }));
  owner.connection.set_command(say("throw"));
  ASSERT_TRUE(village.tick_until([&] { return !seen().empty(); }));
  village.ticks(10);
  ecs::Entity thrown;
  engine::SpawnKey truth;
  village.server->world().each<const engine::SpawnKey>([&](ecs::Entity entity, const engine::SpawnKey& key) {
    thrown = entity;
    truth = key;
  });
  ASSERT_TRUE(static_cast<bool>(thrown));
  const auto mirrored = [&](const test::Village::Client& client) {
    return client.connection.mirror()->registry().try_get<const engine::SpawnKey>(thrown);
  };
  ASSERT_NE(mirrored(owner), nullptr);
  EXPECT_EQ(*mirrored(owner), truth);
  EXPECT_EQ(truth.command, 1u);
  ASSERT_NE(mirrored(other), nullptr);
  EXPECT_EQ(*mirrored(other), engine::SpawnKey{});
}

TEST(PredictedStepInServer, MeasuresTheStepByTheClockOfPhases) {
  static core::Nanoseconds step_time;
  static core::Nanoseconds now;
  now = 0;
  PuckGame game;
  ServerConfig config;
  config.phase_clock = [] { return now += step_time; };  // each phase takes this time
  test::Village village(game, std::move(config));
  step_time = 50 * core::millisecond;
  village.ticks(3);
  EXPECT_EQ(village.server->predicted_step().overruns, 0u);
  step_time = 51 * core::millisecond;
  village.ticks(3);
  EXPECT_EQ(village.server->predicted_step().overruns, 3u);
}

TEST(PredictedStepInServer, AStartWithUnknownReadsIsRefused) {
  class MisreadingGame : public PuckGame {
   public:
    [[nodiscard]] const prediction::Rules* rules() const override { return &rules_; }

   private:
    prediction::Rules rules_{.step = note_commands, .reads = {"Pock"}};
  };
  MisreadingGame game;
  const auto started = Server::start(test::at_village({}), game);
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message, HasSubstr("lists Pock, which the schema does not have"));
}

TEST(PredictionSeed, FollowsFromTheWorldsSeedAlone) {
  const auto seed_of = [](std::uint64_t seed) {
    return (*World::make({.schema = puck_schema(), .level = nullptr, .seed = seed}))->prediction_seed();
  };
  EXPECT_EQ(seed_of(1), seed_of(1));
  EXPECT_NE(seed_of(1), seed_of(2));
  EXPECT_EQ(seed_of(1), 11743096980586517901u);
}

}  // namespace
}  // namespace mobula::server
