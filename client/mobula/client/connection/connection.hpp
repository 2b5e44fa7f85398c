// One client's conversation with a server: hello, welcome, prototypes, deltas, acknowledgements, commands.
//
// It has no sockets, clock or threads: datagrams and the time go in, datagrams come out. When the connection is lost,
// the same player can resume: rejoin() starts a new session with a token that the server gave. A server that was
// restarted does not accept those tokens: reconnect() takes a new connect token.
//
//   connecting ──► joining ──► playing ──► closed
//       ▲    handshake   Welcome      │       │
//       └──────────── rejoin, reconnect ──────┘
#pragma once

#include <memory>
#include <mobula/client/connection/command_log.hpp>
#include <mobula/client/connection/connection_config.hpp>
#include <mobula/client/connection/connection_input.hpp>
#include <mobula/client/connection/delta_progress.hpp>
#include <mobula/client/connection/event_queue.hpp>
#include <mobula/client/connection/resource_fetch.hpp>
#include <mobula/client/connection/server_clock.hpp>
#include <mobula/client/connection/verification.hpp>
#include <mobula/client/connection/welcome_wait.hpp>
#include <optional>
#include <string>
#include <utility>

namespace mobula::client {

/// One client's conversation with a server.
class Connection final : public ConnectionInput {
 public:
  /// State of the latest session, see the top of this file.
  enum class State { connecting, joining, playing, closed };

  /// Makes a connection in the state `connecting`. Datagrams leave with update(). Logs a warning if others will see the
  /// configured name differently.
  Connection(const ConnectionConfig& config, core::Nanoseconds now);

  // Inputs; see ConnectionInput.
  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) override;
  void update(core::Nanoseconds now, transport::Output& output) override;
  void set_command(core::ByteView command) override;
  void pipe_closed(std::string_view why, core::Nanoseconds now) override;
  void rejoin(core::Nanoseconds now) override;
  void reconnect(const transport::ConnectToken& token, core::Nanoseconds now) override;
  void close(transport::Output& output) override;

  /// Returns whether the connection was lost and a rejoin token is left that has not expired. Each rejoin uses one up,
  /// unless its pipe was never ready to send. rejoin() fails a check without it.
  [[nodiscard]] bool can_rejoin() const;
  /// Returns the number of rejoin tokens that have not expired. A connection that is lost without one cannot rejoin:
  /// the server sends them soon after it has accepted the client.
  [[nodiscard]] std::size_t rejoin_tokens() const { return now_ < rejoin_tokens_end_ ? rejoin_tokens_.size() : 0; }
  /// Returns whether datagrams of the latest session may have left: its pipe was ready in an update.
  [[nodiscard]] bool has_sent() const { return has_sent_; }
  /// Returns whether the server has answered the latest session's token.
  [[nodiscard]] bool answered() const { return endpoint_->server_answered(); }
  /// Returns whether the connection is closed, though neither side closed it, after the server had accepted the client.
  [[nodiscard]] bool lost() const;
  /// Returns whether a new connect token leads on: the connection was lost, or its rejoin was refused because the
  /// server no longer has the player. In the second case the client joins as a new player.
  [[nodiscard]] bool can_reconnect() const;
  /// Returns the world of the cluster to which the server has sent the player, where a token of that world leads on.
  /// Empty if it has not.
  [[nodiscard]] std::string_view moved_to() const;

  /// Returns where the player is, if the server has sent the client after it, and forgets it. The connection goes on,
  /// without commands, until the client closes it.
  [[nodiscard]] std::optional<wire::Follow> take_follow() { return std::exchange(follow_, std::nullopt); }
  /// Ends the connection as if it were lost: the server keeps the player, if it has one. Does nothing if it is closed.
  void drop(transport::Output& output);
  /// Notes that the player of a closed connection is in a world: moved_to() returns that.
  void set_moved(const std::string& world) { reason_ = {transport::ReasonCode::moved, world}; }
  /// Returns what take_follow() would; null without it.
  [[nodiscard]] const wire::Follow* sent_follow() const { return follow_ ? &*follow_ : nullptr; }
  /// Makes this the second connection of a player, which `first` follows later. To be called before it is updated.
  /// Events and changes of the mirror wait until then. `first` outlives this.
  void prepare_for(const Connection& first) { first_ = &first; }
  /// Goes on as the second connection, which has no state afterwards. Its mirror continues the present one: it has the
  /// same number, and Mirror::changes lists the differences with the next update. Its counters are added. If components
  /// have other ids in it, it has the next number.
  void follow(Connection&& second);

