#include <gtest/gtest.h>
#include <mobula/schema/demo_commands_generated.h>

#include <bots/chat_numbers.hpp>
#include <client/bots/chat_message.hpp>

namespace mobula::client {
namespace {

std::string text_of(const core::Bytes& command) {
  return flatbuffers::GetRoot<demo::commands::Command>(command.data())->body_as_Chat()->text()->str();
}

TEST(ChatNumbers, EachNumberIsRepeatedFromItsSecondEventOn) {
  ChatNumbers numbers("a");
  const std::string first = text_of(numbers.next_command()), second = text_of(numbers.next_command());
  EXPECT_EQ(first, "a 1");
  EXPECT_EQ(second, "a 2");
  EXPECT_FALSE(numbers.is_repeated(test::chat_message(second))) << "one that was lost does not count";
  EXPECT_FALSE(numbers.is_repeated(test::chat_message(first)));
  EXPECT_TRUE(numbers.is_repeated(test::chat_message(second)));
  EXPECT_TRUE(numbers.is_repeated(test::chat_message(second)));
}

TEST(ChatNumbers, OtherEventsAreIgnored) {
  ChatNumbers numbers("a");
  numbers.next_command();
  for (const char* const text : {"b 1", "a", "a 0x", "a 1 ", "a 2", "a 99999999999999999999", "a -1", ""})
    for (int times = 0; times < 2; ++times) EXPECT_FALSE(numbers.is_repeated(test::chat_message(text))) << text;
  const core::Bytes event = test::chat_message("a 1");
  EXPECT_FALSE(numbers.is_repeated(core::ByteView(event).first(event.size() / 2)));
  EXPECT_FALSE(numbers.is_repeated({}));
  EXPECT_FALSE(numbers.is_repeated(event));
  EXPECT_TRUE(numbers.is_repeated(event));
}

}  // namespace
}  // namespace mobula::client
