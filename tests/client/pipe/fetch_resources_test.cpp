// A level that a client receives before it joins. The server runs on a thread of its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <examples/demo/demo_game.hpp>
#include <filesystem>
#include <fstream>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/client/pipe/fetch_resources.hpp>
#include <mobula/net/server_pipes.hpp>
#include <server/hamlet.hpp>
#include <thread>

namespace mobula::client {
namespace {

class FetchResources : public testing::Test {
 protected:
  void SetUp() override {
    key_file_ = std::filesystem::temp_directory_path() / ("mobula_fetch_test." + std::to_string(::getpid()));
    std::string digits;
    for (int i = 0; i < 32; ++i) digits += "5a";  // test_transport()'s key
    std::ofstream(key_file_) << digits << '\n';
    std::filesystem::permissions(key_file_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  void TearDown() override {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    std::filesystem::remove(key_file_);
  }

  void serve(std::shared_ptr<const resource::Resource> level, std::uint32_t spectators_max = 4) {
    pipes_ = std::move(*net::ServerPipes::open(server_loop_, {.listen = transport::Address::v4(127, 0, 0, 1, 0)}));
    const auto address = transport::Address::v4(127, 0, 0, 1, pipes_->local_port(transport::Pipe::udp));
    server::ServerConfig config{.level = std::move(level), .spectators_max = spectators_max};
    config.transport = test::test_transport();
    config.transport.public_addresses = config.token_servers = {address};
    config.secret.fill(std::byte{0x5b});
    server_ = std::move(*server::Server::start(std::move(config), game_));
    server_->set_unix_time(core::unix_now());
    pipes_->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      server_->receive(from, datagram, core::monotonic_now(), *pipes_);
    });
    access_ = *parse_access({.connect = transport::to_string(address),
                             .token_file = {},
                             .key_file = key_file_.string(),
                             .admin = {},
                             .ca_file = {},
                             .simulate = "loss=90%"});
    thread_ = std::thread([this] {
      while (!stopping_) {
        server_loop_.run_until(core::monotonic_now() + 10 * core::millisecond);
        server_->tick(core::monotonic_now(), *pipes_);
      }
    });
  }

  net::EventLoop loop_;
  Access access_;
  ResourceMemory store_;

 private:
  net::EventLoop server_loop_;
  demo::DemoGame game_;
  std::unique_ptr<net::ServerPipes> pipes_;
  std::unique_ptr<server::Server> server_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
  std::filesystem::path key_file_;
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
