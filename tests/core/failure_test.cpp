#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Failure, ACheckThatHoldsBuildsNoMessage) {
  const auto no_message = []() -> std::string {
    ADD_FAILURE();
    return {};
  };
  MOBULA_CHECK(true, no_message());
}

}  // namespace
}  // namespace mobula::core
