// Chat: texts reach all players, and some are refused.
#include <mobula/schema/demo_commands_generated.h>
#include <mobula/schema/demo_events_generated.h>

#include <gtest/gtest.h>

#include <examples/demo/chat.hpp>
#include <server/examples/demo/played_demo.hpp>
#include <server/examples/demo/predicted_demo.hpp>

namespace demo::chat_test {
namespace {

namespace core = mobula::core;
using test::PredictedDemo;

core::Bytes chat_command(std::string_view text) {
  flatbuffers::FlatBufferBuilder builder;
  const auto chat = commands::CreateChat(builder, builder.CreateString(text));
  builder.Finish(commands::CreateCommand(builder, commands::Body::Chat, chat.Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> lines_of(const PredictedDemo::Guest& guest) {
  std::vector<std::string> lines;
  for (const core::Bytes& event : guest.events)
    if (const auto* const message = flatbuffers::GetRoot<events::Event>(event.data())->body_as_ChatMessage())
      lines.push_back(message->name()->str() + ": " + message->text()->str());
  return lines;
}

TEST(Chat, ReachesAllPlayersAlsoFarAway) {
  PredictedDemo demo(mobula::test::hamlet(), {});
  PredictedDemo::Guest& speaker = demo.join("ada");
  PredictedDemo::Guest& listener = demo.join("bob");
  demo.ticks(60);
  demo.put(listener.avatar(), 400, 400);
  demo.ticks(20);
  ASSERT_TRUE(listener.client.connection.mirror()->is_stale(speaker.avatar())) << "out of view";
  speaker.client.input->set_command(chat_command("Grüße <b>an</b> alle"));
  demo.ticks(20);
  const std::vector<std::string> expected{"ada: Grüße <b>an</b> alle"};
  EXPECT_EQ(lines_of(listener), expected);
  EXPECT_EQ(lines_of(speaker), expected);
}

class ChatTest : public DemoGameTest {};

TEST_F(ChatTest, RefusesTextsOutOfRange) {
  const mobula::server::Player player = join();
  const std::vector<std::string> refused{
      "", std::string(chat_bytes_max + 1, 'a'), "two\nlines", "\x1b[2J", "\xff", "\xe2\x80\xae"};
  for (const std::string& text : refused) {
    EXPECT_EQ(refusal(player, chat_command(text)), "text out of range") << text;
    ticks(20);
  }
  EXPECT_EQ(refusal(player, chat_command(std::string(chat_bytes_max, 'a'))), "");
}

TEST_F(ChatTest, LimitsTheRateOfAPlayer) {
  const mobula::server::Player player = join();
  int accepted = 0;
  for (int i = 0; i < 10; ++i) accepted += refusal(player, chat_command("hi")).empty() ? 1 : 0;
  EXPECT_EQ(accepted, 4);
  ticks(20);
  EXPECT_EQ(refusal(player, chat_command("hi")), "");
}

TEST_F(ChatTest, RefusesAPlayerWithoutAnAvatar) {
  mobula::server::Player player = join();
  world->destroy_tree(player.entity);
  EXPECT_EQ(refusal(player, chat_command("hi")), "no avatar");
}

}  // namespace
}  // namespace demo::chat_test
