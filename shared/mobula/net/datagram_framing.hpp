// Framing of datagrams in a byte stream. Each frame:
//   u16 size, 1 to datagram_bytes_max
//   the datagram
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>

namespace mobula::net {

inline constexpr std::size_t datagram_length_bytes = sizeof(std::uint16_t);

/// Splits such a stream, received in pieces of any size, into datagrams.
/// Invariant: partial_ holds the beginning of one frame or, until the next call, the complete frame of the returned
/// datagram.
class DatagramReader {
 public:
  /// Removes the next datagram from the front of `bytes` and returns it. Empty if its end has not been received yet.
  /// It lies in `bytes` or in the reader, and is valid until the next call.
  /// Errors: "bad length". It is permanent, since the start of the next frame is unknown.
  core::Result<core::ByteView> next(core::ByteView& bytes);

  void check() const;

 private:
  void keep(core::ByteView& bytes, std::size_t up_to);

  core::Bytes partial_;
  bool returned_ = false;
};

}  // namespace mobula::net
