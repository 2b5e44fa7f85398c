#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <mobula/process/log_output.hpp>
#include <string>
#include <thread>
#include <vector>

namespace mobula::process {
namespace {

using testing::HasSubstr;

struct LogOutputTest : testing::Test {
  ~LogOutputTest() override { set_log_format(LogFormat::text); }

  template <class Function>
  static std::string lines_of(Function&& function) {
    testing::internal::CaptureStderr();
    function();
    return testing::internal::GetCapturedStderr();
  }
};

// No program calls a function for it.
TEST_F(LogOutputTest, LinesGoToStandardErrorWithTimeAndLevel) {
  const std::string text = lines_of([] { core::log_warn("transport", "{} of {} were lost", 3, "4"); });
  EXPECT_THAT(text, testing::MatchesRegex("20[0-9-]+T[0-9:.]+Z warning transport 3 of 4 were lost\n"));
}

TEST_F(LogOutputTest, LinesOfManyThreadsAreNotMixed) {
  const std::string text = lines_of([] {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([thread] {
        for (int i = 0; i < 100; ++i)
          core::log_line(core::LogLevel::info, "core", core::format("line {} of thread {}", i, thread));
      });
    for (std::thread& thread : threads) thread.join();
  });
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < 100; ++i)
      EXPECT_THAT(text, HasSubstr(core::format("core      line {} of thread {}\n", i, thread)));
}

TEST_F(LogOutputTest, WritesJsonIfConfigured) {
  set_log_format(*parse_log_format("json"));
  const std::string text = lines_of([] {
    const core::LogScope about({.tick = 7});
    core::log_warn("core", "he said \"{}\"", "hi");
  });
  EXPECT_THAT(text, testing::StartsWith("{\"time\":\"20"));
  EXPECT_THAT(text, testing::EndsWith(R"("level":"warn","module":"core","message":"he said \"hi\"","tick":7})"
                                      "\n"));
  EXPECT_EQ(parse_log_format("xml"), std::nullopt);
}

// At the end of a program, its exit waits until the lines are written.
TEST_F(LogOutputTest, BackgroundLinesAreWrittenBeforeTheExit) {
  const auto log_and_exit = [] {
    log_in_background();
    for (int i = 0; i < 1000; ++i) core::log_line(core::LogLevel::info, "core", core::format("line {}", i));
    std::exit(0);
  };
  EXPECT_EXIT(log_and_exit(), testing::ExitedWithCode(0), "line 999\n");
}

TEST_F(LogOutputTest, SuppressedLinesAreReportedBeforeTheExit) {
  const auto log_and_exit = [] {
    for (int i = 0; i < 8; ++i) core::log_info("core", "repeat {}", i);
    std::exit(0);
  };
  EXPECT_EXIT(log_and_exit(), testing::ExitedWithCode(0), "core      3 more like this: repeat …\n");
}

}  // namespace
}  // namespace mobula::process
