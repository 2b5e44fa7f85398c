#include <gmock/gmock.h>

#include <client/c/guest.hpp>
#include <mobula/core/log.hpp>
#include <server/tiny_game.hpp>

namespace mobula::c {
namespace {

class CEvents : public testing::Test {
 protected:
  void SetUp() override {
    core::set_log_level(core::LogLevel::off);
    ASSERT_TRUE(guest.play());
  }
  void TearDown() override { core::set_log_level(core::LogLevel::info); }
  // Sends an event and returns those that the client hands out in the first step that has any.
  std::vector<mobula_event> send(std::string_view text, const server::Audience& audience) {
    const core::ByteView bytes = core::as_bytes(text.data(), text.size());
    EXPECT_TRUE(village.server->world()
                    .events()
                    .send(core::Bytes(bytes.begin(), bytes.end()), audience, server::Reliability::reliable)
                    .ok());
    EXPECT_TRUE(village.tick_until([&] { return !guest.events().empty(); }));
    return guest.events();
  }
  static std::string text(const mobula_event& event) { return {static_cast<const char*>(event.bytes), event.size}; }

  test::TinyGame game;
  test::Village village{game};
  test::Guest guest{village};
};

TEST_F(CEvents, AreHandedOutInOneStepWithTheirBytes) {
  const std::vector<mobula_event> events = send("boom", server::Audience::everyone());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(text(events[0]), "boom");
  EXPECT_EQ(events[0].about, 0u);
  EXPECT_EQ(events[0].presence, std::uint32_t{MOBULA_IN_VIEW});
  EXPECT_LE(events[0].tick, guest.status().tick);
  EXPECT_EQ(guest.statistics().events, 1u);
  village.tick();
  EXPECT_TRUE(guest.events().empty());
}

TEST_F(CEvents, NameTheEntityThatTheyAreAbout) {
  ASSERT_TRUE(village.tick_until([&] { return guest.status().player != 0; }));
  const ecs::Entity player = test::to_entity(guest.status().player);
  const std::vector<mobula_event> events = send("hit", server::Audience::seers_of(player));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].about, guest.status().player);
}

TEST_F(CEvents, AreCountedIfTheyDoNotFit) {
  const std::vector<mobula_event> events = send("one", server::Audience::everyone());
  std::uint32_t count = 0;
  EXPECT_EQ(mobula_client_read_events(guest.client(), nullptr, 0, &count), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(count, events.size());
  EXPECT_EQ(mobula_client_read_events(guest.client(), nullptr, 0, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace mobula::c
