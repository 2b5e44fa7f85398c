#include <gtest/gtest.h>

#include <mobula/core/spin_lock.hpp>
#include <thread>
#include <vector>

namespace mobula::core {
namespace {

TEST(SpinLock, OneThreadAtATimeHoldsIt) {
  SpinLock lock;
  int sum = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        const SpinLock::Guard locked(lock);
        ++sum;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 40'000);
}

}  // namespace
}  // namespace mobula::core
