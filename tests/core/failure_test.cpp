#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <core/unread_pipe.hpp>
#include <mobula/core/assert.hpp>
#include <mobula/core/failure.hpp>
#include <mobula/core/log.hpp>

namespace mobula::core {
namespace {

void fail_a_check() { MOBULA_CHECK(1 + 1 == 3, "sums are odd"); }

TEST(FailureDeathTest, ACheckNamesPlaceMessageAndFields) {
  const LogScope world({.world = "main", .tick = 12});
  const LogScope code({.running = "movement"});
  EXPECT_DEATH(fail_a_check(),
               "error *failure *.*failure_test.cpp:[0-9]+: check failed: sums are odd *world=main tick=12 "
               "running=movement");
}

TEST(FailureDeathTest, ACheckIsWrittenWhateverTheLevel) {
  set_log_level(LogLevel::off);
  EXPECT_DEATH(fail_a_check(), "sums are odd");
  set_log_level(LogLevel::info);
}

TEST(FailureDeathTest, ListenersReceiveTheLineBeforeTheBacktrace) {
  const FailureListener listener([](std::string_view line) {
    std::fprintf(stderr, "heard <%.*s>\n", static_cast<int>(line.size()), line.data());
  });
  EXPECT_DEATH(fail_a_check(), "heard <failure .*sums are odd>(.|\n)*core_tests");
}

TEST(FailureDeathTest, AFailureDuringTheReportEndsAtOnce) {
  const FailureListener listener([](std::string_view) { fail("again"); });
  EXPECT_EXIT(fail_a_check(), testing::KilledBySignal(SIGABRT), "sums are odd");
}

TEST(FailureDeathTest, AListenerThatHasEndedReceivesNothing) {
  {
    const FailureListener ended([](std::string_view) { std::fprintf(stderr, "heard\n"); });
  }
  EXPECT_DEATH(fail_a_check(), testing::Not(testing::HasSubstr("heard")));
}

// A process that fails while nobody reads its standard error is not left hanging.
TEST(FailureDeathTest, AReportThatNobodyReadsEnds) {
  const test::UnreadPipe pipe;
  const auto fail_unread = [&] {
    ::dup2(pipe.writer(), STDERR_FILENO);
    log_in_background();
    fail_a_check();
  };
  EXPECT_EXIT(fail_unread(), testing::KilledBySignal(SIGABRT), "");
}

TEST(FailureDeathTest, LinesBeforeAFailureAreWrittenFirst) {
  const auto log_and_fail = [] {
    log_in_background();
    for (int i = 0; i < 1000; ++i) log_line(LogLevel::info, "core", "line " + std::to_string(i));
    fail_a_check();
  };
  EXPECT_DEATH(log_and_fail(), "line 999\n.*sums are odd");
}

TEST(Failure, ACheckThatHoldsBuildsNoMessage) {
  const auto no_message = []() -> std::string {
    ADD_FAILURE();
    return {};
  };
  MOBULA_CHECK(true, no_message());
}

}  // namespace
}  // namespace mobula::core
