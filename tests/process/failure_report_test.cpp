#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <mobula/core/assert.hpp>
#include <mobula/core/failure.hpp>
#include <mobula/core/log.hpp>
#include <mobula/process/failure_report.hpp>
#include <mobula/process/log_output.hpp>
#include <process/unread_pipe.hpp>
#include <stdexcept>

namespace mobula::process {
namespace {

void fail_a_check() { MOBULA_CHECK(1 + 1 == 3, "sums are odd"); }

TEST(FailureReportDeathTest, ACheckNamesPlaceMessageAndFields) {
  const core::LogScope world({.world = "main", .tick = 12});
  const core::LogScope code({.running = "movement"});
  EXPECT_DEATH(fail_a_check(),
               "error *failure *.*failure_report_test.cpp:[0-9]+: check failed: sums are odd *world=main tick=12 "
               "running=movement");
}

TEST(FailureReportDeathTest, ACheckIsWrittenWhateverTheLevel) {
  core::set_log_level(core::LogLevel::off);
  EXPECT_DEATH(fail_a_check(), "sums are odd");
  core::set_log_level(core::LogLevel::info);
}

TEST(FailureReportDeathTest, ListenersComeBeforeTheBacktrace) {
  const FailureListener listener([](std::string_view line) {
    std::fprintf(stderr, "heard <%.*s>\n", static_cast<int>(line.size()), line.data());
  });
  EXPECT_DEATH(fail_a_check(), "heard <failure .*sums are odd>(.|\n)*process_tests");
}

TEST(FailureReportDeathTest, AFailureDuringTheReportEndsAtOnce) {
  const FailureListener listener([](std::string_view) { core::fail("again"); });
  EXPECT_EXIT(fail_a_check(), testing::KilledBySignal(SIGABRT), "sums are odd");
}

TEST(FailureReportDeathTest, AListenerThatHasEndedReceivesNothing) {
  {
    const FailureListener ended([](std::string_view) { std::fprintf(stderr, "heard\n"); });
  }
  EXPECT_DEATH(fail_a_check(), testing::Not(testing::HasSubstr("heard")));
}

// A process that fails while nobody reads its standard error is not left hanging.
TEST(FailureReportDeathTest, AReportThatNobodyReadsEnds) {
  const test::UnreadPipe pipe;
  const auto fail_unread = [&] {
    ::dup2(pipe.writer(), STDERR_FILENO);
    log_in_background();
    fail_a_check();
  };
  EXPECT_EXIT(fail_unread(), testing::KilledBySignal(SIGABRT), "");
}

TEST(FailureReportDeathTest, LinesBeforeAFailureAreWrittenFirst) {
  const auto log_and_fail = [] {
    log_in_background();
    for (int i = 0; i < 1000; ++i) core::log_line(core::LogLevel::info, "core", "line " + std::to_string(i));
    fail_a_check();
  };
  EXPECT_DEATH(log_and_fail(), "line 999\n.*sums are odd");
}

TEST(FailureReportDeathTest, AnUncaughtExceptionIsReported) {
  const auto end_with = [](auto thrown) {
    try {
      throw thrown;
    } catch (...) {
      std::terminate();
    }
  };
  EXPECT_DEATH(end_with(std::runtime_error("the disk is gone")), "failure *uncaught exception: the disk is gone");
  EXPECT_DEATH(end_with(5), "failure *uncaught exception, which is no std::exception");
  EXPECT_DEATH(std::terminate(), "failure *the program has called std::terminate");
}

// Sanitizers have handlers of their own, which are replaced here.
TEST(FailureReportDeathTest, AFaultIsReportedAndKeepsItsSignal) {
  const auto end_by = [](int signal) {
    ::signal(signal, SIG_DFL);
    report_signals();
    const core::LogScope world({.world = "main", .tick = 12});
    ::raise(signal);
  };
  EXPECT_EXIT(end_by(SIGSEGV), testing::KilledBySignal(SIGSEGV),
              "failure *signal 11 .Segmentation fault. *world=main tick=12(.|\n)*process_tests");
  EXPECT_EXIT(end_by(SIGFPE), testing::KilledBySignal(SIGFPE), "failure *signal 8");
}

TEST(FailureReportDeathTest, AnAbortIsReportedOnce) {
  const auto end = [] {
    ::signal(SIGABRT, SIG_DFL);
    report_signals();
    const FailureListener listener([](std::string_view line) {
      std::fprintf(stderr, "heard <%.*s>\n", static_cast<int>(line.size()), line.data());
    });
    std::abort();
  };
  EXPECT_EXIT(end(), testing::KilledBySignal(SIGABRT),
              testing::AllOf(testing::HasSubstr("heard <failure   signal 6 (Aborted)"),
                             testing::Not(testing::ContainsRegex("heard(.|\n)*heard"))));
  const auto fail = [] {
    ::signal(SIGABRT, SIG_DFL);
    report_signals();
    fail_a_check();
  };
  EXPECT_EXIT(fail(), testing::KilledBySignal(SIGABRT),
              testing::AllOf(testing::HasSubstr("sums are odd"), testing::Not(testing::HasSubstr("signal 6"))));
}

TEST(FailureReportDeathTest, AnExitWithinWorkIsAFailure) {
  const auto exit_within = [] {
    const NoExit working;
    std::exit(3);
  };
  EXPECT_DEATH(exit_within(), "failure *the program has called exit.. while its work goes on");
  const auto exit_after = [] {
    {
      const NoExit working;
    }
    std::exit(3);
  };
  EXPECT_EXIT(exit_after(), testing::ExitedWithCode(3), "");
}

TEST(FailureReportDeathTest, AHandlerThatIsThereStays) {
  const auto end = [] {
    ::signal(SIGSEGV, [](int) { ::_exit(7); });
    report_signals();
    ::raise(SIGSEGV);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace mobula::process
