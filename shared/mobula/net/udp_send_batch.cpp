#include <netinet/udp.h>

#include <cerrno>
#include <mobula/core/assert.hpp>
#include <mobula/net/udp_batch.hpp>

namespace mobula::net {
namespace {

// Whether the datagrams of a refused message may succeed one by one. EMSGSIZE: the path MTU is below the segment size;
// a single datagram is fragmented by the kernel.
bool may_go_alone(int error) { return error == EIO || error == EINVAL || error == EOPNOTSUPP || error == EMSGSIZE; }

// Writes a control message at the end of a control. Returns its size there.
template <class Data>
std::size_t write_control(std::byte* at, int level, int type, const Data& data) {
  cmsghdr head{};
  head.cmsg_level = level;
  head.cmsg_type = type;
  head.cmsg_len = CMSG_LEN(sizeof data);
  core::store(at, head);
  core::store(at + CMSG_LEN(0), data);
  return CMSG_SPACE(sizeof data);
}

}  // namespace

UdpSendBatch::UdpSendBatch(const UdpCalls& calls)
    : calls_(calls),
      arena_(arena_bytes),
      message_(messages_max),
      address_(messages_max),
      vector_(messages_max),
      control_(messages_max),
      header_(messages_max) {
  for (std::size_t i = 0; i < messages_max; ++i) {
    header_[i] = {};
    header_[i].msg_hdr.msg_name = &address_[i];
    header_[i].msg_hdr.msg_iov = &vector_[i];
    header_[i].msg_hdr.msg_iovlen = 1;
  }
}

void UdpSendBatch::add(UdpPort& port, const transport::Address& to, core::ByteView datagram) {
  if (datagram.size() > transport::datagram_bytes_max || (!port.v6 && !to.is_v4())) {
    ++port.counters.send_errors;
    return;
  }
  if (port_ != &port || bytes_ + datagram.size() > arena_bytes) flush();
  port_ = &port;
  if (!joins_last(to, datagram.size())) begin_message(to, datagram.size());
  Message& message = message_[messages_ - 1];
  std::copy(datagram.begin(), datagram.end(), arena_.begin() + static_cast<std::ptrdiff_t>(bytes_));
  bytes_ += datagram.size();
  message.bytes += static_cast<std::uint32_t>(datagram.size());
  ++message.count;
}

// A shorter datagram ends its message. An empty one cannot be a segment.
bool UdpSendBatch::joins_last(const transport::Address& to, std::size_t size) const {
  if (messages_ == 0 || !segments_) return false;
  const Message& last = message_[messages_ - 1];
  return size > 0 && size <= last.segment_bytes && last.bytes == last.count * last.segment_bytes &&
         last.count < segments_max && last.bytes + size <= segmented_bytes_max && last.to == to;
}

void UdpSendBatch::begin_message(const transport::Address& to, std::size_t size) {
  if (messages_ == messages_max) {
    UdpPort* const port = port_;
    flush();
    port_ = port;
  }
  const std::size_t i = messages_++;
  message_[i] = {to, 0, static_cast<std::uint32_t>(size), 0};
  header_[i].msg_hdr.msg_namelen = port_->v6 ? to_v6(to, address_[i]) : to_v4(to, address_[i]);
  vector_[i].iov_base = arena_.data() + bytes_;
  set_source(i);
}

void UdpSendBatch::prepare(std::size_t i) {
  const Message& message = message_[i];
  vector_[i].iov_len = message.bytes;
  Control& control = control_[i];
  std::size_t size = control.source_size;
  if (message.count > 1)
    size += write_control(control.bytes + control.source_size, SOL_UDP, UDP_SEGMENT,
                          static_cast<std::uint16_t>(message.segment_bytes));
  use_control(i, size);
}

void UdpSendBatch::use_control(std::size_t i, std::size_t size) {
  msghdr& header = header_[i].msg_hdr;
  header.msg_control = size > 0 ? control_[i].bytes : nullptr;
  header.msg_controllen = size;
}

// A dual-stack socket takes IPv4 addresses in the form of IPv6, too.
void UdpSendBatch::set_source(std::size_t i) {
  Control& control = control_[i];
  control.source_size = 0;
  if (port_->asked == nullptr) return;
  const AskedAddresses::Ip& source = port_->asked->find(message_[i].to);
  if (source == AskedAddresses::Ip{}) return;
  if (port_->v6) {
    in6_pktinfo info{};
    core::store(reinterpret_cast<std::byte*>(&info.ipi6_addr), source);
    control.source_size = write_control(control.bytes, IPPROTO_IPV6, IPV6_PKTINFO, info);
  } else {
    in_pktinfo info{};
    info.ipi_spec_dst.s_addr = core::load<in_addr_t>(reinterpret_cast<const std::byte*>(&source[12]));
    control.source_size = write_control(control.bytes, IPPROTO_IP, IP_PKTINFO, info);
  }
}

void UdpSendBatch::flush() {
  for (std::size_t i = 0; i < messages_; ++i) prepare(i);
  for (std::size_t i = 0; i < messages_;) i += hand_over(i);
  messages_ = 0;
  bytes_ = 0;
  port_ = nullptr;
}

// Returns the number of messages handled, sent or not. The kernel stops at the first one that it refuses, and returns
// the error of that one in the next call.
std::size_t UdpSendBatch::hand_over(std::size_t first) {
  const auto count = static_cast<unsigned>(messages_ - first);
  ++port_->counters.send_calls;
  int done = 0;
  if (many_) {
    done = calls_.send_many(port_->socket, &header_[first], count, MSG_NOSIGNAL);
  } else {
    done = calls_.send_one(port_->socket, &header_[first].msg_hdr, MSG_NOSIGNAL) < 0 ? -1 : 1;
  }
  if (done > 0) {
    for (std::size_t i = first; i < first + static_cast<std::size_t>(done); ++i) {
      if (message_[i].count > 1) refusals_ = 0;
      count_sent(message_[i].count, message_[i].bytes);
    }
    return static_cast<std::size_t>(done);
  }
  if (errno == EINTR) return 0;
  if (errno == ENOSYS && many_) {
    many_ = false;
    return 0;
  }
  refused(first, errno);
  return 1;
}

void UdpSendBatch::refused(std::size_t i, int error) {
  if (message_[i].count > 1 && may_go_alone(error)) return send_alone(i, error);
  count_lost(message_[i].count, error);
}

// If the datagrams are accepted one by one, only the segmentation was refused: in general, or on this path.
void UdpSendBatch::send_alone(std::size_t i, int error) {
  const Message& message = message_[i];
  use_control(i, control_[i].source_size);
  msghdr header = header_[i].msg_hdr;
  bool any_sent = false;
  for (std::uint32_t n = 0; n < message.count; ++n) {
    const std::size_t begin = std::size_t{n} * message.segment_bytes;
    iovec part{static_cast<std::byte*>(vector_[i].iov_base) + begin,
               std::min<std::size_t>(message.segment_bytes, message.bytes - begin)};
    header.msg_iov = &part;
    ++port_->counters.send_calls;
    if (calls_.send_one(port_->socket, &header, MSG_NOSIGNAL) >= 0) {
      any_sent = true;
      count_sent(1, part.iov_len);
    } else {
      count_lost(1, errno);
    }
  }
  if (any_sent && error != EMSGSIZE && ++refusals_ >= refusals_max) segments_ = false;
}

void UdpSendBatch::count_sent(std::uint32_t datagrams, std::uint64_t bytes) {
  port_->counters.datagrams_sent += datagrams;
  port_->counters.bytes_sent += bytes;
}

void UdpSendBatch::count_lost(std::uint32_t datagrams, int error) {
  const bool full = error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS;
  (full ? port_->counters.dropped_full : port_->counters.send_errors) += datagrams;
}

}  // namespace mobula::net
