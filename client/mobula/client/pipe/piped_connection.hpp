// A connection with the pipe that it uses. A simulated network of a test lies between them.
#pragma once

#include <functional>
#include <memory>
#include <mobula/client/connection/recorded_connection.hpp>
#include <mobula/client/pipe/access.hpp>
#include <mobula/net/client_pipe.hpp>
#include <mobula/transport/simulation/simulated_pipe.hpp>
#include <string>

namespace mobula::client {

class PipedConnection {
 public:
  using Handler = std::function<void(core::Nanoseconds now)>;

  /// Makes a connection without a pipe. `seed` makes the simulated network deterministic. `recording`, if not null,
  /// records the connection. Loop, access and recording outlive this.
  PipedConnection(net::EventLoop& loop, const Access& access, const ConnectionConfig& config, std::uint64_t seed,
                  RecordingWriter* recording = nullptr);
  PipedConnection(const PipedConnection&) = delete;
  PipedConnection& operator=(const PipedConnection&) = delete;

  /// Opens a pipe in place of the former one. Reasons: those of net::ClientPipe::open.
  core::Status open_pipe(const net::Destination& destination);
  /// Sets what is called after each datagram has been processed.
  void on_received(Handler handler) { received_ = std::move(handler); }
  /// Regards the pipe as ended.
  void end_pipe(std::string_view why) { pipe_end_ = why; }
  /// Updates the connection. Datagrams leave with flush().
  void update(core::Nanoseconds now);
  void flush(core::Nanoseconds now);
  /// Closes the connection.
  void close();
  /// Ends it as if it were lost (Connection::drop).
  void drop();
  /// Takes the connection of the player's first pipe, which goes on as this one (Connection::follow). `first` has none
  /// afterwards.
  void take_over(PipedConnection& first);
  /// Delivers due datagrams of the simulated network, and returns when the next one is due; `none` without one.
  core::Nanoseconds deliver(core::Nanoseconds now, core::Nanoseconds none);

  /// Inputs go through this, so that a recording contains them.
  [[nodiscard]] ConnectionInput& input();
  [[nodiscard]] Connection& connection() { return *connection_; }
  [[nodiscard]] const Connection& connection() const { return *connection_; }
  /// Sums of all pipes that it has had.
  [[nodiscard]] net::ClientPipeCounters counters() const;

 private:
  transport::Output& output();

  net::EventLoop& loop_;
  const Access& access_;
  std::uint64_t seed_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<RecordedConnection> recorded_;  // null without a recording
  std::unique_ptr<net::ClientPipe> pipe_;
  std::unique_ptr<transport::SimulatedPipe> simulated_;  // null without a simulated network
  net::ClientPipeCounters former_pipes_;
  std::string pipe_end_;  // why the pipe has ended; empty while it has not
  Handler received_;
};

/// Returns the sums of both.
net::ClientPipeCounters sum(const net::ClientPipeCounters& a, const net::ClientPipeCounters& b);

}  // namespace mobula::client
