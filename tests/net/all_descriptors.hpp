// Takes all descriptors that the process may have, with a low limit.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

namespace mobula::test {

class AllDescriptors {
 public:
  AllDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(STDERR_FILENO);
    ::close(next);
    rlimit low = before_;
    low.rlim_cur = static_cast<rlim_t>(next) + 64;
    ::setrlimit(RLIMIT_NOFILE, &low);
    while (take()) continue;
  }
  ~AllDescriptors() {
    while (!taken_.empty()) give_back();
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  AllDescriptors(const AllDescriptors&) = delete;
  AllDescriptors& operator=(const AllDescriptors&) = delete;

  // Takes one more. Returns false if there is none.
  bool take() {
    const int descriptor = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor >= 0) taken_.push_back(descriptor);
    return descriptor >= 0;
  }
  void give_back() {
    ::close(taken_.back());
    taken_.pop_back();
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

}  // namespace mobula::test
