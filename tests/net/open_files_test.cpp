#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <mobula/net/open_files.hpp>

namespace mobula::net {
namespace {

// In a process of its own, since a hard limit cannot be raised again.
void try_limits(rlim_t soft, rlim_t hard) {
  const rlimit limits{.rlim_cur = soft, .rlim_max = hard};
  if (::setrlimit(RLIMIT_NOFILE, &limits) != 0) std::exit(2);
  const core::Status raised = raise_open_files_limit();
  if (!raised) std::fprintf(stderr, "%s: %s\n", raised.error().reason, raised.error().message.c_str());
  rlimit now{};
  ::getrlimit(RLIMIT_NOFILE, &now);
  std::exit(raised && now.rlim_cur == hard ? 0 : 1);
}

TEST(OpenFiles, TheSoftLimitIsRaisedToTheHardOne) { EXPECT_EXIT(try_limits(32, 64), testing::ExitedWithCode(0), ""); }

TEST(OpenFiles, ALowHardLimitIsRefused) {
  EXPECT_EXIT(try_limits(12, 63), testing::ExitedWithCode(1),
              "few files: the process may open 63 files, and needs at least 64: raise the hard limit");
}

}  // namespace
}  // namespace mobula::net
