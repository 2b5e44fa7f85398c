// Receiving side of a reliable lane: orders the peer's chunks and returns complete messages.
//
// Invariant: inbox_ holds the peer's stream without a gap up to chunk expected_; later chunks are stored in early_.
// Each message is returned once, in the order of sending.
#pragma once

#include <mobula/transport/byte_queue.hpp>
#include <mobula/transport/number_ring.hpp>
#include <mobula/transport/sequence.hpp>

namespace mobula::transport {

/// Receiving side of a reliable lane.
class ReliableReceiver {
 public:
  /// Returns whether a peer that respects the window can send this chunk.
  [[nodiscard]] bool plausible(std::uint16_t chunk) const;
  /// Bytes received in order and not yet fetched. Early chunks are not counted: the window bounds them, and they must
  /// not keep the expected chunk out.
  [[nodiscard]] std::size_t inbox_bytes() const { return inbox_.size(); }
  /// Adds a chunk. Returns false if a message announces more than `message_bytes_max`; the lane is then unusable.
  bool receive(std::uint16_t chunk, core::ByteView bytes, std::size_t message_bytes_max);
  /// Returns whether next() has a message.
  [[nodiscard]] bool has_message() const { return ready_ > 0; }
  /// Fetches the next message, reusing the buffer's capacity. Returns false if there is none.
  bool next(core::Bytes& message);

  void trim();
  void check() const;

 private:
  struct EarlyChunk {
    core::Bytes bytes;
    bool present = false;
  };

  bool append(core::ByteView bytes, std::size_t message_bytes_max);
  void keep_early(std::uint16_t chunk, core::ByteView bytes);

  ByteQueue inbox_;
  std::size_t ready_ = 0;  // bytes of inbox_ that are complete messages
  NumberRing<EarlyChunk> early_;
  std::uint32_t early_count_ = 0;
  bool early_used_ = false;  // since the last trim
  std::uint16_t expected_ = 0;
};

}  // namespace mobula::transport
