// A client with the library's socket, and a server on a real one.
#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>
#include <client/c/guest.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/server_pipes.hpp>
#include <server/tiny_game.hpp>
#include <thread>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace mobula::c {
namespace {

using testing::HasSubstr;

constexpr core::Nanoseconds patience = 30 * core::second;

class CUdp : public testing::Test {
 protected:
  void SetUp() override {
    core::set_log_level(core::LogLevel::off);
    open_pipes(0);
    server::ServerConfig config = test::at_village({});
    config.secret.fill(std::byte{0x5b});
    server_ = std::move(*server::Server::start(std::move(config), game_));
    server_->set_unix_time(core::unix_now());
    const core::Bytes token = new_token();
    const mobula_client_options options = test::options_for(token);
    ASSERT_EQ(mobula_client_create(&options, 0, &client_), MOBULA_OK) << test::error_text();
  }
  void TearDown() override {
    mobula_client_destroy(client_);
    core::set_log_level(core::LogLevel::info);
  }

  void open_pipes(std::uint16_t port) {
    pipes_ = std::move(*net::ServerPipes::open(loop_, {.listen = transport::Address::v4(127, 0, 0, 1, port)}));
    pipes_->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      server_->receive(from, datagram, core::monotonic_now(), *pipes_);
    });
  }
  // The token names an address that nobody has: connect_udp gives the true one.
  core::Bytes new_token() {
    const transport::TokenRequest request{
        .client_id = ++tokens_, .servers = {test::village_address}, .expire_seconds = 300, .timeout_seconds = 1};
    return transport::write_token(test::test_token(request, test::test_transport().private_key, core::unix_now()));
  }
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(pipes_->local_port(transport::Pipe::udp));
  }
  [[nodiscard]] mobula_status status() const {
    auto status = test::sized<mobula_status>();
    EXPECT_EQ(mobula_client_status(client_, &status), MOBULA_OK);
    return status;
  }
  // Runs ticks of the server, and polls, until the condition holds or the client is closed for good.
  template <class Condition>
  bool run_until(const Condition& condition, bool serve = true) {
    const core::Nanoseconds end = core::monotonic_now() + patience;
    polled_ = MOBULA_OK;
    while (!condition() && polled_ == MOBULA_OK && core::monotonic_now() < end) {
      if (serve) {
        loop_.run_until(core::monotonic_now() + 5 * core::millisecond);
        server_->tick(core::monotonic_now(), *pipes_);
      }
      polled_ = mobula_client_poll(client_, serve ? 0 : 20);
    }
    return condition();
  }
  bool play() {
    return run_until([&] { return status().complete == 1 && status().player != 0; });
  }

  net::EventLoop loop_;
  test::TinyGame game_;
  std::unique_ptr<net::ServerPipes> pipes_;
  std::unique_ptr<server::Server> server_;
  mobula_client client_{};
  mobula_result polled_ = MOBULA_OK;
  std::uint64_t tokens_ = 0;
};

TEST_F(CUdp, PollPlaysAndLeavesWithDestroy) {
  EXPECT_EQ(mobula_client_poll(client_, 0), MOBULA_ERROR_WRONG_STATE) << "no socket yet";
  ASSERT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_OK) << test::error_text();
  ASSERT_TRUE(play());
  EXPECT_EQ(game_.names, std::vector<std::string>{"ada"});
  auto statistics = test::sized<mobula_statistics>();
  ASSERT_EQ(mobula_client_statistics(client_, &statistics), MOBULA_OK);
  EXPECT_GT(statistics.datagrams_received, 3u);
  EXPECT_GT(statistics.bytes_sent, 1000u);
  ASSERT_EQ(mobula_client_destroy(client_), MOBULA_OK);
  const core::Nanoseconds end = core::monotonic_now() + patience;
  while (game_.left == 0 && core::monotonic_now() < end) {
    loop_.run_until(core::monotonic_now() + 5 * core::millisecond);
    server_->tick(core::monotonic_now(), *pipes_);
  }
  EXPECT_EQ(game_.left, 1) << "the server received the farewell";
}

TEST_F(CUdp, ACommandOfBeforeTheSocketIsCarriedOut) {
  const core::Bytes command = test::move_command(42, 0);
  const auto size = static_cast<std::uint32_t>(command.size());
  ASSERT_EQ(mobula_client_set_command(client_, command.data(), size), MOBULA_OK) << test::error_text();
  ASSERT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_OK) << test::error_text();
  EXPECT_TRUE(run_until([&] {
    const ecs::Entity player = test::to_entity(status().player);
    const auto* const health = server_->world().registry().try_get<const demo::Health>(player);
    return health != nullptr && health->current == 42;
  }));
}

