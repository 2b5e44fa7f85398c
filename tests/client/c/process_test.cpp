#include <c/mobula_client.h>

#include <c/process.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mobula/core/log.hpp>
#include <mobula/process/log_output.hpp>
#include <string>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace mobula::c {
namespace {

TEST(CProcess, TheNumberIsOneForAllCalls) { EXPECT_EQ(process_number(), process_number()); }

#ifndef _WIN32
// Returns the number in a child of fork(), or in a child of that.
std::uint32_t number_after(int forks) {
  if (forks == 0) return process_number();
  const pid_t child = fork();
  if (child == 0) _exit(static_cast<int>(number_after(forks - 1)));
  int ended = -1;
  waitpid(child, &ended, 0);
  return WIFEXITED(ended) ? static_cast<std::uint32_t>(WEXITSTATUS(ended)) : ~0u;
}

TEST(CProcess, EachForkCountsInTheChildAlone) {
  const std::uint32_t number = process_number();
  EXPECT_EQ(number_after(1), number + 1);
  EXPECT_EQ(number_after(2), number + 2);
  EXPECT_EQ(process_number(), number);
}

// Threads that write and read the log until they are destroyed, so that a fork finds its locks held.
class Loggers {
 public:
  Loggers() {
    core::set_log_output(nullptr);  // as in a host, which has no log of a process
    threads_.emplace_back([this] {
      while (!ended_) core::log_line(core::LogLevel::error, "client", "a line of the parent");
    });
    threads_.emplace_back([this] {
      char text[100];
      while (!ended_) core::read_log(text);
    });
  }
  ~Loggers() {
    ended_ = true;
    for (std::thread& thread : threads_) thread.join();
    core::set_log_output(process::write_log_record);
  }

 private:
  std::atomic<bool> ended_ = false;
  std::vector<std::thread> threads_;
};

// Returns whether the log has whole lines, and then takes one of this process. For a child: it is killed if it waits.
bool can_log() {
  alarm(60);
  std::int32_t level = 0;
  char text[200];
  std::uint32_t length = 0;
  const auto next = [&] { return mobula_next_log(&level, text, sizeof text, &length); };
  mobula_result result = MOBULA_OK;
  for (int lines = 0; lines < 10'000 && (result = next()) == MOBULA_OK; ++lines) {
    const std::string line(text, length);
    if (!line.ends_with("a line of the parent") && !line.ends_with("are lost here: the log was not read")) return false;
  }
  if (result != MOBULA_NOTHING) return false;
  core::log_line(core::LogLevel::error, "client", "a line of the child");
  return next() == MOBULA_OK && std::string(text, length).ends_with("a line of the child") && next() == MOBULA_NOTHING;
}

TEST(CProcess, AChildLogsThoughTheForkInterruptedTheLog) {
  const Loggers loggers;
  for (int forks = 0; forks < 100; ++forks) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(can_log() ? 0 : 1);
    int ended = -1;
    waitpid(child, &ended, 0);
    ASSERT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << "fork " << forks << ": " << ended;
  }
}
#endif

}  // namespace
}  // namespace mobula::c
