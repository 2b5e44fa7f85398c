// Messages whose text is for people: Closing and CommandRefused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/wire/messages.hpp>

namespace mobula::wire {
namespace {

// Returns why the text is refused as the reason of `Notice`. "" if it is accepted and decoded again.
template <class Notice>
std::string refusal_of(const std::string& text) {
  const core::Result<Message> decoded = decode_message(encode(Notice{30, text}));
  if (!decoded) return decoded.error().message;
  EXPECT_EQ(std::get<Notice>(*decoded).reason, text);
  return {};
}

template <class Notice>
void expect_printable_reasons() {
  EXPECT_EQ(refusal_of<Notice>("another version is coming"), "");
  EXPECT_EQ(refusal_of<Notice>(std::string(max_text_bytes, 'x')), "");
  for (const std::string& text : {std::string(max_text_bytes + 1, 'x'), std::string("two\nlines"), std::string("\xff")})
    EXPECT_THAT(refusal_of<Notice>(text), testing::HasSubstr("at most 256 bytes of printable UTF-8"));
}

TEST(NoticeMessages, AClosingHasAPrintableReason) {
  expect_printable_reasons<Closing>();
  EXPECT_EQ(std::get<Closing>(*decode_message(encode(Closing{30, ""}))).seconds, 30u);
}

TEST(NoticeMessages, ARefusedCommandHasAPrintableReason) {
  expect_printable_reasons<CommandRefused>();
  EXPECT_EQ(std::get<CommandRefused>(*decode_message(encode(CommandRefused{7, ""}))).number, 7u);
}

}  // namespace
}  // namespace mobula::wire
