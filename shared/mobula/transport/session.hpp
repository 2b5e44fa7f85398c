// Two ends of one conversation over a pipe that loses, doubles and reorders datagrams: acknowledgements, reliable
// ordered lanes, unreliable messages and a rate. Takes bytes and the time, yields bytes (see session_body.hpp).
//
// What goes out first: the control lane, then unreliable messages, then the bulk lane with what the rate leaves.
// Bulk has datagrams of its own, so that a bulk inbox that nobody empties holds up nothing else.
// A datagram is taken whole or not at all: one that is malformed, old, a duplicate, or has no room to go to is
// counted and leaves no trace, and is then not acknowledged either.
//
// Invariant: a message is handed out at most once, and reliable messages in the order in which they were sent.
// There is no secret here: who can forge the pipe's datagrams can forge messages.
// A Session owns all its buffers. They are allocated on first use, grow, and not in steady state; what has not been
// needed for some seconds is given back. `now` may jump: a session keeps a time of its own (SessionClock).
#pragma once

#include <array>
#include <mobula/core/bytes.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
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

// Limits of a reliable lane are each lane's own.
struct SessionConfig {
  // The largest message the peer may send on a reliable lane; one that announces more breaks the session.
  std::uint32_t reliable_receive_bytes_max = max_reliable_size;
  // Received on a reliable lane and not yet fetched. Datagrams with chunks that find no room are not taken, so
  // the peer sends them again. At least reliable_receive_bytes_max + 64 KiB.
  std::uint32_t reliable_inbox_bytes_max = 2 * max_reliable_size;
  // Queued on a reliable lane and not yet acknowledged.
  std::uint32_t reliable_queue_bytes_max = 2 * max_reliable_size;
  // Queued until a flush, 16 bytes for each added, and received but not yet fetched, 2 for each added.
  std::uint32_t unreliable_queue_bytes_max = 256 * 1024;
  std::uint32_t unreliable_inbox_bytes_max = 256 * 1024;
  // An unreliable message that the rate has kept waiting for longer is dropped.
  core::Nanoseconds unreliable_age_max = 250 * core::millisecond;
  // Whether anybody fetches what comes on the bulk lane; if not, such a chunk is malformed.
  bool takes_bulk = true;
  // Of datagram bodies. The rate begins at `start` and follows what the path carries, between the others.
  // Acknowledgements and keep-alives always go out.
  std::uint32_t bytes_per_second_min = 16 * 1024;
  std::uint32_t bytes_per_second_start = 256 * 1024;
  std::uint32_t bytes_per_second_max = 4 * 1024 * 1024;
  // Something is sent at least this often.
  core::Nanoseconds keepalive_interval = 250 * core::millisecond;
};

struct SessionStats : LinkEstimates {
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;          // bodies
  std::uint64_t datagrams_received = 0;  // taken
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_acked = 0;
  std::uint64_t datagrams_lost = 0;  // sent with entries, and given up waiting for an acknowledgement
  std::uint64_t chunks_repeated = 0;
  std::uint64_t unreliable_expired = 0;        // never sent, they had waited for too long
  std::uint32_t allowed_bytes_per_second = 0;  // the rate at present
  // Not taken:
  std::uint64_t malformed = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t stale = 0;  // too old to tell whether it is a duplicate
  std::uint64_t inbox_full = 0;
  // Dropped alone, the rest of their datagram was taken:
  std::uint64_t unreliable_dropped = 0;
};

class Session {
 public:
  Session(const SessionConfig& config, core::Nanoseconds now);

  // Refused with "too large" or "queue full", and then nothing is sent of it.
  core::Result<ReliableId> send_reliable(core::ByteView message, Lane lane = Lane::control);
  // Waits for a flush. Refused with "too large" or "queue full".
  core::Status send_unreliable(core::ByteView message) { return queue_unreliable(message, std::nullopt); }
  // The same, and next_fate() will tell what became of it, under the caller's `tag`.
  core::Status send_unreliable(core::ByteView message, std::uint32_t tag) { return queue_unreliable(message, tag); }
  // False: there is none. Who sends with tags fetches them; beyond Fates::fates_max the oldest are forgotten.
  bool next_fate(Fate& fate) { return fates_.next(fate); }
  // The peer's session has this message and all before it on its lane. It hands them out before any unreliable
  // message that is sent after this became true, provided its owner fetches reliable messages first.
  [[nodiscard]] bool reliable_delivered(ReliableId id, Lane lane = Lane::control) const {
    return sender(lane).delivered(id);
  }
  // Bytes that wait on a reliable lane for sending or for an acknowledgement.
  [[nodiscard]] std::size_t reliable_backlog_bytes(Lane lane = Lane::control) const {
    return sender(lane).backlog_bytes();
  }
  // What a flush at `now` would let out of unreliable messages beyond those that are queued: more is not worth writing.
  [[nodiscard]] std::size_t budget_bytes(core::Nanoseconds now) const;

