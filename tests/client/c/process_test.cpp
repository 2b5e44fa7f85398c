#include <c/process.hpp>

#include <gtest/gtest.h>

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
#endif

}  // namespace
}  // namespace mobula::c
