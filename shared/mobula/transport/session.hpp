// One end of a connection over a pipe that loses, duplicates and reorders datagrams. Provides acknowledgements,
// reliable ordered lanes (= channels), unreliable messages and rate control. Input: datagram bodies and the time;
// output: datagram bodies (see session_body.hpp).
//
// Order of sending: the control lane, unreliable messages, then the bulk lane with the rest of the rate.
// Control and unreliable messages that wait for longer than a datagram takes share the rate evenly. So a long control
// message does not displace deltas.
// Bulk chunks have datagrams of their own, so that a full bulk inbox does not delay other messages.
// While the peer acknowledges nothing for long, only headers are sent and sequences do not rise. The peer would take
// further ones for old ones.
// A datagram is accepted as a whole or not at all. Malformed, stale and duplicate datagrams, and those without room in
// an inbox, are counted, change nothing and are not acknowledged.
//
// Invariant: a message is returned at most once, and reliable messages in the order of sending.
// A session does no encryption: the endpoints authenticate its datagrams.
// It owns all its buffers. They are allocated on first use, do not grow in steady state, and are freed after some
// seconds without use. `now` may jump: the session has its own time (SessionClock).
#pragma once

#include <array>
#include <mobula/core/bytes.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/transport/body_limit.hpp>
#include <mobula/transport/byte_queue.hpp>
#include <mobula/transport/fates.hpp>
#include <mobula/transport/link_estimates.hpp>
#include <mobula/transport/rate_control.hpp>
#include <mobula/transport/received_history.hpp>
#include <mobula/transport/reliable_receiver.hpp>
#include <mobula/transport/reliable_sender.hpp>
#include <mobula/transport/sent_history.hpp>
#include <mobula/transport/session_body.hpp>
#include <mobula/transport/session_clock.hpp>
#include <mobula/transport/unreliable_queue.hpp>
#include <optional>

namespace mobula::transport {

/// Limits of a reliable lane apply to each lane separately.
struct SessionConfig {
  /// Maximum size of a received reliable message. A larger one fails the session.
  std::uint32_t reliable_receive_bytes_max = max_reliable_size;
  /// Bytes received on a reliable lane and not yet fetched. Datagrams whose chunks do not fit are not accepted, so the
  /// peer sends them again. At least reliable_receive_bytes_max + 64 KiB.
  std::uint32_t reliable_inbox_bytes_max = 2 * max_reliable_size;
  /// Bytes queued on a reliable lane and not yet acknowledged.
  std::uint32_t reliable_queue_bytes_max = 2 * max_reliable_size;
  /// Bytes of unreliable messages queued for a flush (plus 16 per message), and received but not yet fetched (plus 2
  /// per message).
  std::uint32_t unreliable_queue_bytes_max = 256 * 1024;
  std::uint32_t unreliable_inbox_bytes_max = 256 * 1024;
  /// An unreliable message queued for longer is dropped.
  core::Nanoseconds unreliable_age_max = 250 * core::millisecond;
  /// Whether bulk chunks are accepted. If not, a datagram with one is malformed.
  bool accepts_bulk = true;
  /// Rate of datagram bodies. It starts at `start` and follows the capacity of the path, between `min` and `max`.
  /// Acknowledgements and keep-alives are always sent.
  std::uint32_t bytes_per_second_min = 16 * 1024;
  std::uint32_t bytes_per_second_start = 256 * 1024;
  std::uint32_t bytes_per_second_max = 4 * 1024 * 1024;
  /// Maximum interval between sent datagrams.
  core::Nanoseconds keepalive_interval = 250 * core::millisecond;
};

/// Counters and measurements of a session.
struct SessionStats : LinkEstimates {
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;          // bodies
  std::uint64_t datagrams_received = 0;  // accepted
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_acked = 0;
  std::uint64_t datagrams_lost = 0;  // sent with entries, declared lost
  std::uint64_t chunks_repeated = 0;
  std::uint64_t unreliable_expired = 0;        // never sent: queued for too long
  std::uint32_t allowed_bytes_per_second = 0;  // current rate
  bool small_bodies = false;                   // large ones do not arrive
  // Not accepted:
  std::uint64_t malformed = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t stale = 0;  // too old for duplicate detection
  std::uint64_t inbox_full = 0;
  // Dropped alone; the rest of the datagram was accepted:
  std::uint64_t unreliable_dropped = 0;
};

/// One end of a connection: acknowledgements, lanes, unreliable messages and rate control.
class Session {
 public:
  Session(const SessionConfig& config, core::Nanoseconds now);

