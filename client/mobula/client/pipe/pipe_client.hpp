// A Connection on a pipe of its own. When pipe or server are lost for a while it comes back by itself: as the player it
// was, by the tokens that the server gave, or, where they are not answered, by a token of whoever gave the first. The
// server has ended since, then, and begun anew.
#pragma once

#include <functional>
#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <mobula/client/pipe/access.hpp>
#include <mobula/net/client_pipe.hpp>
#include <mobula/transport/simulation/simulated_pipe.hpp>
#include <span>

namespace mobula::client {

// A connect token, or nothing: it is not there yet. Must not wait: it is asked in the loop, again and again.
using TokenSource = std::function<core::Result<std::optional<transport::ConnectToken>>()>;

// How often a program that shows nothing updates it.
inline constexpr core::Nanoseconds update_interval = 25 * core::millisecond;

class PipeClient {
 public:
  // `config` has the token. `seed` is of the simulated network. Reasons: those of opening a pipe.
  static core::Result<std::unique_ptr<PipeClient>> open(net::EventLoop& loop, const Access& access,
                                                        ConnectionConfig config, std::uint64_t seed = 1);

  // Once per tick of the server or so. The mirror's lists of changes are then emptied: they tell of what came since the
  // last time.
  void update();
  void close();
  // Of tokens to come in anew by, where it cannot come back by those it was given. Else it gets them as `access` says,
  // on a thread, and its destructor waits for that one's end: some seconds, if the admin address does not answer.
  void set_token_source(TokenSource source) { more_tokens_ = std::move(source); }
  // As if the path were gone: without a word to the server. It comes back by another, if it was given a token for that.
  void lose_way() { pipe_end_ = "its client gave it up"; }
  // Of all the pipes it has had.
  [[nodiscard]] net::ClientPipeCounters counters() const;
  // Called after each datagram has been taken in.
  void on_received(std::function<void(core::Nanoseconds now)> handler) { received_ = std::move(handler); }
  [[nodiscard]] Connection& connection() { return *connection_; }
  // How often it lost its connection, or could not come back, and why the last time.
  [[nodiscard]] std::uint64_t losses() const { return losses_; }
  [[nodiscard]] const transport::Reason& last_loss() const { return last_loss_; }
  // It will not come back by itself: closed for good.
  [[nodiscard]] bool over() const { return over_; }

 private:
  friend void run_until(net::EventLoop& loop, core::Nanoseconds deadline, std::span<PipeClient* const> clients);
  PipeClient(net::EventLoop& loop, const Access& access, std::uint64_t seed)
      : loop_(loop), access_(access), more_tokens_(fetch_aside(access)), seed_(seed) {}

  static TokenSource fetch_aside(const Access& access);
  core::Status open_pipe();
  transport::Output& output();
  void come_back(core::Nanoseconds now);
  void try_again(core::Nanoseconds now);
  void enter_again(core::Nanoseconds now);

  net::EventLoop& loop_;
  Access access_;
  TokenSource more_tokens_;
  std::uint64_t seed_;
  std::unique_ptr<net::ClientPipe> pipe_;
  net::ClientPipeCounters former_pipes_;
  std::unique_ptr<transport::SimulatedPipe> simulated_;  // null: the real network alone
  std::unique_ptr<Connection> connection_;
  std::function<void(core::Nanoseconds now)> received_;
  core::Nanoseconds lost_at_ = 0;  // 0: it is not
  core::Nanoseconds next_try_ = 0;
  bool asked_ = false;    // the last try was to get another token
  std::string pipe_end_;  // why the pipe has ended; empty: it has not
  bool lost_ = false;     // the present connection
  std::uint64_t losses_ = 0;
  transport::Reason last_loss_;
  bool over_ = false;
};

// A token and a client with it. Reasons: those of get_tokens and PipeClient::open.
core::Result<std::unique_ptr<PipeClient>> enter(net::EventLoop& loop, const Access& access, ConnectionConfig config);

// Runs the loop, and hands out in time what the clients' simulated networks hold.
void run_until(net::EventLoop& loop, core::Nanoseconds deadline, std::span<PipeClient* const> clients);

}  // namespace mobula::client
