// Sending side of a reliable lane. The lane is a stream of bytes (per message u32 size, then the bytes) that is cut
// into numbered chunks when it is first sent. A chunk is sent again, unchanged, when its datagram is lost.
//
// Invariant: the chunks from first_ to next_ cover the stream from its first byte to cut_. A waiting chunk is in
// exactly one waiting datagram.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/byte_queue.hpp>
#include <mobula/transport/number_ring.hpp>
#include <mobula/transport/sent_history.hpp>
#include <mobula/transport/session_body.hpp>

namespace mobula::transport {

/// Number of a reliable message within one lane and direction of a session: 1, 2, 3, …
using ReliableId = std::uint64_t;

inline constexpr std::size_t max_reliable_size = 4 * 1024 * 1024;
inline constexpr std::size_t reliable_length_bytes = 4;  // before each message in the stream
inline constexpr std::uint32_t reliable_window_chunks = 256;

/// Sending side of a reliable lane.
class ReliableSender {
 public:
  /// Queues a message. Errors: "too large", "queue full"; nothing of the message is then sent.
  core::Result<ReliableId> send(core::ByteView message, std::size_t queue_bytes_max);
  [[nodiscard]] bool delivered(ReliableId id) const { return id <= delivered_; }
  /// Bytes not yet acknowledged, and those of them not yet sent.
  [[nodiscard]] std::size_t backlog_bytes() const { return stream_.size(); }
  [[nodiscard]] std::size_t unsent_bytes() const { return static_cast<std::size_t>(begin_ + stream_.size() - cut_); }
  /// Returns whether write() may have something to send.
  [[nodiscard]] bool pending() const {
    return lost_ > 0 || (unsent_bytes() > 0 && in_flight() < reliable_window_chunks);
  }

  void begin_flush() { scan_ = first_; }
  /// Writes entries for a datagram, lost chunks first, and adds them to `record`. Returns their bytes. New entries have
  /// at most `entry_bytes_max`.
  std::size_t write(core::MutableBytes out, Lane lane, SentDatagram& record, std::size_t entry_bytes_max);
  /// Returns whether a lost chunk needs an entry of more than `bytes`.
  [[nodiscard]] bool has_lost_above(std::size_t bytes) const;
  [[nodiscard]] std::uint64_t chunks_repeated() const { return repeated_; }

  /// Marks chunks of acknowledged or lost datagrams. release() frees acknowledged ones.
  void acked(std::uint16_t chunk);
  void lost(std::uint16_t chunk);
  void release();

  void trim();
  void check() const;

 private:
  enum class ChunkState : std::uint8_t { waiting, lost, acked };
  // 8 bytes
  struct Chunk {
    std::uint32_t begin = 0;  // position in the lane, low 32 bits
    std::uint16_t size = 0;
    ChunkState state = ChunkState::waiting;
  };

  [[nodiscard]] std::uint32_t in_flight() const { return distance(first_, next_); }
  [[nodiscard]] bool is_in_flight(std::uint16_t chunk) const { return distance(first_, chunk) < in_flight(); }
  std::size_t write_lost(core::MutableBytes out, Lane lane, SentDatagram& record);
  std::size_t write_chunk(std::uint16_t number, core::MutableBytes out, Lane lane, SentDatagram& record);
  bool cut(std::size_t room);

  ByteQueue stream_;
  ByteQueue message_ends_;  // u64 end positions of undelivered messages
  NumberRing<Chunk> chunks_;
  std::uint64_t begin_ = 0;  // bytes of the lane removed from stream_
  std::uint64_t cut_ = 0;    // bytes cut into chunks
  std::uint64_t repeated_ = 0;
  ReliableId queued_ = 0;
  ReliableId delivered_ = 0;
  std::uint32_t lost_ = 0;   // chunks in state lost
  std::uint16_t first_ = 0;  // oldest unacknowledged chunk
  std::uint16_t next_ = 0;   // next chunk to cut
  std::uint16_t scan_ = 0;   // lost chunks before it were handled in this flush
};

}  // namespace mobula::transport