TEST_F(CUdp, APredictionOfBeforeTheSocketPredicts) {
  ASSERT_EQ(mobula_prediction_create(client_, nullptr), MOBULA_OK) << test::error_text();
  ASSERT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_OK) << test::error_text();
  auto info = test::sized<mobula_prediction_info>();
  auto step = test::sized<mobula_step>();
  EXPECT_TRUE(run_until([&] {
    EXPECT_EQ(mobula_prediction_begin_update(client_, mobula_now()), MOBULA_OK) << test::error_text();
    while (mobula_prediction_next_step(client_, &step) == MOBULA_OK) {
      EXPECT_EQ(mobula_client_poll(client_, 0), MOBULA_ERROR_WRONG_STATE) << "an update is in progress";
      EXPECT_EQ(mobula_prediction_end_step(client_), MOBULA_OK);
    }
    return mobula_prediction_status(client_, &info) == MOBULA_OK && info.tick > 5;
  }));
}

#ifndef _WIN32
// Returns the number of the first step that fails in a child of fork(), which has a copy of the client; 0 if none does.
int use_copy(mobula_client copy, const mobula_client_options& options) {
  auto status = test::sized<mobula_status>();
  if (mobula_client_status(copy, &status) != MOBULA_ERROR_WRONG_STATE) return 1;
  if (mobula_client_poll(copy, 0) != MOBULA_ERROR_WRONG_STATE) return 2;
  if (test::error_text().find("forked") == std::string::npos) return 3;
  if (mobula_client_leave(copy) != MOBULA_ERROR_WRONG_STATE) return 4;
  if (mobula_client_destroy(copy) != MOBULA_OK) return 5;
  if (mobula_client_destroy(copy) != MOBULA_ERROR_INVALID_CLIENT) return 6;
  mobula_client own{};
  if (mobula_client_create(&options, 0, &own) != MOBULA_OK) return 7;
  if (mobula_client_status(own, &status) != MOBULA_OK) return 8;
  return mobula_client_destroy(own) == MOBULA_OK ? 0 : 9;
}

TEST_F(CUdp, AForkedChildDoesNotEndTheSession) {
  ASSERT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_OK) << test::error_text();
  ASSERT_TRUE(play());
  const core::Bytes token = new_token();
  const mobula_client_options options = test::options_for(token);
  const pid_t child = fork();
  if (child == 0) _exit(use_copy(client_, options));
  int ended = -1;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  ASSERT_TRUE(WIFEXITED(ended));
  EXPECT_EQ(WEXITSTATUS(ended), 0) << "the step that failed";
  const std::uint32_t tick = status().tick;
  EXPECT_TRUE(run_until([&] { return status().tick > tick + 20; })) << test::error_text();
  EXPECT_EQ(game_.left, 0);
}

// The child has no thread that could end the call.
TEST_F(CUdp, AForkDuringACallLeavesACopyToDestroy) {
  ASSERT_EQ(mobula_client_connect_udp(client_, "127.0.0.1:9"), MOBULA_OK) << test::error_text();
  std::atomic<bool> done = false;
  std::thread poller([&] {
    while (!done) mobula_client_poll(client_, 1000);
  });
  std::this_thread::sleep_for(
      std::chrono::milliseconds(50));  // most likely a call is in progress; else nothing is shown
  const pid_t child = fork();
  if (child == 0) _exit(mobula_client_destroy(client_) == MOBULA_OK ? 0 : 1);
  int ended = -1;
  EXPECT_EQ(waitpid(child, &ended, 0), child);
  done = true;
  poller.join();
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}
#endif

TEST_F(CUdp, AddressesThatAreNoneAreRefused) {
  EXPECT_EQ(mobula_client_connect_udp(client_, "nowhere:0"), MOBULA_ERROR_BAD_ADDRESS);
  EXPECT_THAT(test::error_text(), HasSubstr("expected HOST or HOST:PORT"));
  EXPECT_EQ(mobula_client_connect_udp(client_, "no.such.host.invalid:1"), MOBULA_ERROR_BAD_ADDRESS);
  EXPECT_EQ(mobula_client_connect_udp(client_, nullptr), MOBULA_OK) << "an error has no effect";
  std::array<char, 64> text{};
  std::uint32_t length = 0;
  ASSERT_EQ(mobula_client_server_address(client_, 0, text.data(), text.size(), &length), MOBULA_OK);
  EXPECT_STREQ(text.data(), to_string(test::village_address).c_str()) << "that of the token";
}

