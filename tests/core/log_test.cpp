#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/log.hpp>
#include <string>
#include <thread>
#include <vector>

namespace mobula::core {
namespace {

using testing::HasSubstr;

struct LogTest : testing::Test {
  ~LogTest() override { set_log_level(LogLevel::info); }

  template <class Function>
  static std::string lines_of(Function&& function) {
    testing::internal::CaptureStderr();
    function();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(LogTest, WhatIsBelowTheLevelIsDropped) {
  EXPECT_FALSE(log_enabled(LogLevel::debug)) << "info is the default";
  EXPECT_TRUE(log_enabled(LogLevel::info));
  const auto all_levels = [] {
    log_debug("core", "one");
    log_info("core", "two");
    log_warn("core", "three");
    log_error("core", "four");
  };
  const std::vector<std::pair<LogLevel, std::ptrdiff_t>> lines_at{
      {LogLevel::debug, 4}, {LogLevel::info, 3}, {LogLevel::warn, 2}, {LogLevel::error, 1}, {LogLevel::off, 0}};
  for (const auto& [level, lines] : lines_at) {
    set_log_level(level);
    const std::string text = lines_of(all_levels);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), lines) << text;
  }
}

TEST_F(LogTest, ALineHasItsModuleAndItsText) {
  const std::string text = lines_of([] { log_warn("transport", "{} of {} were lost", 3, "4"); });
  EXPECT_THAT(text, HasSubstr("transport 3 of 4 were lost\n"));
  EXPECT_THAT(text, HasSubstr("warn"));
}

// What others wrote is text, never a format.
TEST_F(LogTest, BracesInTheTextAreBraces) {
  const std::string name = "{} {0:x} %s {";
  const std::string text = lines_of([&] {
    log_line(LogLevel::info, "core", name);
    log_info("core", "{}", name);
  });
  EXPECT_THAT(text, HasSubstr("core      " + name + "\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST_F(LogTest, ArgumentsOfDroppedLinesAreNotFormatted) {
  set_log_level(LogLevel::off);
  EXPECT_EQ(lines_of([] { log_error("core", "{}", std::string(1000, 'x')); }), "");
}

TEST_F(LogTest, LinesOfManyThreadsStayWhole) {
  const std::string text = lines_of([] {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([] {
        for (int i = 0; i < 100; ++i) log_info("core", "a line of a thread");
      });
    for (std::thread& thread : threads) thread.join();
  });
  std::size_t whole = 0;
  for (std::size_t at = 0; (at = text.find("core      a line of a thread\n", at)) != std::string::npos; ++at) ++whole;
  EXPECT_EQ(whole, 400u);
}

}  // namespace
}  // namespace mobula::core