  /// Queues a reliable message. Errors: "too large", "queue full"; nothing of the message is then sent.
  core::Result<ReliableId> send_reliable(core::ByteView message, Lane lane = Lane::control);
  /// Queues an unreliable message for the next flush. Errors: "too large", "queue full".
  core::Status send_unreliable(core::ByteView message) { return queue_unreliable(message, std::nullopt); }
  /// Queues an unreliable message whose outcome next_fate() will report under the caller's `tag`.
  core::Status send_unreliable(core::ByteView message, std::uint32_t tag) { return queue_unreliable(message, tag); }
  /// Fetches the next outcome of a tagged message. Returns false if there is none. A caller that uses tags must fetch
  /// them: the oldest beyond Fates::fates_max are lost.
  bool next_fate(Fate& fate) { return fates_.next(fate); }
  /// Returns whether the peer's session has this message and all earlier ones of its lane. Unreliable messages sent
  /// from then on are handled after it, provided the peer fetches reliable messages first.
  [[nodiscard]] bool reliable_delivered(ReliableId id, Lane lane = Lane::control) const {
    return sender(lane).delivered(id);
  }
  /// Returns the bytes of a reliable lane that are not sent or not acknowledged.
  [[nodiscard]] std::size_t reliable_backlog_bytes(Lane lane = Lane::control) const {
    return sender(lane).backlog_bytes();
  }
  /// Returns the bytes of unreliable messages that a flush at `now` could send in addition to the queued ones. Waiting
  /// control messages take at most their share.
  [[nodiscard]] std::size_t budget_bytes(core::Nanoseconds now) const;

  /// Loads the memory that receive() will touch into the cache. Call it before decrypting a datagram of `bytes`.
  void prefetch(std::size_t bytes) const {
    core::prefetch_for_write(this, sizeof(*this));
    unreliable_in_.prefetch(bytes);
  }
  /// Handles an authenticated body from the peer.
  void receive(core::ByteView body, core::Nanoseconds now);
  /// Fetches the next message into the caller's buffer, reusing its capacity. Returns false if there is none.
  bool next_reliable(core::Bytes& message, Lane lane = Lane::control) { return receiver(lane).next(message); }
  /// Does the same for unreliable messages, which come in the order of their arrival.
  bool next_unreliable(core::Bytes& message);
  /// Returns whether next_reliable() has a message.
  [[nodiscard]] bool has_reliable(Lane lane = Lane::control) const {
    return receivers_[static_cast<std::size_t>(lane)].has_message();
  }

  /// Keeps the bulk lane out of flushes, or lets it in again. Its messages stay queued.
  void hold_bulk(bool held) { bulk_held_ = held; }

  /// Sends all that is due and within the rate: sink(core::ByteView body), valid during the call.
  template <class Sink>
  void flush(core::Nanoseconds now, Sink&& sink) {
    std::array<std::byte, session_body_bytes_max> body;
    begin_flush(now);
    while (const std::size_t size = write_datagram(body)) sink(core::ByteView(body.data(), size));
  }
  /// Does flush() in two steps, for callers that need the body inside a larger buffer: begin_flush(), then
  /// write_datagram() until it returns 0. `out` has at least session_body_bytes_max.
  void begin_flush(core::Nanoseconds now);
  std::size_t write_datagram(core::MutableBytes out);

