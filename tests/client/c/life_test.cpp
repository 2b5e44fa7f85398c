#include <gmock/gmock.h>

#include <client/c/c_world.hpp>
#include <mobula/core/base64.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::c {
namespace {

using testing::HasSubstr;

class CLife : public test::CWorld {
 protected:
  // Creates a client, and returns the result.
  static mobula_result create(const mobula_client_options& options, std::int64_t now = 0) {
    mobula_client made{1, 1};
    const mobula_result result = mobula_client_create(&options, now, &made);
    EXPECT_EQ(made.generation != 0, result == MOBULA_OK) << "an error leaves no handle";
    if (result == MOBULA_OK) mobula_client_destroy(made);
    return result;
  }
  [[nodiscard]] mobula_client_options good() const { return test::options_for(token); }

  core::Bytes token = test::token_bytes(99);
};

TEST_F(CLife, VersionsAreThoseOfTheLibrary) {
  EXPECT_EQ(mobula_version() >> 8, 0x0002u);
  EXPECT_EQ(mobula_protocol_version(), wire::protocol_version);
  const std::int64_t now = mobula_now();
  EXPECT_GT(now, 0);
  EXPECT_GE(mobula_now(), now);
}

TEST_F(CLife, ATokenMayBeBytesOrBase64Text) {
  EXPECT_EQ(create(good()), MOBULA_OK);
  const std::string text = core::to_base64(token) + "\n";
  mobula_client_options options = good();
  options.token = text.data();
  options.token_size = text.size();
  EXPECT_EQ(create(options), MOBULA_OK) << test::error_text();
}

TEST_F(CLife, ACutTokenIsRefusedWhereverItEnds) {
  for (std::size_t size = 0; size < token.size(); ++size) {
    mobula_client_options options = good();
    options.token_size = size;
    ASSERT_EQ(create(options), MOBULA_ERROR_BAD_TOKEN) << size;
  }
  EXPECT_THAT(test::error_text(), HasSubstr("2047 bytes are no connect token"));
}

TEST_F(CLife, ADamagedTokenIsRefused) {
  token[0] = std::byte{'X'};
  EXPECT_EQ(create(good()), MOBULA_ERROR_BAD_TOKEN);
  const std::string text = core::to_base64(core::Bytes(100));
  mobula_client_options options = good();
  options.token = text.data();
  options.token_size = text.size();
  EXPECT_EQ(create(options), MOBULA_ERROR_BAD_TOKEN);
  options.token_size = ~std::uint64_t{0};
  EXPECT_EQ(create(options), MOBULA_ERROR_BAD_TOKEN);
  options.token = nullptr;
  EXPECT_EQ(create(options), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CLife, BadOptionsAreRefused) {
  mobula_client made{};
  EXPECT_EQ(mobula_client_create(nullptr, 0, &made), MOBULA_ERROR_INVALID_ARGUMENT);
  const mobula_client_options known = good();
  EXPECT_EQ(mobula_client_create(&known, 0, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  mobula_client_options options = good();
  for (const std::uint32_t size : {0u, 8u, 12u, static_cast<std::uint32_t>(sizeof options) - 1}) {
    options.struct_size = size;
    EXPECT_EQ(create(options), MOBULA_ERROR_INVALID_ARGUMENT) << size;
    EXPECT_THAT(test::error_text(), HasSubstr("set it to sizeof of the struct"));
  }
  options = good();
  options.flags = 1u << 31;
  EXPECT_EQ(create(options), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(test::error_text(), HasSubstr("0x80000000"));
  options = good();
  options.name = "a name that is longer than allowed";
  EXPECT_EQ(create(options), MOBULA_ERROR_INVALID_ARGUMENT);
  options.name = "bell\a";
  EXPECT_EQ(create(options), MOBULA_ERROR_INVALID_ARGUMENT);
  options.name = nullptr;
  EXPECT_EQ(create(options), MOBULA_OK);
  EXPECT_EQ(create(good(), -1), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(good(), std::numeric_limits<std::int64_t>::max()), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CLife, ASchemaThatIsNoneIsRefused) {
  mobula_client_options options = good();
  options.schema = token.data();
  options.schema_size = token.size();
  EXPECT_EQ(create(options), MOBULA_ERROR_BAD_SCHEMA);
  options.schema_size = std::uint64_t{1} << 40;
  EXPECT_EQ(create(options), MOBULA_ERROR_BAD_SCHEMA);
  options.schema = test::game_schema()->bytes().data();
  options.schema_size = test::game_schema()->bytes().size();
  EXPECT_EQ(create(options), MOBULA_OK) << test::error_text();
}

TEST_F(CLife, AClientConnectsJoinsAndPlays) {
  join();
  EXPECT_EQ(guest->status().state, MOBULA_CONNECTING);
  EXPECT_EQ(guest->status().mirror, 0u);
  std::vector<std::uint32_t> states{MOBULA_CONNECTING};
  ASSERT_TRUE(village.tick_until([&] {
    if (guest->status().state != states.back()) states.push_back(guest->status().state);
    return guest->status().complete == 1;
  }));
  EXPECT_THAT(states, testing::ElementsAre(MOBULA_CONNECTING, MOBULA_JOINING, MOBULA_PLAYING));
  const mobula_status status = guest->status();
  EXPECT_EQ(status.mirror, 1u);
  EXPECT_EQ(status.ticks_per_second, 20u);
  EXPECT_EQ(status.closing_seconds, ~0u);
  EXPECT_EQ(status.server, 0u);
  EXPECT_TRUE(village.tick_until([&] { return guest->status().player != 0; }));
  EXPECT_EQ(guest->reason().first, MOBULA_REASON_NONE);
}

TEST_F(CLife, AClientThatLeavesHasNoSessionAtTheServer) {
  play();
  guest->close(guest->seat.port);
  EXPECT_EQ(guest->status().state, MOBULA_CLOSED);
  EXPECT_EQ(guest->reason().first, MOBULA_REASON_LEFT);
  EXPECT_FALSE(guest->status().can_rejoin);
  village.ticks(3);
  EXPECT_EQ(village.server->players(), 0u);
  EXPECT_EQ(guest->updated(), MOBULA_ERROR_CLOSED);
  EXPECT_EQ(mobula_client_leave(client()), MOBULA_OK) << "twice does no harm";
}

TEST_F(CLife, ATokenForAnotherServerIsNotAnswered) {
  join();
  transport::TokenRequest request{.client_id = 8, .servers = {test::village_address}, .timeout_seconds = 2};
  core::SecretKey other{};
  other.fill(std::byte{9});
  const auto reason_with = [&](std::uint64_t made_at) {
    const core::Bytes bytes = transport::write_token(test::test_token(request, other, made_at));
    guest->close(guest->seat.port);
    EXPECT_EQ(mobula_client_reconnect(client(), bytes.data(), bytes.size(), village.now), MOBULA_OK);
    EXPECT_TRUE(village.tick_until([&] { return guest->status().state == MOBULA_CLOSED; }));
    EXPECT_EQ(guest->reason().first, MOBULA_REASON_NO_ANSWER);
    return guest->reason().second;
  };
  EXPECT_THAT(reason_with(test::test_unix_time),
              AllOf(HasSubstr("expired, by the clock of this machine"), HasSubstr("clocks of both machines by NTP")));
  EXPECT_THAT(reason_with(core::unix_now()),
              AllOf(HasSubstr("is the connect token used up?"), HasSubstr("Do the clocks of both machines agree?")));
  // The client is still of use: with a token of this server it plays.
  guest->reconnect(test::test_token(9), village.now);
  EXPECT_TRUE(guest->play()) << guest->reason().second;
}

TEST_F(CLife, AServerWithAnotherSchemaThanTheHostsIsLeft) {
  const core::Bytes other = test::compile_schema("attribute \"component\"; struct Thing (component) { x:float; }");
  guest = std::make_unique<test::Guest>(village, 0, other);
  ASSERT_TRUE(village.tick_until([&] { return guest->status().state == MOBULA_CLOSED; }));
  EXPECT_EQ(guest->reason().first, MOBULA_REASON_REFUSED) << guest->reason().second;
  EXPECT_THAT(guest->reason().second, HasSubstr("schema"));
}

TEST_F(CLife, AServerWithTheHostsSchemaIsPlayedOn) {
  guest = std::make_unique<test::Guest>(village, 0, test::game_schema()->bytes());
  EXPECT_TRUE(guest->play()) << guest->reason().second;
}

TEST_F(CLife, AnAnnouncedShutdownCountsDown) {
  play();
  village.server->drain("maintenance", 5);
  ASSERT_TRUE(village.tick_until([&] { return guest->status().closing_seconds != ~0u; }));
  const std::uint32_t before = guest->status().closing_seconds;
  EXPECT_LE(before, 5u);
  village.ticks(20);
  EXPECT_EQ(guest->status().closing_seconds, before - 1);
}

TEST_F(CLife, ANewSessionHasNoCountdownOfTheFormerOne) {
  play();
  village.ticks(20);  // rejoin tokens arrive
  village.server->drain("maintenance", 5);
  ASSERT_TRUE(village.tick_until([&] { return guest->status().closing_seconds != ~0u; }));
  guest->pipe_closed("", village.now);
  village.tick();
  ASSERT_EQ(guest->status().can_rejoin, 1u);
  ASSERT_EQ(mobula_client_rejoin(client(), village.now), MOBULA_OK);
  EXPECT_EQ(guest->status().closing_seconds, ~0u);
}

TEST_F(CLife, AReconnectedClientHasNoCountdown) {
  play();
  village.server->drain("maintenance", 5);
  ASSERT_TRUE(village.tick_until([&] { return guest->status().closing_seconds != ~0u; }));
  guest->close(guest->seat.port);
  guest->reconnect(test::test_token(50), village.now);
  EXPECT_EQ(guest->status().closing_seconds, ~0u);
}

TEST_F(CLife, AReasonNeedsACodeAndALength) {
  play();
  guest->close(guest->seat.port);
  std::int32_t code = 0;
  std::uint32_t length = 0;
  EXPECT_EQ(mobula_client_reason(client(), nullptr, nullptr, 0, &length), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_reason(client(), &code, nullptr, 0, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_reason(client(), &code, nullptr, 0, &length), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(code, MOBULA_REASON_LEFT);
  EXPECT_GT(length, 0u);
}

}  // namespace
}  // namespace mobula::c