  /// Returns how long the server keeps the player of a lost connection; 0 while that is unknown.
  [[nodiscard]] core::Nanoseconds rejoin_grace() const { return rejoin_grace_; }

  [[nodiscard]] State state() const { return state_; }
  /// Returns why the connection is closed.
  [[nodiscard]] const transport::Reason& reason() const { return reason_; }
  /// Settings, with the connect token of the latest session.
  [[nodiscard]] const ConnectionConfig& config() const { return config_; }
  /// Returns the address of the server that datagrams are sent to.
  [[nodiscard]] const transport::Address& server() const { return endpoint_->server(); }
  /// Ticks per second of the server. 0 until the server has accepted the client.
  [[nodiscard]] std::uint32_t ticks_per_second() const { return ticks_per_second_; }
  /// Returns the seed of the random numbers that client and server draw alike. 0 until the server has accepted the
  /// client, and if its game predicts nothing.
  [[nodiscard]] std::uint64_t prediction_seed() const { return prediction_seed_; }
  /// Returns the player's number, as the server's game has it. 0 until the server has accepted the client.
  [[nodiscard]] std::uint32_t player() const { return player_; }
  /// Returns the command that the next update sends. Empty if there is none.
  [[nodiscard]] core::ByteView command() const { return command_; }
  /// Commands that the server has not carried out, and for a prediction those that it has.
  [[nodiscard]] const CommandLog& commands() const { return commands_; }
  /// Forgets commands below a number that are carried out. From the first call on all others are kept. Call it after
  /// each update, as a new player's log keeps none.
  void forget_commands_before(std::uint32_t number) { commands_.forget_before(number); }
  /// Sends counts of a prediction with the next update; the server shows them to operators. Returns false if the client
  /// is not playing, or another report waits. Recordings do not contain it, because nothing that is received depends on
  /// it.
  bool send_report(const wire::PredictionReport& report);
  /// Sends what zones send each other: Visit or Forward. Returns false if the connection is not playing, or the lane is
  /// full.
  bool send_to_zone(const wire::Message& message);
  /// Estimates the server's tick and which moment to show. Null until the server has accepted the client.
  [[nodiscard]] ServerClock* clock() const { return clock_.get(); }
  /// Returns the server's announced shutdown, if there is one.
  [[nodiscard]] const std::optional<wire::Closing>& closing() const { return closing_; }
  /// Returns the player's own entity. The game may give the player another one at any time: compare after each update.
  /// Null until the server has sent it, while the player has none because it was destroyed, and for a spectator. The
  /// mirror may receive a new entity some ticks later.
  [[nodiscard]] ecs::Entity player_entity() const { return player_entity_; }
  /// Returns the mirrored world. Null until the server has accepted the client, and if ConnectionConfig::decode is
  /// false.
  [[nodiscard]] Mirror* mirror() const { return mirror_.get(); }
  /// Returns how many mirrors the player has had, the present one included. Another number: all in it is new. One that
  /// continues a former one counts with it.
  [[nodiscard]] std::uint32_t mirror_number() const { return mirror_number_; }
  /// Returns whether the mirror holds everything that the server had to send when it sent the newest delta. False while
  /// a recent delta is missing: the server sends its content again once it knows.
  [[nodiscard]] bool complete() const { return progress_.complete(); }
  /// Events of ticks that the mirror has reached with the last update, by tick, and those that have waited for their
  /// entity (event_queue.hpp). Valid until the next update.
  [[nodiscard]] std::span<const ReceivedEvent> events() const { return due_events_; }
  [[nodiscard]] const ConnectionStats& stats() const { return stats_; }
  /// Returns the latest session. rejoin() and reconnect() replace it.
  [[nodiscard]] const transport::Session& session() const { return endpoint_->session(); }
  /// Returns the levels that the server has offered to the player, and those that the client has of them.
  [[nodiscard]] const OfferedLevels& levels() const { return resources_.levels(); }
  /// Returns the resource being received. Null if there is none.
  [[nodiscard]] const ResourceStore::Reception* reception() const { return resources_.reception(); }

