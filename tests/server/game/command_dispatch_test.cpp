#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mobula/schema/chat_commands_generated.h>

#include <mobula/core/random.hpp>
#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/commands.hpp>
#include <mobula/server/game/game.hpp>
#include <server/hamlet.hpp>

namespace mobula::server {
namespace {

namespace chat = ::chat::commands;
using testing::ElementsAre;

core::Bytes finish(flatbuffers::FlatBufferBuilder& builder, chat::Body type, flatbuffers::Offset<void> body) {
  builder.Finish(chat::CreateCommand(builder, type, body));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

core::Bytes say(const std::string& text) {
  flatbuffers::FlatBufferBuilder builder;
  return finish(builder, chat::Body::Say, chat::CreateSay(builder, builder.CreateString(text)).Union());
}

template <chat::Body Type>
core::Bytes empty_command() {
  flatbuffers::FlatBufferBuilder builder;
  return finish(builder, Type, chat::CreateWave(builder).Union());
}

class CommandDispatchTest : public testing::Test {
 protected:
  static constexpr std::uint32_t ticks_per_second = 20;

  CommandDispatchTest() {
    Commands<chat::Command, chat::BodyTraits> all;
    all.add<chat::Say>(
        [this](World& /*world*/, const Player& from, const chat::Say& say, const CommandContext& context) {
          if (say.text()->str() == "rude") return core::Status(core::Error{"rude", "mind your words"});
          said.push_back(std::to_string(from.id) + ":" + std::to_string(context.number) + ":" + say.text()->str());
          return core::Status(core::Done{});
        },
        RateLimit{.per_second = 2, .burst = 3});
    all.add<chat::Wave>([this](World&, const Player&, const chat::Wave&, const CommandContext&) -> core::Status {
      ++waved;
      return core::Done{};
    });
    all.add<chat::Tree>(
        [](World&, const Player&, const chat::Tree&, const CommandContext&) -> core::Status { return core::Done{}; });
    dispatch.emplace(all.table(), ticks_per_second, step);
  }

  std::string refusal(core::ByteView bytes, CommandDispatch::RateLimiters& limiters) {
    const core::Status done = dispatch->run(*world, player, limiters, bytes, {.number = 7});
    return done ? "" : done.error().reason;
  }
  std::string refusal(core::ByteView bytes) { return refusal(bytes, own); }
  // Returns how many of `count` tries are run.
  int done_of(int tries, core::ByteView bytes) {
    int done = 0;
    for (int i = 0; i < tries; ++i) done += refusal(bytes).empty() ? 1 : 0;
    return done;
  }
  void ticks(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) world->end_tick();
  }

  std::unique_ptr<World> world =
      std::move(*World::make({.schema = test::game_schema(), .level = nullptr, .ticks_per_second = ticks_per_second}));
  Player player{.id = 3, .name = "ada", .entity = {}};
  PredictedStep step = std::move(*PredictedStep::make(*world, nullptr));
  std::optional<CommandDispatch> dispatch;
  CommandDispatch::RateLimiters own;
  std::vector<std::string> said;
  int waved = 0;
};

TEST_F(CommandDispatchTest, EachCommandReachesItsHandler) {
  EXPECT_EQ(refusal(say("hello")), "");
  EXPECT_EQ(refusal(empty_command<chat::Body::Wave>()), "");
  EXPECT_THAT(said, ElementsAre("3:7:hello"));
  EXPECT_EQ(waved, 1);
}

TEST_F(CommandDispatchTest, RunsCommandsAtAnyAlignment) {
  const core::Bytes bytes = say("hello");
  for (std::size_t offset = 1; offset < 8; ++offset) {
    core::Bytes moved(offset + bytes.size());
    std::ranges::copy(bytes, moved.begin() + static_cast<std::ptrdiff_t>(offset));
    CommandDispatch::RateLimiters limiters;
    EXPECT_EQ(refusal(core::ByteView(moved).subspan(offset), limiters), "");
  }
}

TEST_F(CommandDispatchTest, RefusesAnUnknownCommand) {
  EXPECT_EQ(refusal(empty_command<chat::Body::Shout>()), "unknown command") << "in the schema, without a handler";
  EXPECT_EQ(refusal(empty_command<static_cast<chat::Body>(5)>()), "unknown command");
  EXPECT_EQ(refusal(empty_command<static_cast<chat::Body>(255)>()), "unknown command");
  EXPECT_EQ(refusal(empty_command<chat::Body::NONE>()), "unknown command");
  CommandDispatch knows_nothing({}, ticks_per_second, step);
  EXPECT_STREQ(knows_nothing.run(*world, player, own, say("hello"), {}).error().reason, "unknown command");
}

TEST_F(CommandDispatchTest, AMissingBodyIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  EXPECT_EQ(refusal(finish(builder, chat::Body::Wave, 0)), "malformed command");
  EXPECT_EQ(refusal({}), "malformed command");
  EXPECT_EQ(waved, 0);
}

TEST_F(CommandDispatchTest, TooManyBytesAreRefused) {
  EXPECT_EQ(refusal(say(std::string(400, 'x'))), "");
  EXPECT_EQ(refusal(say(std::string(wire::command_bytes_max, 'x'))), "malformed command");
}

// 5 levels of 4 references each: 1,365 tables to verify in less than 300 bytes.
TEST_F(CommandDispatchTest, ABodyWithTooManyTablesIsRefused) {
  const auto tree = [](int depth) {
    flatbuffers::FlatBufferBuilder builder;
    auto top = chat::CreateTree(builder);
    for (int i = 0; i < depth; ++i)
      top = chat::CreateTree(builder, builder.CreateVector(std::vector{top, top, top, top}));
    return finish(builder, chat::Body::Tree, top.Union());
  };
  EXPECT_EQ(refusal(tree(2)), "");
  const core::Bytes deep = tree(5);
  ASSERT_LE(deep.size(), wire::command_bytes_max);
  EXPECT_EQ(refusal(deep), "malformed command");
}

TEST_F(CommandDispatchTest, RefusesCutOrFlippedBytes) {
  core::Random random(11);
  const core::Bytes good = say("hello, all of you");
  for (std::size_t size = 0; size < good.size(); ++size) static_cast<void>(refusal(core::ByteView(good).first(size)));
  for (int i = 0; i < 20'000; ++i) {
    core::Bytes bytes = good;
    for (std::uint32_t flips = 1 + random.below(5); flips-- > 0;)
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^= static_cast<std::byte>(1u << random.below(8));
    CommandDispatch::RateLimiters limiters;
    const std::string why = refusal(bytes, limiters);
    EXPECT_THAT(why, testing::AnyOf("", "malformed command", "unknown command", "rude"));
  }
  EXPECT_GT(said.size(), 0u);
}

TEST_F(CommandDispatchTest, RefusesCommandsOverTheRateLimit) {
  EXPECT_EQ(done_of(10, say("hello")), 3) << "the burst of the limit";
  EXPECT_EQ(refusal(say("hello")), "too many commands");
  ticks(ticks_per_second / 2);
  EXPECT_EQ(done_of(10, say("hello")), 1) << "two per second";
  ticks(100 * ticks_per_second);
  EXPECT_EQ(done_of(10, say("hello")), 3) << "the burst is not exceeded after a rest";
}

TEST_F(CommandDispatchTest, ARefusedCommandCountsTowardsTheLimit) {
  EXPECT_EQ(refusal(say("rude")), "rude");
  EXPECT_EQ(done_of(10, say("hello")), 2);
}

TEST_F(CommandDispatchTest, LimitsEachPlayerAndCommandSeparately) {
  EXPECT_EQ(done_of(10, say("hello")), 3);
  EXPECT_EQ(refusal(empty_command<chat::Body::Wave>()), "");
  CommandDispatch::RateLimiters others;
  EXPECT_EQ(refusal(say("hello"), others), "");
}

TEST_F(CommandDispatchTest, TheDefaultLimitIsTwoPerTick) {
  const core::Bytes wave = empty_command<chat::Body::Wave>();
  EXPECT_EQ(done_of(100, wave), static_cast<int>(2 * ticks_per_second)) << "a burst of one second";
  for (int i = 0; i < 50; ++i) {
    ticks(1);
    EXPECT_EQ(done_of(10, wave), 2);
  }
}

TEST_F(CommandDispatchTest, CountsExecutedAndRefusedByCommand) {
  static_cast<void>(done_of(5, say("hello")));
  static_cast<void>(refusal(empty_command<chat::Body::Wave>()));
  ASSERT_EQ(dispatch->commands().size(), 3u);
  const CommandInfo& of_say = dispatch->commands()[0];
  EXPECT_EQ(of_say.name, "Say");
  EXPECT_EQ(of_say.limit.burst, 3u);
  EXPECT_EQ(of_say.done, 3u);
  EXPECT_EQ(of_say.refused, 2u);
  EXPECT_EQ(dispatch->commands()[1].name, "Wave");
  EXPECT_EQ(dispatch->commands()[1].done, 1u);
  EXPECT_EQ(dispatch->commands()[2].done, 0u);
}

}  // namespace
}  // namespace mobula::server
