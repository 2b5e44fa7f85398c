// A level that a client receives before it joins. The server runs on a thread of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <client/served_demo.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/client/pipe/fetch_resources.hpp>
#include <optional>
#include <thread>

namespace mobula::client {
namespace {

class FetchResources : public testing::Test {
 protected:
  void TearDown() override {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void serve(std::shared_ptr<const resource::Resource> level, std::uint32_t spectators_max = 4) {
    server::ServerConfig config{.level = std::move(level), .spectators_max = spectators_max};
    config.transport = test::test_transport();
    served_.emplace(server_loop_, std::move(config), "loss=90%");
    access_ = served_->access;
    thread_ = std::thread([this] {
      while (!stopping_) {
        server_loop_.run_until(core::monotonic_now() + 10 * core::millisecond);
        served_->tick();
      }
    });
  }

  net::EventLoop loop_;
  Access access_;
  ResourceMemory store_;

 private:
  net::EventLoop server_loop_;
  std::optional<test::ServedDemo> served_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

TEST_F(FetchResources, GiveTheStoreTheLevel) {
  serve(test::hamlet());
  for (int i = 0; i < 2; ++i) {  // the second time it is there already
    const core::Status fetched = fetch_resources(loop_, access_, store_);
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_NE(store_.find(test::hamlet()->identity()), nullptr);
  }
}

TEST_F(FetchResources, FailIfTheServerRefusesSpectators) {
  serve(test::hamlet(), 0);
  const core::Status fetched = fetch_resources(loop_, access_, store_);
  ASSERT_FALSE(fetched);
  EXPECT_STREQ(fetched.error().reason, "closed");
}

}  // namespace
}  // namespace mobula::client
