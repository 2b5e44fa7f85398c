// One client's conversation with a server: hello, welcome, prototypes, deltas, acknowledgements,
// verification. Without sockets, clocks or threads: datagrams and the time go in, datagrams come out.
// When it breaks off, the same player may come back: rejoin() begins anew with the token that the server gave. A server
// that has ended since knows nothing of it: enter_again() takes a token of whoever gave the first.
#pragma once

#include <array>
#include <memory>
#include <mobula/client/connection/command_log.hpp>
#include <mobula/client/connection/event_queue.hpp>
#include <mobula/client/connection/resource_store.hpp>
#include <mobula/client/connection/server_clock.hpp>
#include <mobula/client/mirror/mirror_check.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <optional>
#include <string>

namespace mobula::client {

class RecordingWriter;

struct ConnectionConfig {
  transport::ClientEndpointConfig transport;  // with a connect token
  std::string name;
  // A client that was compiled against a schema names it, and is refused where the server has another.
  std::shared_ptr<const reflect::Schema> schema;
  // Where the server's resources are kept; null: they are not asked for.
  ResourceStore* resources = nullptr;
  bool spectate = false;  // comes to look on: has no entity, and gives no commands
  // Asks the server for hashes of what the mirror should be.
  bool verify = true;
  // False: deltas are acknowledged unread and nothing is mirrored, so that one process can be many clients. A server
  // goes on as with any other. Not for recordings.
  bool decode = true;
  // Is told all that the connection is given; null: nobody is.
  RecordingWriter* recording = nullptr;
};

struct ConnectionStats {
  std::uint64_t ticks = 0;  // of which something arrived
  std::uint64_t deltas = 0;
  std::uint64_t late_deltas = 0;        // a newer one was there already
  std::uint64_t lost_deltas = 0;        // given up: they would come too late
  std::uint64_t verified_ticks = 0;     // the server's hash was that of the mirror
  std::uint64_t mismatched_ticks = 0;   // … was another
  std::uint64_t corrections = 0;        // entities that the mirror had wrong, by the server's word
  std::uint64_t unreadable_deltas = 0;  // of a mirror that is wrong; passed over
  std::uint64_t events = 0;
  std::uint64_t bytes_received = 0;  // of datagrams
  std::uint64_t rejoins = 0;
};

class Connection {
 public:
  enum class State { connecting, joining, playing, closed };

  Connection(const ConnectionConfig& config, core::Nanoseconds now);

  // What a datagram brings is in the mirror when this returns.
  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now);
  // Once per tick of the server or so, or with each frame: acknowledges and sends the command, at most four times in a
  // tick of the server, and keeps the connection alive.
  void update(core::Nanoseconds now, transport::Output& output);
  void close(transport::Output& output);
  // The stream that carried it has ended.
  void pipe_closed(std::string_view why, core::Nanoseconds now);

  // Closed, though neither side wanted it, and with a token to come back. Each attempt uses one up. The mirror stays,
  // and goes on, unless the server has nothing left of it: then another takes its place.
  [[nodiscard]] bool can_rejoin() const;
  void rejoin(core::Nanoseconds now);
  // Closed, though neither side wanted it, after the server had let it in.
  [[nodiscard]] bool lost() const;
  // Once closed: comes in with another token, as if for the first time.
  void enter_again(const transport::ConnectToken& token, core::Nanoseconds now);

  // Given with the next update, for the tick in which it can arrive in time; said again until the server has it.
  void set_command(core::ByteView command);
  // Those that the server has not carried out.
  [[nodiscard]] const CommandLog& commands() const { return commands_; }
  // Where the server is, and what to show; null until the server has said how fast it ticks.
  [[nodiscard]] ServerClock* clock() { return clock_.get(); }

  [[nodiscard]] State state() const { return state_; }
  // Why it is closed.
  [[nodiscard]] const transport::Reason& reason() const { return reason_; }
  [[nodiscard]] std::uint32_t ticks_per_second() const { return ticks_per_second_; }
  // What the server has said of its end; nothing if it has not.
  [[nodiscard]] const std::optional<wire::Closing>& closing() const { return closing_; }
  // The player's own entity; null until the server tells, and for a spectator.
  [[nodiscard]] ecs::Entity player_entity() const { return player_entity_; }
  // Null until the server has said which schema it has, and where nothing is decoded.
  [[nodiscard]] Mirror* mirror() { return mirror_.get(); }
  [[nodiscard]] const Mirror* mirror() const { return mirror_.get(); }
  // Whether the mirror has all that the server had to tell when it sent the newest delta: nothing waited behind that,
  // and of those shortly before it none is missing. (What is missing comes again, once the server knows.)
  [[nodiscard]] bool complete() const { return progress_.complete; }
  // What the server told of ticks that the mirror has reached, new with the last update. Valid until the next.
  [[nodiscard]] std::span<const ReceivedEvent> events() const { return due_events_; }
  [[nodiscard]] const ConnectionStats& stats() const { return stats_; }
  [[nodiscard]] const transport::Session& session() const { return endpoint_->session(); }
  // The resource that is under way, if any.
  [[nodiscard]] const ResourceStore::Reception& reception() const { return reception_; }

