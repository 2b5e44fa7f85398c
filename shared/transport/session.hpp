// Two ends of one conversation over a pipe that loses, doubles and reorders datagrams: acknowledgements,
// one reliable ordered lane and unreliable messages. Takes bytes and the time, yields bytes.
//
// Body of a datagram (the endpoint's envelope comes before it):
//
//   0  u16  sequence      of this datagram; the first is 1
//   2  u16  ack           a sequence received from the peer; 0 at first
//   4  u32  ack_bits      bit n: sequence ack - 1 - n was received too
//   8  entries until the end, each:
//      u16  size, 15 bits; bit 15 says: a chunk of the reliable lane
//      u16  chunk number  (chunks only; the first is 0)
//      size bytes
//
// The reliable lane is a stream of bytes: per message u32 size, then the bytes. The stream is cut into numbered
// chunks when it is first sent; a chunk goes out again, unchanged, until a datagram that carried it is acknowledged.
// A datagram is taken whole or not at all: one that is malformed, old, a duplicate, or has no room to go to is
// counted and leaves no trace, and is then not acknowledged either.
//
// Invariant: a message is handed out at most once, and reliable messages in the order in which they were sent.
// There is no secret here: who can forge the envelope can forge messages.
// A Session owns all its buffers; it allocates when they grow and not in steady state.
#pragma once

#include <array>
#include <bitset>
#include <mobula/core/bytes.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <mobula/transport/byte_queue.hpp>
#include <vector>

namespace mobula::transport {

inline constexpr std::size_t session_body_bytes_max = payload_bytes_max;
// An unreliable message travels whole in one datagram.
inline constexpr std::size_t max_unreliable_size = 1150;
inline constexpr std::size_t max_reliable_size = 4 * 1024 * 1024;

// Numbers the reliable messages of one direction of one session: 1, 2, 3, …
using ReliableId = std::uint64_t;

struct SessionConfig {
  // The largest message the peer may send on the reliable lane; one that announces more breaks the session.
  std::uint32_t reliable_receive_bytes_max = max_reliable_size;
  // Received on the reliable lane and not yet fetched. Datagrams with chunks that find no room are not taken, so
  // the peer sends them again. At least reliable_receive_bytes_max + 64 KiB.
  std::uint32_t reliable_inbox_bytes_max = 2 * max_reliable_size;
  // Queued on the reliable lane and not yet acknowledged.
  std::uint32_t reliable_queue_bytes_max = 2 * max_reliable_size;
  // Of the reliable lane in one flush, repeats included: a large message must not starve the unreliable ones.
  std::uint32_t reliable_bytes_per_flush = 16 * 1024;
  // Queued until the next flush, and received but not yet fetched.
  std::uint32_t unreliable_queue_bytes_max = 256 * 1024;
  std::uint32_t unreliable_inbox_bytes_max = 256 * 1024;
  // Something is sent at least this often.
  core::Nanoseconds keepalive_interval = 250 * core::millisecond;
};

struct SessionStats {
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;          // bodies; envelopes are not in it
  std::uint64_t datagrams_received = 0;  // taken
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_acked = 0;
  std::uint64_t datagrams_lost = 0;  // sent, and given up waiting for an acknowledgement
  std::uint64_t chunks_repeated = 0;
  // Not taken:
  std::uint64_t malformed = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t stale = 0;  // too old to tell whether it is a duplicate
  std::uint64_t inbox_full = 0;
  // Dropped alone, the rest of their datagram was taken:
  std::uint64_t unreliable_dropped = 0;
  // Smoothed; 0 until measured. Contains the time until the peer's next flush.
  core::Nanoseconds rtt = 0;
  core::Nanoseconds rtt_variation = 0;
};

class Session {
 public:
  explicit Session(const SessionConfig& config, core::Nanoseconds now);

  // Refused with "too large" or "queue full", and then nothing is sent of it.
  core::Result<ReliableId> send_reliable(core::ByteView message);
  // Waits for the next flush. Refused with "too large" or "queue full".
  core::Status send_unreliable(core::ByteView message);
  // The peer's session has this message and all before it. It hands them out before any unreliable message
  // that is sent after this became true, provided its owner fetches reliable messages first.
  [[nodiscard]] bool reliable_delivered(ReliableId id) const { return id <= delivered_; }
  // Bytes that wait on the reliable lane for sending or for an acknowledgement.
  [[nodiscard]] std::size_t reliable_backlog_bytes() const { return stream_.size(); }

  void receive(core::ByteView body, core::Nanoseconds now);
  // Fetches the next message into the caller's buffer, whose capacity is used again. False: there is none.
  bool next_reliable(core::Bytes& message);
  bool next_unreliable(core::Bytes& message);

  // All that is due, as datagram bodies: sink(core::ByteView body), valid during the call.
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

