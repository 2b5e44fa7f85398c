#include <gtest/gtest.h>

#include <mobula/server/admin/request_queue.hpp>
#include <thread>
#include <vector>

namespace mobula::server::admin {
namespace {

core::Nanoseconds fake_now = 0;

class TestRequest final : public QueuedRequest {
 public:
  explicit TestRequest(std::vector<int>& log, int number, core::Nanoseconds duration = 0)
      : log_(log), number_(number), duration_(duration) {}

  bool handed_back = false;

 private:
  void work() noexcept override {
    log_.push_back(number_);
    fake_now += duration_;
  }
  void hand_back(std::shared_ptr<QueuedRequest> /*self*/) noexcept override { handed_back = true; }

  std::vector<int>& log_;
  int number_;
  core::Nanoseconds duration_;
};

core::Nanoseconds read_fake_clock() { return fake_now; }

TEST(AdminRequestQueue, RunsRequestsInOrderAndHandsThemBack) {
  RequestQueue queue(read_fake_clock);
  std::vector<int> log;
  std::vector<std::shared_ptr<TestRequest>> requests;
  for (int i = 0; i < 5; ++i) {
    requests.push_back(std::make_shared<TestRequest>(log, i));
    EXPECT_TRUE(queue.put(requests.back()));
  }
  EXPECT_EQ(queue.serve(core::second), 5u);
  EXPECT_EQ(log, (std::vector<int>{0, 1, 2, 3, 4}));
  for (const auto& each : requests) {
    EXPECT_TRUE(each->handed_back);
    EXPECT_EQ(each.use_count(), 1) << "the queue keeps no reference";
  }
  EXPECT_EQ(queue.serve(core::second), 0u);
}

TEST(AdminRequestQueue, ServesForItsTimeAndAtLeastOne) {
  RequestQueue queue(read_fake_clock);
  std::vector<int> log;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.put(std::make_shared<TestRequest>(log, i, 600)));
  EXPECT_EQ(queue.serve(1000), 2u);
  EXPECT_EQ(queue.serve(0), 1u);
  EXPECT_EQ(queue.serve(600), 1u);
  EXPECT_EQ(queue.serve(600), 0u);
}

TEST(AdminRequestQueue, DoesNotRunAWithdrawnRequest) {
  RequestQueue queue(read_fake_clock);
  std::vector<int> log;
  const auto first = std::make_shared<TestRequest>(log, 1);
  const auto second = std::make_shared<TestRequest>(log, 2);
  ASSERT_TRUE(queue.put(first));
  ASSERT_TRUE(queue.put(second));
  EXPECT_TRUE(queue.withdraw(*first));
  EXPECT_FALSE(queue.withdraw(*first));
  EXPECT_EQ(queue.serve(core::second), 1u);
  EXPECT_EQ(log, std::vector<int>{2});
  EXPECT_FALSE(queue.withdraw(*second)) << "it has run already";
}

TEST(AdminRequestQueue, LimitsWaitingRequests) {
  RequestQueue queue(read_fake_clock);
  std::vector<int> log;
  std::vector<std::shared_ptr<TestRequest>> requests;
  for (std::size_t i = 0; i < 64; ++i) {
    requests.push_back(std::make_shared<TestRequest>(log, static_cast<int>(i)));
    ASSERT_TRUE(queue.put(requests.back()));
  }
  EXPECT_FALSE(queue.put(std::make_shared<TestRequest>(log, -1)));
  EXPECT_TRUE(queue.withdraw(*requests[3]));
  EXPECT_TRUE(queue.put(std::make_shared<TestRequest>(log, -2))) << "withdrawn requests do not count";
  EXPECT_EQ(queue.serve(core::second), 64u);
  EXPECT_EQ(log.back(), -2);
}

// One thread puts and withdraws requests, the other serves. Each request is run or withdrawn, never both.
TEST(AdminRequestQueue, EachRequestIsRunOrWithdrawn) {
  struct Counted final : QueuedRequest {
    void work() noexcept override { ++worked; }
    void hand_back(std::shared_ptr<QueuedRequest> /*self*/) noexcept override { ++handed_back; }
    int worked = 0;
    std::atomic<int> handed_back = 0;
  };
  RequestQueue queue;
  std::atomic<bool> stop = false;
  std::thread server([&] {
    while (!stop) queue.serve(core::microsecond);
    queue.serve(10 * core::second);
  });
  std::vector<std::shared_ptr<Counted>> all;
  std::vector<bool> withdrawn;
  std::uint32_t state = 7;
  for (int i = 0; i < 20'000; ++i) {
    const auto one = std::make_shared<Counted>();
    if (!queue.put(one)) continue;
    state = state * 1664525 + 1013904223;
    const bool tries = state >> 31 != 0;
    all.push_back(one);
    withdrawn.push_back(tries && queue.withdraw(*one));
  }
  stop = true;
  server.join();
  std::size_t worked = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i]->worked, withdrawn[i] ? 0 : 1);
    ASSERT_EQ(all[i]->handed_back, all[i]->worked);
    worked += static_cast<std::size_t>(all[i]->worked);
  }
  EXPECT_GT(worked, 0u);
}

}  // namespace
}  // namespace mobula::server::admin
