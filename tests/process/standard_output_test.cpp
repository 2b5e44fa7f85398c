#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

namespace mobula::process {
namespace {

using testing::ExitedWithCode;

void fill_the_disk() { ::dup2(::open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO); }

// Runs in a child process, as the first error is kept.
[[noreturn]] void print_and_end(bool disk_is_full, int status) {
  if (disk_is_full) fill_the_disk();
  print("one\n");
  print("two\n");
  ::_exit(end_output("mobula-count", status));
}

TEST(StandardOutput, PrintsTextAtOnce) {
  testing::internal::CaptureStdout();
  print("one ");
  print(std::string(100'000, 'x'));
  print("");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one " + std::string(100'000, 'x'));
  EXPECT_TRUE(printed().ok());
}

TEST(StandardOutput, AWrittenOutputKeepsTheStatus) {
  EXPECT_EXIT(print_and_end(false, 0), ExitedWithCode(0), "^$");
  EXPECT_EXIT(print_and_end(false, 2), ExitedWithCode(2), "^$");
}

TEST(StandardOutput, AFullDiskIsReportedAndEndsWithAFailure) {
  constexpr const char* line = "^mobula-count: standard output: No space left on device\n$";
  EXPECT_EXIT(print_and_end(true, 0), ExitedWithCode(1), line);
  EXPECT_EXIT(print_and_end(true, 2), ExitedWithCode(2), line);
}

TEST(StandardOutput, AClosedOutputIsReported) {
  const auto print_to_nothing = [] {
    ::close(STDOUT_FILENO);
    print("one\n");
    ::_exit(printed().ok() ? 0 : end_output("mobula-count", 0));
  };
  EXPECT_EXIT(print_to_nothing(), ExitedWithCode(1), "mobula-count: standard output: Bad file descriptor");
}

TEST(StandardOutput, HelpThatIsNotWrittenIsAFailure) {
  const auto help = [] {
    fill_the_disk();
    CLI::App app("Counts.", "mobula-count");
    const std::array arguments{"mobula-count", "--help"};
    ::_exit(parse_command_line(app, static_cast<int>(arguments.size()), arguments.data()).value_or(0));
  };
  EXPECT_EXIT(help(), ExitedWithCode(1), "mobula-count: standard output: No space left on device");
}

}  // namespace
}  // namespace mobula::process
