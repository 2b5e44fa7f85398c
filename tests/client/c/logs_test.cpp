#include <gtest/gtest.h>

#include <array>
#include <client/c/guest.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/process/log_output.hpp>

namespace mobula::c {
namespace {

class CLogs : public testing::Test {
 protected:
  struct Line {
    mobula_result result;
    std::int32_t level = -1;
    std::string text;
    std::uint32_t length = 0;
  };
  static Line next(std::uint32_t capacity = 512) {
    std::array<char, 512> text{};
    Line line{};
    line.result = mobula_next_log(&line.level, text.data(), capacity, &line.length);
    line.text = text.data();
    return line;
  }
  void SetUp() override {
    core::set_log_output(nullptr);  // as in a host, which has no log of a process
    ASSERT_EQ(mobula_set_log_level(MOBULA_LOG_INFO), MOBULA_OK);
    while (next().result == MOBULA_OK) {
    }
  }
  void TearDown() override {
    mobula_set_log_level(MOBULA_LOG_WARN);
    core::set_log_output(process::write_log_record);
  }
};

TEST_F(CLogs, LinesAreReadInOrderWithTheirLevel) {
  core::log_line(core::LogLevel::warn, "client", "first");
  core::log_line(core::LogLevel::info, "client", "second");
  const Line first = next();
  EXPECT_EQ(first.result, MOBULA_OK);
  EXPECT_EQ(first.level, MOBULA_LOG_WARN);
  EXPECT_NE(first.text.find("first"), std::string::npos);
  EXPECT_EQ(first.text.size(), first.length);
  EXPECT_EQ(next().level, MOBULA_LOG_INFO);
  EXPECT_EQ(next().result, MOBULA_NOTHING);
}

TEST_F(CLogs, LinesBelowTheLevelAreNotKept) {
  ASSERT_EQ(mobula_set_log_level(MOBULA_LOG_ERROR), MOBULA_OK);
  core::log_line(core::LogLevel::warn, "client", "dropped");
  EXPECT_EQ(next().result, MOBULA_NOTHING);
  EXPECT_EQ(mobula_set_log_level(MOBULA_LOG_OFF + 1), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_set_log_level(-1), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CLogs, ALineThatDoesNotFitStays) {
  core::log_line(core::LogLevel::warn, "client", "a line of some length");
  const Line cut = next(5);
  EXPECT_EQ(cut.result, MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(cut.text.size(), 4u);
  const Line whole = next();
  EXPECT_EQ(whole.result, MOBULA_OK);
  EXPECT_EQ(whole.length, cut.length);
  EXPECT_TRUE(whole.text.starts_with(cut.text));
}

TEST_F(CLogs, ACutLineEndsWithAWholeCharacter) {
  core::log_line(core::LogLevel::warn, "client", "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4");
  for (std::uint32_t capacity = 1; capacity < 40; ++capacity) {
    const Line line = next(capacity);
    if (line.result == MOBULA_OK) break;
    EXPECT_TRUE(core::is_utf8(line.text)) << capacity;
  }
}

TEST_F(CLogs, PointersAreNeeded) {
  std::int32_t level = 0;
  std::uint32_t length = 0;
  char text = 0;
  EXPECT_EQ(mobula_next_log(nullptr, &text, 1, &length), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_next_log(&level, nullptr, 1, &length), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_next_log(&level, &text, 1, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace mobula::c