TEST_F(CUdp, TimesOfAnotherClockAreRefused) {
  ASSERT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_OK);
  auto clock = test::sized<mobula_clock>();
  const std::int64_t of_the_wall = static_cast<std::int64_t>(core::unix_now()) * core::second;
  EXPECT_EQ(mobula_client_clock(client_, of_the_wall, &clock), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_clock(client_, mobula_now(), &clock), MOBULA_OK);
  EXPECT_EQ(mobula_client_clock(client_, 0, &clock), MOBULA_OK) << "counts as the last time";
}

TEST_F(CUdp, AHostThatHasBegunKeepsItsSocket) {
  ASSERT_EQ(mobula_client_update(client_, 0), MOBULA_OK);
  EXPECT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_ERROR_WRONG_STATE);
}

TEST_F(CUdp, ALostConnectionIsResumedByItself) {
  ASSERT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_OK);
  ASSERT_TRUE(play());
  // The rejoin tokens have arrived when the server has acknowledged later messages.
  const std::uint32_t tick = status().tick;
  ASSERT_TRUE(run_until([&] { return status().tick > tick + 20; }));
  const mobula_status before = status();
  const std::uint16_t port = pipes_->local_port(transport::Pipe::udp);
  pipes_.reset();
  ASSERT_TRUE(run_until([&] { return status().state != MOBULA_PLAYING; }, false)) << "the server is silent";
  EXPECT_EQ(polled_, MOBULA_OK) << "it is being resumed";
  open_pipes(port);
  ASSERT_TRUE(run_until([&] { return status().state == MOBULA_PLAYING && status().tick > before.tick + 5; }))
      << test::error_text();
  EXPECT_EQ(status().player, before.player);
  EXPECT_EQ(status().mirror, before.mirror);
  EXPECT_EQ(game_.names.size(), 1u) << "the same player";
}

TEST_F(CUdp, ANewTokenMayReplaceAnUnansweredRejoin) {
  ASSERT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_OK);
  ASSERT_TRUE(play());
  ASSERT_TRUE(run_until([&] { return status().rejoin_tokens > 0; }));
  const core::Bytes token = new_token();
  const auto reconnect = [&] { return mobula_client_reconnect(client_, token.data(), token.size(), mobula_now()); };
  EXPECT_EQ(reconnect(), MOBULA_ERROR_WRONG_STATE) << "the connection is open";
  const std::uint16_t port = pipes_->local_port(transport::Pipe::udp);
  pipes_.reset();
  ASSERT_TRUE(run_until([&] { return status().can_reconnect == 1; }, false)) << "the rejoin is not answered";
  EXPECT_EQ(polled_, MOBULA_OK) << "it is being resumed";
  EXPECT_GT(status().rejoin_tokens, 0u) << "only some have been tried";
  open_pipes(port);
  ASSERT_EQ(reconnect(), MOBULA_OK) << test::error_text();
  ASSERT_TRUE(run_until([&] { return status().mirror == 2 && status().complete == 1; })) << test::error_text();
  EXPECT_EQ(game_.names.size(), 2u) << "a new player";
}

TEST_F(CUdp, NoAnswerClosesAndANewTokenLeadsOn) {
  const std::string silent = "127.0.0.1:1";
  ASSERT_EQ(mobula_client_connect_udp(client_, silent.c_str()), MOBULA_OK);
  ASSERT_TRUE(run_until([&] { return polled_ == MOBULA_ERROR_CLOSED; }, false));
  EXPECT_THAT(test::error_text(), HasSubstr("no answer"));
  EXPECT_THAT(test::error_text(), HasSubstr("connect token")) << "the likely cause";
  EXPECT_EQ(mobula_client_poll(client_, 0), MOBULA_ERROR_CLOSED) << "also the next time";
  EXPECT_EQ(status().can_reconnect, 0u) << "the server had never accepted it";
}

TEST_F(CUdp, AClientThatLeftReconnectsWithANewToken) {
  ASSERT_EQ(mobula_client_connect_udp(client_, address().c_str()), MOBULA_OK);
  ASSERT_TRUE(play());
  ASSERT_EQ(mobula_client_leave(client_), MOBULA_OK);
  EXPECT_EQ(mobula_client_poll(client_, 0), MOBULA_ERROR_CLOSED);
  ASSERT_TRUE([&] {
    for (int i = 0; i < 100 && game_.left == 0; ++i) {
      loop_.run_until(core::monotonic_now() + 5 * core::millisecond);
      server_->tick(core::monotonic_now(), *pipes_);
    }
    return game_.left == 1;
  }());
  const core::Bytes token = new_token();
  ASSERT_EQ(mobula_client_reconnect(client_, token.data(), token.size(), mobula_now()), MOBULA_OK)
      << test::error_text();
  ASSERT_TRUE(run_until([&] { return status().mirror == 2 && status().complete == 1; })) << test::error_text();
  EXPECT_EQ(game_.names.size(), 2u);
}

}  // namespace
}  // namespace mobula::c
