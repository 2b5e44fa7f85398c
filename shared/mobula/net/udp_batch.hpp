// Sends and receives many datagrams per system call. The batches belong to the loop, not to its sockets, since there
// may be thousands. A socket that sends while another one's datagrams are batched flushes those first. Single-threaded.
// No allocation after construction.
#pragma once

#include <sys/uio.h>

#include <memory>
#include <mobula/net/asked_addresses.hpp>
#include <mobula/net/socket_address.hpp>
#include <mobula/net/udp_counters.hpp>
#include <vector>

namespace mobula::net {

/// System calls, replaceable by tests.
struct UdpCalls {
  int (*send_many)(int socket, mmsghdr* messages, unsigned count, int flags) = sendmmsg;
  ssize_t (*send_one)(int socket, const msghdr* message, int flags) = sendmsg;
  int (*receive_many)(int socket, mmsghdr* messages, unsigned count, int flags, timespec* timeout) = recvmmsg;
  ssize_t (*receive_one)(int socket, msghdr* message, int flags) = recvmsg;
};

/// State of a socket that a batch needs.
struct UdpPort {
  int socket = -1;
  bool v6 = false;                        // dual-stack: IPv4 as mapped addresses
  std::unique_ptr<AskedAddresses> asked;  // null if the kernel chooses the address of answers
  UdpCounters counters;
};

/// Batch of datagrams to send. Consecutive datagrams of one size to one address, the last one possibly shorter, form
/// one message that the kernel splits (generic segmentation offload). If the kernel, network card or sandbox does not
/// support it, or sendmmsg, datagrams are sent one by one. This is detected while sending, without losses.
class UdpSendBatch {
 public:
  static constexpr std::size_t messages_max = 64;
  static constexpr std::size_t arena_bytes = 128 * 1024;
  static constexpr std::size_t segments_max = 64;
  static constexpr std::size_t segmented_bytes_max = 65'000;
  /// Number of consecutive refused messages, whose datagrams were accepted alone, after which segmentation is disabled.
  static constexpr std::uint32_t refusals_max = 8;

  explicit UdpSendBatch(const UdpCalls& calls = {});
  UdpSendBatch(const UdpSendBatch&) = delete;
  UdpSendBatch& operator=(const UdpSendBatch&) = delete;

  /// Adds a datagram. The port must stay at its address until it is flushed.
  void add(UdpPort& port, const transport::Address& to, core::ByteView datagram);
  void flush();
  /// Flushes only if the batch holds datagrams of this port.
  void flush(const UdpPort& port) {
    if (port_ == &port) flush();
  }

  [[nodiscard]] bool segments() const { return segments_; }

 private:
  struct Message {
    transport::Address to;
    std::uint32_t bytes = 0;
    std::uint32_t segment_bytes = 0;  // size of each datagram but the last
    std::uint32_t count = 0;          // number of datagrams
  };
  // Source of the datagrams, if it is chosen; size of segments, if there are several.
  struct alignas(cmsghdr) Control {
    std::byte bytes[CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(std::uint16_t))];
    std::size_t source_size = 0;
  };

  [[nodiscard]] bool joins_last(const transport::Address& to, std::size_t size) const;
  void begin_message(const transport::Address& to, std::size_t size);
  void prepare(std::size_t i);
  void set_source(std::size_t i);
  void use_control(std::size_t i, std::size_t size);
  std::size_t hand_over(std::size_t first);
  void refused(std::size_t i, int error);
  void send_alone(std::size_t i, int error);
  void count_sent(std::uint32_t datagrams, std::uint64_t bytes);
  void count_lost(std::uint32_t datagrams, int error);

  UdpCalls calls_;
  UdpPort* port_ = nullptr;
  std::size_t messages_ = 0;
  std::size_t bytes_ = 0;
  bool segments_ = true;
  bool many_ = true;
  std::uint32_t refusals_ = 0;
  std::vector<std::byte> arena_;
  std::vector<Message> message_;
  std::vector<SocketAddress> address_;
  std::vector<iovec> vector_;
  std::vector<Control> control_;
  std::vector<mmsghdr> header_;
};

/// Batch of received datagrams, valid until the next receive().
class UdpReceiveBatch {
 public:
  static constexpr std::size_t datagrams_max = 64;
  /// One byte more than the maximum, to detect longer datagrams.
  static constexpr std::size_t place_bytes = transport::datagram_bytes_max + 1;

  explicit UdpReceiveBatch(const UdpCalls& calls = {});
  UdpReceiveBatch(const UdpReceiveBatch&) = delete;
  UdpReceiveBatch& operator=(const UdpReceiveBatch&) = delete;

  /// Receives a batch and returns its number of datagrams, 0 if none is waiting. Negative for an error of an earlier
  /// send; the caller may go on receiving.
  int receive(int socket);
  [[nodiscard]] transport::Address from(std::size_t i) const { return to_address(address_[i]); }
  /// Returns the local address that a datagram was sent to. All zeros if the socket does not report it.
  [[nodiscard]] AskedAddresses::Ip local(std::size_t i) const;
  [[nodiscard]] core::ByteView datagram(std::size_t i) const {
    return {arena_.data() + i * place_bytes, header_[i].msg_len};
  }
  [[nodiscard]] bool too_long(std::size_t i) const {
    return (header_[i].msg_hdr.msg_flags & MSG_TRUNC) != 0 || header_[i].msg_len > transport::datagram_bytes_max;
  }

 private:
  UdpCalls calls_;
  bool many_ = true;
  std::size_t used_ = datagrams_max;  // headers that the kernel has written to
  struct alignas(cmsghdr) Control {
    std::byte bytes[CMSG_SPACE(sizeof(in6_pktinfo))];
  };

  std::vector<std::byte> arena_;
  std::vector<SocketAddress> address_;
  std::vector<iovec> vector_;
  std::vector<Control> control_;
  std::vector<mmsghdr> header_;
};

}  // namespace mobula::net