  /// Writes a disconnect body with the reason; it is valid for any session and never acknowledged. Returns its size.
  static std::size_t write_disconnect(const Reason& reason, core::MutableBytes out) {
    return encode_disconnect(reason, out);
  }
  /// Returns the disconnect reason received from the peer. Nothing is accepted after it.
  [[nodiscard]] const std::optional<Reason>& disconnect_reason() const { return disconnect_reason_; }

  /// Returns whether the peer violated the protocol of a reliable lane. Nothing more is received then, and the owner
  /// must close the session.
  [[nodiscard]] bool failed() const { return failed_; }
  /// Returns whether the path, which carried large bodies, has stopped to do so while a reliable chunk of that size was
  /// under way. It cannot arrive any more, so the owner must close the session. A new one begins with smaller chunks.
  [[nodiscard]] bool path_shrank() const { return path_shrank_; }
  /// Returns the size of unreliable messages that the path is believed to carry, at most max_unreliable_size.
  [[nodiscard]] std::size_t unreliable_bytes_max() const {
    return limit_.reduced() ? BodyLimit::small_bytes - body_header_bytes - entry_header_bytes : max_unreliable_size;
  }
  [[nodiscard]] const SessionStats& stats() const { return stats_; }

  /// Asserts the invariants that hold between calls.
  void check() const;

 private:
  [[nodiscard]] ReliableSender& sender(Lane lane) { return senders_[static_cast<std::size_t>(lane)]; }
  [[nodiscard]] const ReliableSender& sender(Lane lane) const { return senders_[static_cast<std::size_t>(lane)]; }
  [[nodiscard]] ReliableReceiver& receiver(Lane lane) { return receivers_[static_cast<std::size_t>(lane)]; }

  core::Status queue_unreliable(core::ByteView message, std::optional<std::uint32_t> tag);

  enum class Verdict : std::uint8_t { good, malformed, no_room };
  [[nodiscard]] Verdict validate(core::ByteView body) const;
  [[nodiscard]] bool plausible(const Entry& entry) const;
  bool is_new(std::uint16_t sequence);
  bool handle_disconnect(core::ByteView body);
  void handle_entries(core::ByteView entries);
  void handle_unreliable(core::ByteView message);

  void handle_acks(core::ByteView header);
  void on_acked(const SentDatagram& datagram, bool newest);
  void on_lost(const SentDatagram& datagram);

  void give_up_old();
  void drop_expired();
  void trim();
  [[nodiscard]] std::uint16_t take_sequence(const SentDatagram& record, bool used_up);
  std::size_t write_entries(core::MutableBytes body, SentDatagram& record);
  std::size_t write_entries_within(core::MutableBytes out, SentDatagram& record);
  std::size_t write_control(core::MutableBytes out, SentDatagram& record, std::size_t chunk_max);
  std::size_t write_unreliable(core::MutableBytes out, SentDatagram& record);

  SessionConfig config_;
  SessionStats stats_;
  SessionClock clock_;
  core::Nanoseconds last_sent_ = 0;  // time of clock_
  core::Nanoseconds trimmed_at_ = 0;
  bool failed_ = false;
  bool path_shrank_ = false;
  bool ack_owed_ = false;
  bool keepalive_due_ = false;  // in the current flush
  bool probes_ = false;         // the last datagram was a header alone, sent while the sequences were used up
  bool probe_is_old_ = false;   // a datagram was accepted since
  bool bulk_held_ = false;
  bool unreliable_used_ = false;  // messages were queued when the current flush began
  // Bytes by which the control lane is ahead of unreliable messages. While it is, it does not overdraw the budget.
  std::int64_t control_lead_ = 0;
  std::optional<Reason> disconnect_reason_;

  SentHistory sent_;
  ReceivedHistory received_;
  LinkEstimator link_;
  RateControl rate_;
  BodyLimit limit_;
  std::array<ReliableSender, lane_count> senders_;
  std::array<ReliableReceiver, lane_count> receivers_;
  UnreliableQueue unreliable_out_;
  ByteQueue unreliable_in_;  // u16 size, bytes
  Fates fates_;
};

}  // namespace mobula::transport