  // While a datagram of so many bytes is being opened: what receive() will touch comes into the cache.
  void prefetch(std::size_t bytes) const {
    core::prefetch_for_write(this, sizeof(*this));
    unreliable_in_.prefetch(bytes);
  }
  // An authenticated body of the peer.
  void receive(core::ByteView body, core::Nanoseconds now);
  // Fetches the next message into the caller's buffer, whose capacity is used again. False: there is none.
  bool next_reliable(core::Bytes& message, Lane lane = Lane::control) { return receiver(lane).next(message); }
  bool next_unreliable(core::Bytes& message);

  // All that is due and allowed, as datagram bodies: sink(core::ByteView body), valid during the call.
  template <class Sink>
  void flush(core::Nanoseconds now, Sink&& sink) {
    std::array<std::byte, session_body_bytes_max> body;
    begin_flush(now);
    while (const std::size_t size = write_datagram(body)) sink(core::ByteView(body.data(), size));
  }
  // The same by hand, for who wants the body inside a buffer of its own: begin, then write until it gives 0.
  // `out` holds at least session_body_bytes_max.
  void begin_flush(core::Nanoseconds now);
  std::size_t write_datagram(core::MutableBytes out);

  // A body that tells the peer why the session ends; good for any session. It is not acknowledged.
  static std::size_t write_goodbye(const Reason& reason, core::MutableBytes out) { return encode_goodbye(reason, out); }
  // What the peer said; nothing more is taken after it.
  [[nodiscard]] const std::optional<Reason>& goodbye() const { return goodbye_; }

  // The peer broke the rules of a reliable lane; nothing more can be received. Its owner must close it.
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const SessionStats& stats() const { return stats_; }

  // Asserts what must hold between any two calls.
  void check() const;

 private:
  [[nodiscard]] ReliableSender& sender(Lane lane) { return senders_[static_cast<std::size_t>(lane)]; }
  [[nodiscard]] const ReliableSender& sender(Lane lane) const { return senders_[static_cast<std::size_t>(lane)]; }
  [[nodiscard]] ReliableReceiver& receiver(Lane lane) { return receivers_[static_cast<std::size_t>(lane)]; }

  core::Status queue_unreliable(core::ByteView message, std::optional<std::uint32_t> tag);

  enum class Verdict : std::uint8_t { good, malformed, no_room };
  [[nodiscard]] Verdict judge(core::ByteView body) const;
  [[nodiscard]] bool plausible(const Entry& entry) const;
  bool is_new(std::uint16_t sequence);
  bool take_goodbye(core::ByteView body);
  void take_entries(core::ByteView entries);
  void take_unreliable(core::ByteView message);

  void take_acks(core::ByteView header);
  void take_ack(const SentDatagram& datagram, bool newest);
  void take_loss(const SentDatagram& datagram);

  void give_up_old();
  void drop_expired();
  void trim();
  std::size_t write_entries(core::MutableBytes out, SentDatagram& record);
  std::size_t write_unreliable(core::MutableBytes out, SentDatagram& record);

  SessionConfig config_;
  SessionStats stats_;
  SessionClock clock_;
  core::Nanoseconds last_sent_ = 0;  // clock_'s
  core::Nanoseconds trimmed_at_ = 0;
  bool failed_ = false;
  bool ack_owed_ = false;
  bool keepalive_due_ = false;  // in the flush under way
  std::optional<Reason> goodbye_;

  SentHistory sent_;
  ReceivedHistory received_;
  LinkEstimator link_;
  RateControl rate_;
  std::array<ReliableSender, lane_count> senders_;
  std::array<ReliableReceiver, lane_count> receivers_;
  UnreliableQueue unreliable_out_;
  ByteQueue unreliable_in_;  // u16 size, bytes
  Fates fates_;
};

}  // namespace mobula::transport
