// Datagrams in a stream of bytes, each behind its length:
//   u16 size, 1 to datagram_bytes_max
//   the datagram
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>

namespace mobula::net {

inline constexpr std::size_t datagram_length_bytes = sizeof(std::uint16_t);

// Takes such a stream apart, however its bytes come.
// Invariant: partial_ is the beginning of one datagram with its length, or, until the next call, the whole of one that
// was handed out.
class DatagramReader {
 public:
  // The next datagram, whose bytes are taken off the front of `bytes`; an empty one: all were taken, and its end has
  // not come. It lies in `bytes` or here, until the next call.
  // Refused with "bad length", then and ever after: where the next one begins cannot be known.
  core::Result<core::ByteView> next(core::ByteView& bytes);

  void check() const;

 private:
  void keep(core::ByteView& bytes, std::size_t up_to);

  core::Bytes partial_;
  bool handed_out_ = false;
};

}  // namespace mobula::net
