#include <gtest/gtest.h>

#include <mobula/core/spin_lock.hpp>
#include <optional>
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
        const SpinLock::Guard locked(lock, [] { ADD_FAILURE() << "there was no fork"; });
        ++sum;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 40'000);
}

TEST(SpinLock, AChildTakesItOverFromAThreadOfItsParent) {
  SpinLock lock;
  int renewed = 0;
  const auto renew = [&] { ++renewed; };
  std::optional<SpinLock::Guard> of_parent;
  of_parent.emplace(lock, renew);
  count_fork();  // as if this were the child
  {
    const SpinLock::Guard locked(lock, renew);
    EXPECT_EQ(renewed, 1);
  }
  const SpinLock::Guard again(lock, renew);
  EXPECT_EQ(renewed, 1) << "what it guards is renewed once";
}

}  // namespace
}  // namespace mobula::core