 private:
  static constexpr std::size_t acks_kept = Mirror::acknowledged_kept;

  // What is said and known of the deltas of one session.
  struct Progress {
    wire::InputDatagram input;
    std::array<std::uint32_t, acks_kept> newest_at{};  // by acknowledgement: the newest delta that it told of
    std::uint32_t heard_ack = 0;                       // the newest that the server rests on
    std::uint32_t last_verified = 0;
    ecs::Tick last_tick = 0;
    core::Nanoseconds unreadable_since = 0;  // 0: the last delta could be read
    bool told_all = false;                   // the newest delta says so
    bool complete = false;
  };

  [[nodiscard]] bool welcomed() const { return clock_ != nullptr; }
  void say_hello();
  void take_inbox(core::Nanoseconds now);
  void take_message(core::ByteView bytes);
  core::Status take(const wire::Hello& message);
  core::Status take(const wire::Welcome& message);
  core::Status begin(const wire::Welcome& message);
  core::Status begin_mirror(const wire::Welcome& message);
  core::Status take(const wire::Names& message);
  core::Status take(const wire::Prototypes& message);
  core::Status take(const wire::PlayerEntity& message);
  core::Status take(const wire::RejoinTokens& message);
  core::Status take(const wire::ResourceRequest& message);
  core::Status take(const wire::ResourcePart& message);
  core::Status take(wire::Events& message);
  core::Status take(const wire::Level& message);
  core::Status take(const wire::MirrorHashes& message);
  core::Status take(const wire::MirrorCorrection& message);
  core::Status take(const wire::MirrorDifference& message);
  core::Status take(const wire::Closing& message);
  void begin_again(core::Nanoseconds now);
  [[nodiscard]] std::shared_ptr<const reflect::Schema> find_schema(const core::ContentHash& fingerprint) const;
  void ask_for_next_resource();
  void take_unreliable(core::ByteView bytes, core::Nanoseconds now);
  void take_delta(core::ByteView bytes, core::Nanoseconds now);
  [[nodiscard]] bool apply(const wire::DeltaHeader& header, core::ByteView delta, core::Nanoseconds now);
  [[nodiscard]] bool is_new(std::uint32_t sequence) const;
  void note_received(std::uint32_t sequence);
  void note_lost(std::uint32_t steps);
  [[nodiscard]] bool none_missing() const;
  [[nodiscard]] std::uint32_t newest_heard_of() const;
  void verify(const wire::DeltaHeader& header, core::Nanoseconds now);
  [[nodiscard]] bool pass_over_unreadable(const wire::DeltaHeader& header, core::Nanoseconds now);
  void tell_hashes(core::Nanoseconds now);
  void give_command(core::Nanoseconds now);
  void send_input(core::Nanoseconds now);
  void fail(const core::Error& error);

  ConnectionConfig config_;
  std::unique_ptr<transport::ClientEndpoint> endpoint_;  // made anew by a rejoin
  State state_ = State::connecting;
  transport::Reason reason_;
  std::optional<core::Error> failure_;
  std::uint32_t ticks_per_second_ = 0;
  ecs::Entity player_entity_;
  std::optional<wire::Closing> closing_;
  std::unique_ptr<Mirror> mirror_;
  MirrorCheck check_;
  Progress progress_;
  ConnectionStats stats_;
  CommandLog commands_;
  std::unique_ptr<ServerClock> clock_;  // null before Welcome
  wire::EventBatch batch_;
  EventQueue events_;
  std::span<const ReceivedEvent> due_events_;
  std::vector<transport::ConnectToken> rejoin_tokens_;             // empty: none
  std::vector<std::shared_ptr<const resource::Resource>> stored_;  // that the server was told of
  std::vector<wire::Resource> resources_;  // of the server, that are still to be asked for; the last is next
  ResourceStore::Reception reception_;
  std::vector<core::ContentHash> asked_for_;  // resources, in this session
  core::Bytes command_;
  core::Nanoseconds next_input_ = 0;  // not before
  core::Bytes buffer_;
};

}  // namespace mobula::client
