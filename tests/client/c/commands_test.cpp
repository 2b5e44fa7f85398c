#include <gmock/gmock.h>

#include <client/c/guest.hpp>
#include <fstream>
#include <iterator>
#include <mobula/core/log.hpp>
#include <reflect/compile_schema.hpp>
#include <server/tiny_game.hpp>

namespace mobula::c {
namespace {

using testing::HasSubstr;

core::Bytes demo_commands() {
  std::ifstream file(MOBULA_SOURCE_DIR "/schema/demo_commands.fbs");
  return test::compile_schema(std::string(std::istreambuf_iterator<char>(file), {}));
}

class CCommands : public testing::Test {
 protected:
  void SetUp() override { core::set_log_level(core::LogLevel::off); }
  void TearDown() override { core::set_log_level(core::LogLevel::info); }
  // Returns whether the game sets the player's health, which a command contains.
  bool health_becomes(std::uint16_t wanted) {
    return village.tick_until([&] {
      const ecs::Entity player = test::to_entity(guest.status().player);
      const auto* const health = village.server->world().registry().try_get<const demo::Health>(player);
      return health != nullptr && health->current == wanted;
    });
  }

  test::TinyGame game;
  test::Village village{game};
  test::Guest guest{village};
};

TEST_F(CCommands, BytesAreCarriedOutByTheGame) {
  ASSERT_TRUE(guest.play());
  guest.set_command(test::move_command(42, 0));
  EXPECT_TRUE(health_becomes(42));
}

TEST_F(CCommands, JsonIsCarriedOutByTheGame) {
  const core::Bytes schema = demo_commands();
  ASSERT_EQ(mobula_client_set_command_schema(guest.client(), schema.data(), schema.size()), MOBULA_OK);
  ASSERT_TRUE(guest.play());
  ASSERT_EQ(mobula_client_set_command_json(guest.client(), R"({"body_type": "Move", "body": {"x": 43}})"), MOBULA_OK)
      << test::error_text();
  EXPECT_TRUE(health_becomes(43));
}

TEST_F(CCommands, JsonNeedsASchemaOfCommands) {
  EXPECT_EQ(mobula_client_set_command_json(guest.client(), "{}"), MOBULA_ERROR_BAD_SCHEMA);
  const core::Bytes schema = demo_commands();
  EXPECT_EQ(mobula_client_set_command_schema(guest.client(), schema.data(), 20), MOBULA_ERROR_BAD_SCHEMA);
  EXPECT_EQ(mobula_client_set_command_schema(guest.client(), schema.data(), ~std::uint64_t{0}),
            MOBULA_ERROR_BAD_SCHEMA);
  EXPECT_EQ(mobula_client_set_command_schema(guest.client(), nullptr, 0), MOBULA_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(mobula_client_set_command_schema(guest.client(), schema.data(), schema.size()), MOBULA_OK);
  EXPECT_EQ(mobula_client_set_command_json(guest.client(), "{}"), MOBULA_ERROR_BAD_JSON);
  EXPECT_THAT(test::error_text(), HasSubstr("field body is missing"));
  EXPECT_EQ(mobula_client_set_command_json(guest.client(), nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CCommands, TooManyBytesOrNoneAreRefused) {
  const core::Bytes large(513);
  EXPECT_EQ(mobula_client_set_command(guest.client(), large.data(), 512), MOBULA_OK);
  EXPECT_EQ(mobula_client_set_command(guest.client(), large.data(), 513), MOBULA_ERROR_TOO_LARGE);
  EXPECT_EQ(mobula_client_set_command(guest.client(), large.data(), 0), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_set_command(guest.client(), nullptr, 5), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CCommands, SpectatorsAndClosedClientsGiveNone) {
  const test::Guest spectator(village, MOBULA_SPECTATE);
  EXPECT_EQ(mobula_client_set_command(spectator.client(), "x", 1), MOBULA_ERROR_WRONG_STATE);
  ASSERT_TRUE(guest.play());
  guest.close(guest.seat.port);
  EXPECT_EQ(mobula_client_set_command(guest.client(), "x", 1), MOBULA_ERROR_CLOSED);
}

TEST_F(CCommands, ARefusedCommandIsCounted) {
  ASSERT_TRUE(guest.play());
  game.refuse_commands = true;
  guest.set_command(test::move_command(1, 0));
  EXPECT_TRUE(village.tick_until([&] { return guest.statistics().refused_commands == 1; }));
}

}  // namespace
}  // namespace mobula::c
