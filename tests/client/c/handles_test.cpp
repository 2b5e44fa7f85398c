// Clients by handle: every handle that is not one is refused, and a client is in one call at a time.
#include <gtest/gtest.h>

#include <atomic>
#include <client/c/guest.hpp>
#include <set>
#include <thread>

namespace mobula::c {
namespace {

using test::sized;

class CHandles : public testing::Test {
 protected:
  mobula_client create() {
    const mobula_client_options options = test::options_for(token);
    mobula_client client{};
    EXPECT_EQ(mobula_client_create(&options, 0, &client), MOBULA_OK) << test::error_text();
    return client;
  }
  static mobula_result use(mobula_client client) {
    auto status = sized<mobula_status>();
    return mobula_client_status(client, &status);
  }

  core::Bytes token = test::token_bytes(1);
};

TEST_F(CHandles, NoHandleIsZero) {
  EXPECT_EQ(use({0, 0}), MOBULA_ERROR_INVALID_CLIENT);
  EXPECT_EQ(mobula_client_destroy({0, 0}), MOBULA_ERROR_INVALID_CLIENT);
}

TEST_F(CHandles, ADestroyedClientIsRefused) {
  const mobula_client client = create();
  EXPECT_EQ(use(client), MOBULA_OK);
  EXPECT_EQ(mobula_client_destroy(client), MOBULA_OK);
  EXPECT_EQ(use(client), MOBULA_ERROR_INVALID_CLIENT);
  EXPECT_EQ(mobula_client_destroy(client), MOBULA_ERROR_INVALID_CLIENT);
  EXPECT_EQ(test::error_text(), "there is no client " + std::to_string(client.index) + "." +
                                    std::to_string(client.generation) + ": it was destroyed, or never created");
}

TEST_F(CHandles, HandlesThatNeverWereAreRefused) {
  const mobula_client client = create();
  EXPECT_EQ(use({client.index, client.generation + 1}), MOBULA_ERROR_INVALID_CLIENT);
  EXPECT_EQ(use({client.index, ~0u}), MOBULA_ERROR_INVALID_CLIENT);
  EXPECT_EQ(use({MOBULA_CLIENTS_MAX, client.generation}), MOBULA_ERROR_INVALID_CLIENT);
  EXPECT_EQ(use({~0u, ~0u}), MOBULA_ERROR_INVALID_CLIENT);
  EXPECT_EQ(use(client), MOBULA_OK);
  EXPECT_EQ(mobula_client_destroy(client), MOBULA_OK);
}

TEST_F(CHandles, AHundredThousandClientsNeverShareAHandle) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  constexpr std::size_t clients = 100'000;
  for (std::size_t i = 0; i < clients; ++i) {
    const mobula_client client = create();
    seen.emplace(client.index, client.generation);
    ASSERT_EQ(mobula_client_destroy(client), MOBULA_OK);
  }
  EXPECT_EQ(seen.size(), clients);
}

TEST_F(CHandles, OneMoreThanTheLimitIsRefused) {
  std::vector<mobula_client> all;
  for (int i = 0; i < MOBULA_CLIENTS_MAX; ++i) all.push_back(create());
  const mobula_client_options options = test::options_for(token);
  mobula_client more{1, 1};
  EXPECT_EQ(mobula_client_create(&options, 0, &more), MOBULA_ERROR_TOO_MANY_CLIENTS);
  EXPECT_EQ(more.generation, 0u);
  EXPECT_EQ(mobula_client_destroy(all[7]), MOBULA_OK);
  EXPECT_EQ(mobula_client_create(&options, 0, &all[7]), MOBULA_OK);
  for (const mobula_client client : all) EXPECT_EQ(mobula_client_destroy(client), MOBULA_OK);
}

// Threads create, use and destroy clients of their own.
TEST_F(CHandles, ClientsOfDifferentThreadsAreIndependent) {
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const mobula_client client = create();
        if (use(client) != MOBULA_OK || mobula_client_destroy(client) != MOBULA_OK) ++failures;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

// Uses a client while another thread waits in a call for it.
mobula_result use_while_polled(mobula_client client) {
  EXPECT_EQ(mobula_client_connect_udp(client, "127.0.0.1:9"), MOBULA_OK) << test::error_text();
  std::atomic<bool> done = false;
  std::thread poller([&] {
    while (!done) mobula_client_poll(client, 1000);
  });
  mobula_result result = MOBULA_OK;
  for (int tries = 0; result != MOBULA_ERROR_BUSY && tries < 10'000'000; ++tries) {
    auto status = sized<mobula_status>();
    result = mobula_client_status(client, &status);
  }
  done = true;
  poller.join();
  return result;
}

#ifdef MOBULA_ASSERTS
using CHandlesDeathTest = CHandles;

TEST_F(CHandlesDeathTest, TwoThreadsInOneClientFailAnAssertion) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(use_while_polled(create()), "two threads use one Mobula client at the same time");
}
#else
TEST_F(CHandles, TwoThreadsInOneClientAreBusy) {
  const mobula_client client = create();
  EXPECT_EQ(use_while_polled(client), MOBULA_ERROR_BUSY);
  EXPECT_EQ(mobula_client_destroy(client), MOBULA_OK);
}
#endif

}  // namespace
}  // namespace mobula::c
