// A connection on a pipe of its own. When the connection is lost it resumes by itself, as the same player, with a
// rejoin token that the server gave. A server that was restarted does not answer those, and a server refuses them when
// the grace period is over. Then it reconnects with a new token, from its token source. It does so too when the server
// has sent the player to another world of the cluster. The mirror of the former world stays until that world welcomes
// it.
//
// When the player comes near another zone, a second connection sees it there, while the present one shows the world:
// see zone_follower.hpp.
#pragma once

#include <functional>
#include <memory>
#include <mobula/client/connection/zone_follower.hpp>
#include <mobula/client/pipe/piped_connection.hpp>
#include <mobula/client/prediction/prediction.hpp>
#include <span>

namespace mobula::client {

/// A connect token of a world, and where the world is. Without `server` a client that uses UDP connects to the first
/// address of the token, and others to the former server.
struct WorldToken {
  transport::ConnectToken token;
  std::optional<net::Destination> server = std::nullopt;
};

/// Returns a connect token, or nothing if it has not arrived yet. It is called repeatedly and must not block. `world`
/// is the name of the world to which the server has sent the player; empty before that.
using TokenSource = std::function<core::Result<std::optional<WorldToken>>(const std::string& world)>;

/// Returns a source of tokens as `access` specifies. It fetches each on a thread. The last copy of it waits for that
/// thread: several seconds if the admin address does not answer.
TokenSource token_source_of(const Access& access);

/// Interval at which a program without a picture calls PipeClient::update.
inline constexpr core::Nanoseconds update_interval = 25 * core::millisecond;

class PipeClient {
 public:
  /// Opens a pipe and starts to connect. `config` holds the connect token. `seed` makes the simulated network
  /// deterministic. `recording`, if not null, records the connection and must outlive the client. A recorded client has
  /// one connection at a time. Reasons: those of opening a pipe.
  static core::Result<std::unique_ptr<PipeClient>> open(net::EventLoop& loop, const Access& access,
                                                        ConnectionConfig config, std::uint64_t seed = 1,
                                                        RecordingWriter* recording = nullptr);

  /// Updates the connection and resumes it if it was lost. Call it about once per tick of the server. It hands out
  /// events, and the mirror's changes.
  void update();
  /// Sets the command that the next update sends. See ConnectionInput.
  void set_command(core::ByteView command) { present_->input().set_command(command); }
  /// Predicts by these rules, with each update from now on. The rules outlive the client, and the connection's config
  /// has the schema that they are compiled with.
  void predict(const prediction::Rules& rules, const PredictionConfig& config);
  /// Returns the prediction. Null before predict().
  [[nodiscard]] const Prediction* prediction() const { return prediction_.get(); }
  /// Leaves the server for good.
  void close();
  /// Sets where connect tokens for a reconnect come from, such as a game's backend. With an empty source the client is
  /// over when it cannot rejoin. The default is token_source_of(); a token file has no second one.
  void set_token_source(TokenSource source) {
    more_tokens_ = std::move(source);
    follows_ = true;
  }
  /// Drops the pipe without notifying the server, as a network failure would. The next update tries to resume.
  void drop_pipe() { present_->end_pipe("dropped by the client"); }
  /// Sums of all pipes that the client has had.
  [[nodiscard]] net::ClientPipeCounters counters() const;
  /// Sets a function that is called after each datagram has been processed.
  void on_received(PipedConnection::Handler handler);
  /// Returns the connection, to read its state. Its inputs go through this class, so that a recording contains them.
  /// When the player goes to another zone, it goes on as another connection (Connection::follow).
  [[nodiscard]] const Connection& connection() const { return present_->connection(); }
  /// Returns how often the connection was lost or could not be resumed.
  [[nodiscard]] std::uint64_t losses() const { return losses_; }
  /// Returns why the connection was lost the last time.
  [[nodiscard]] const transport::Reason& last_loss() const { return last_loss_; }
  /// Returns how often the client has followed its player to another zone.
  [[nodiscard]] std::uint64_t zone_changes() const { return zone_changes_; }
  /// Returns whether the connection is closed and will not be resumed.
  [[nodiscard]] bool over() const { return over_; }

 private:
  friend void run_until(net::EventLoop& loop, core::Nanoseconds deadline, std::span<PipeClient* const> clients);
  PipeClient(net::EventLoop& loop, const Access& access, std::uint64_t seed)
      : loop_(loop),
        access_(access),
        more_tokens_(gives_more_tokens(access) ? token_source_of(access) : TokenSource()),
        follows_(is_in_cluster(access)),
        seed_(seed) {}

  Connection& present() { return present_->connection(); }
  void update_second(core::Nanoseconds now);
  core::Status open_second();
  void drop_second();
  void give_up_second(const transport::Reason& reason);
  void switch_to_second();
  void on_lost(core::Nanoseconds now);
  void note_loss(bool has_played);
  void resume(core::Nanoseconds now);
  [[nodiscard]] bool is_rejoin_in_vain(core::Nanoseconds now) const;
  void rejoin(core::Nanoseconds now);
  void reconnect(core::Nanoseconds now, bool may_rejoin);
  [[nodiscard]] bool is_here(const WorldToken& to) const;
  void aim(WorldToken& to);

  net::EventLoop& loop_;
  Access access_;
  TokenSource more_tokens_;  // empty if there are none
  bool follows_;             // whether they may be of another world
  std::uint64_t seed_;
  std::unique_ptr<PipedConnection> present_;
  std::unique_ptr<PipedConnection> second_;  // in the zone where the player is or may go; null without one
  ZoneFollower follower_;
  net::Destination second_destination_;
  net::ClientPipeCounters former_;          // those of connections before the present one
  std::unique_ptr<Prediction> prediction_;  // null if nothing is predicted
  PipedConnection::Handler received_;
  std::string world_;               // to which the player was sent; empty before that
  core::Nanoseconds lost_at_ = 0;   // 0 while it is not lost
  core::Nanoseconds tried_at_ = 0;  // the last rejoin
  std::uint32_t rejoins_ = 0;       // since it was lost
  core::Nanoseconds next_try_ = 0;
  bool requested_token_ = false;  // the last attempt requested a new token
  bool lost_ = false;             // the current connection
  std::uint64_t losses_ = 0;
  std::uint64_t zone_changes_ = 0;
  transport::Reason last_loss_;
  bool over_ = false;
};

/// Gets a connect token and opens a client with it. Reasons: those of get_tokens and PipeClient::open.
core::Result<std::unique_ptr<PipeClient>> enter(net::EventLoop& loop, const Access& access, ConnectionConfig config,
                                                RecordingWriter* recording = nullptr);

/// Runs the loop until `deadline`, and delivers the datagrams of the clients' simulated networks when they are due.
void run_until(net::EventLoop& loop, core::Nanoseconds deadline, std::span<PipeClient* const> clients);

}  // namespace mobula::client