  // The peer broke the rules of the reliable lane; nothing more can be received. Its owner must close it.
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] core::Nanoseconds last_received() const { return last_received_; }
  [[nodiscard]] const SessionStats& stats() const { return stats_; }

  // Asserts what must hold between any two calls.
  void check() const;

 private:
  static constexpr std::uint32_t window_chunks = 256;        // of the reliable lane, in flight
  static constexpr std::uint32_t sent_datagrams = 512;       // remembered until acknowledged
  static constexpr std::uint32_t received_sequences = 1024;  // remembered against duplicates
  static constexpr std::uint32_t chunks_per_datagram = 4;

  enum class SentState : std::uint8_t { none, waiting, lost, acked };
  // 24 bytes
  struct SentDatagram {
    core::Nanoseconds at = 0;
    std::array<std::uint16_t, chunks_per_datagram> chunks{};
    std::uint16_t sequence = 0;
    std::uint8_t chunk_count = 0;
    SentState state = SentState::none;
    bool eliciting = false;  // has entries: the peer will acknowledge it of its own accord
  };
  // 16 bytes
  struct SentChunk {
    core::Nanoseconds due = 0;  // when it is sent (again)
    std::uint32_t begin = 0;    // position in the lane, low 32 bits
    std::uint16_t size = 0;
    bool sent = false;
    bool acked = false;
  };

  struct Entry {
    core::ByteView bytes;
    std::uint16_t chunk = 0;
    bool reliable = false;
  };
  // Takes the first entry off `rest`. False: it is malformed.
  static bool next_entry(core::ByteView& rest, Entry& entry);
  [[nodiscard]] bool well_formed(core::ByteView body) const;
  // Counts and refuses duplicates and what is too old to tell.
  bool is_new(std::uint16_t sequence);
  [[nodiscard]] bool has_room(core::ByteView entries) const;
  [[nodiscard]] bool was_received(std::uint16_t sequence) const;
  void note_received(std::uint16_t sequence);
  void take_entries(core::ByteView entries);
  void take_unreliable(core::ByteView message);
  void take_chunk(const Entry& entry);
  void append_inbox(core::ByteView bytes);

  void take_acks(std::uint16_t ack, std::uint32_t bits, core::Nanoseconds now);
  void take_ack(SentDatagram& datagram);
  void give_up_old();
  void give_up(SentDatagram& datagram);
  void measure(core::Nanoseconds sample);
  void release_chunks();
  [[nodiscard]] core::Nanoseconds resend_after() const;

  std::size_t write_unreliable(core::MutableBytes out);
  std::size_t write_chunks(core::MutableBytes out, SentDatagram& record);
  std::size_t write_chunk(std::uint16_t number, core::MutableBytes out, SentDatagram& record);
  bool cut_chunk(std::size_t room);
  std::uint16_t choose_ack();
  [[nodiscard]] std::uint32_t ack_bits(std::uint16_t ack) const;

  SessionConfig config_;
  SessionStats stats_;
  core::Nanoseconds now_;  // of the flush under way
  core::Nanoseconds last_received_;
  core::Nanoseconds last_sent_;
  bool failed_ = false;

  // Sending: datagrams.
  std::uint16_t next_sequence_ = 1;
  std::uint16_t oldest_waiting_ = 1;  // nothing before it is waiting
  std::vector<SentDatagram> sent_;    // by sequence % sent_datagrams

  // Sending: the reliable lane. stream_ starts with the first byte of chunk first_chunk_.
  ByteQueue stream_;
  std::vector<SentChunk> chunks_;   // by number % window_chunks
  std::uint64_t stream_begin_ = 0;  // how many bytes of the lane have left stream_
  std::uint64_t stream_cut_ = 0;    // how many have been cut into chunks
  std::uint16_t first_chunk_ = 0;   // oldest not acknowledged
  std::uint16_t next_chunk_ = 0;    // next to be cut
  ByteQueue message_ends_;          // u64 lane positions of messages' ends, not yet delivered
  ReliableId queued_ = 0;
  ReliableId delivered_ = 0;

  // Of the flush under way.
  std::size_t reliable_left_ = 0;  // bytes
  std::uint16_t scan_ = 0;         // chunks before it have had their turn
  bool keepalive_due_ = false;

  ByteQueue unreliable_out_;  // u16 size, bytes

  // Receiving.
  std::uint16_t newest_received_ = 0;
  std::uint16_t newest_reported_ = 0;  // up to here acks have been sent
  bool ack_owed_ = false;
  std::bitset<received_sequences> received_;
  ByteQueue unreliable_in_;      // u16 size, bytes
  ByteQueue inbox_;              // the peer's lane, in order
  std::size_t inbox_ready_ = 0;  // bytes of inbox_ that are whole messages
  std::uint16_t expected_chunk_ = 0;
  std::vector<core::Bytes> early_;  // chunks ahead of the expected one, by number % window_chunks
  std::bitset<window_chunks> has_early_;
};

}  // namespace mobula::transport
