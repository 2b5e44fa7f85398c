#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/net/datagram_framing.hpp>
#include <mobula/transport/address.hpp>

namespace mobula::net {

// Returns a datagram received in one piece in place. Others are assembled in partial_.
core::Result<core::ByteView> DatagramReader::next(core::ByteView& bytes) {
  if (returned_) partial_.clear();
  returned_ = false;
  if (!partial_.empty() || bytes.size() < datagram_length_bytes) keep(bytes, datagram_length_bytes);
  const core::ByteView begin = partial_.empty() ? bytes : core::ByteView(partial_);
  if (begin.size() < datagram_length_bytes) return core::ByteView();
  const std::size_t size = core::load<std::uint16_t>(begin.data());
  if (size == 0 || size > transport::datagram_bytes_max) {
    keep(bytes, datagram_length_bytes);
    return core::Error{"bad length",
                       core::format("a datagram has 1 to {} bytes, not {}", transport::datagram_bytes_max, size)};
  }
  const std::size_t end = datagram_length_bytes + size;
  if (partial_.empty() && bytes.size() >= end) {
    bytes = bytes.subspan(end);
    return begin.subspan(datagram_length_bytes, size);
  }
  keep(bytes, end);
  returned_ = partial_.size() == end;
  return returned_ ? core::ByteView(partial_).subspan(datagram_length_bytes) : core::ByteView();
}

void DatagramReader::keep(core::ByteView& bytes, std::size_t up_to) {
  if (partial_.size() >= up_to) return;
  const core::ByteView part = bytes.first(std::min(bytes.size(), up_to - partial_.size()));
  partial_.reserve(up_to);
  partial_.insert(partial_.end(), part.begin(), part.end());
  bytes = bytes.subspan(part.size());
}

void DatagramReader::check() const {
  MOBULA_ASSERT(partial_.size() <= datagram_length_bytes + transport::datagram_bytes_max, "more than one datagram");
  MOBULA_ASSERT(!returned_ || partial_.size() > datagram_length_bytes, "no datagram was returned");
}

}  // namespace mobula::net