 private:
  Connection& operator=(Connection&&) = default;

  [[nodiscard]] bool welcomed() const { return clock_ != nullptr; }
  void hand_out();
  void end(const transport::Reason& reason, transport::Output& output);
  void begin_session(core::Nanoseconds now);
  void fail(const core::Error& error);
  void send(const wire::Message& message);
  void send_hello();
  void send_command(core::Nanoseconds now);
  [[nodiscard]] bool wants_input(core::Nanoseconds now) const;
  void send_input(core::Nanoseconds now);
  void send_hashes(core::Nanoseconds now);
  void request_next_resource();

  void read_inbox(core::Nanoseconds now);
  void on_message(core::ByteView bytes);
  core::Status on_welcome(const wire::Welcome& message);
  core::Status begin_player(const wire::Welcome& message);
  core::Status make_mirror(const wire::Welcome& message);
  [[nodiscard]] std::optional<Presence> presence_of(const ReceivedEvent& event) const;
  [[nodiscard]] std::shared_ptr<const reflect::Schema> find_schema(const core::ContentHash& fingerprint) const;
  core::Status on_level(const wire::Level& message);
  core::Status on_names(const wire::Names& message);
  core::Status on_prototypes(const wire::Prototypes& message);
  core::Status on_player_entity(const wire::PlayerEntity& message);
  core::Status on_rejoin_tokens(const wire::RejoinTokens& message);
  core::Status on_resource_offer(wire::ResourceOffer& message);
  core::Status on_resource_part(const wire::ResourcePart& message);
  core::Status on_events(wire::Events& message);
  core::Status on_correction(const wire::MirrorCorrection& message);
  core::Status on_closing(const wire::Closing& message);
  core::Status on_command_refused(const wire::CommandRefused& message);
  core::Status on_delta_body(wire::DeltaBody& message);
  core::Status on_follow(wire::Follow& message);
  void on_unreliable(core::ByteView bytes, core::Nanoseconds now);
  void on_delta(core::ByteView bytes, core::Nanoseconds now);
  [[nodiscard]] bool apply(const wire::DeltaHeader& header, core::ByteView delta, core::Nanoseconds now);

  ConnectionConfig config_;
  std::unique_ptr<transport::ClientEndpoint> endpoint_;  // one per session
  State state_ = State::connecting;
  core::Nanoseconds now_ = 0;  // the last input's
  transport::Reason reason_;
  std::optional<core::Error> failure_;
  std::vector<transport::ConnectToken> rejoin_tokens_;
  core::Nanoseconds rejoin_tokens_end_ = 0;  // when the first of them expires
  core::Nanoseconds rejoin_grace_ = 0;
  bool rejoining_ = false;  // until the server answers a rejoin
  bool has_sent_ = false;
  transport::Pipe pipe_;               // all servers have it
  bool has_servers_of_token_ = false;  // config_'s servers are those of the former token
  WelcomeWait welcome_wait_;           // since the latest Hello

  // State sent by the server, kept over a rejoin unless the server has forgotten the player.
  std::uint32_t ticks_per_second_ = 0;
  std::uint64_t prediction_seed_ = 0;
  std::uint32_t player_ = 0;
  ecs::Entity player_entity_;
  std::optional<wire::Closing> closing_;
  std::optional<wire::Follow> follow_;
  bool sent_after_player_ = false;     // the server has sent Follow
  const Connection* first_ = nullptr;  // that this is the second one of; else null
  std::unique_ptr<Mirror> mirror_;
  std::uint32_t mirror_number_ = 0;
  std::unique_ptr<ServerClock> clock_;  // null before the first Welcome
  Verification verification_;
  DeltaProgress progress_;
  CommandLog commands_;
  wire::EventBatch batch_;
  EventQueue events_;
  std::span<const ReceivedEvent> due_events_;
  ResourceFetch resources_;

  core::Bytes command_;                           // for the next update
  std::optional<wire::PredictionReport> report_;  // waits while the lane is full
  core::Nanoseconds last_input_ = 0;              // when an input was sent; 0 before the first of a session
  ConnectionStats stats_;
  core::Bytes buffer_;
};

}  // namespace mobula::client
