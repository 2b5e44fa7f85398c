// The receiving side of a reliable lane: puts the peer's chunks in order and hands out whole messages.
//
// Invariant: inbox_ holds the peer's stream without a gap up to the chunk expected_; what came ahead of it waits in
// early_. Hands out each message once, in the order of sending.
#pragma once

#include <mobula/transport/byte_queue.hpp>
#include <mobula/transport/number_ring.hpp>
#include <mobula/transport/sequence.hpp>

namespace mobula::transport {

class ReliableReceiver {
 public:
  // A peer that keeps to its window never sends any other.
  [[nodiscard]] bool plausible(std::uint16_t chunk) const;
  // Received in order and not yet fetched. Early chunks are bounded by the window and not counted: they must never
  // keep the expected one out.
  [[nodiscard]] std::size_t inbox_bytes() const { return inbox_.size(); }
  // False: a message announces more than `message_bytes_max`, and nothing can be received any more.
  bool take(std::uint16_t chunk, core::ByteView bytes, std::size_t message_bytes_max);
  // False: there is none. The buffer's capacity is used again.
  bool next(core::Bytes& message);

  void trim();
  void check() const;

 private:
  struct EarlyChunk {
    core::Bytes bytes;
    bool here = false;
  };

  bool append(core::ByteView bytes, std::size_t message_bytes_max);
  void keep_early(std::uint16_t chunk, core::ByteView bytes);

  ByteQueue inbox_;
  std::size_t ready_ = 0;  // bytes of inbox_ that are whole messages
  NumberRing<EarlyChunk> early_;
  std::uint32_t early_count_ = 0;
  bool early_used_ = false;  // since the last trim
  std::uint16_t expected_ = 0;
};

}  // namespace mobula::transport
