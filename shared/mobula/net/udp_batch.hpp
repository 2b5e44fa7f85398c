// Many datagrams per system call. The batches belong to the loop, not to its sockets, of which there may be thousands:
// a socket that sends while another's datagrams wait hands those over first.
// One thread. No allocation after construction.
#pragma once

#include <sys/uio.h>

#include <mobula/net/socket_address.hpp>
#include <mobula/net/udp_counters.hpp>
#include <vector>

namespace mobula::net {

// The kernel, or what a test puts in its place.
struct UdpCalls {
  int (*send_many)(int socket, mmsghdr* messages, unsigned count, int flags) = sendmmsg;
  ssize_t (*send_one)(int socket, const msghdr* message, int flags) = sendmsg;
  int (*receive_many)(int socket, mmsghdr* messages, unsigned count, int flags, timespec* timeout) = recvmmsg;
  ssize_t (*receive_one)(int socket, msghdr* message, int flags) = recvmsg;
};

// A socket as a batch sees it.
struct UdpPort {
  int socket = -1;
  bool v6 = false;  // speaks IPv6 and, as mapped addresses, IPv4
  UdpCounters counters;
};

// Consecutive datagrams to one address, of one size but for a shorter last one, make one message, which the kernel
// cuts (generic segmentation offload). Where the kernel, the network card or a sandbox does not know of it, or of
// sendmmsg, datagrams go the plain way: that is found out while sending, and nothing is lost by it.
class UdpSendBatch {
 public:
  static constexpr std::size_t messages_max = 64;
  static constexpr std::size_t arena_bytes = 128 * 1024;
  static constexpr std::size_t segments_max = 64;
  static constexpr std::size_t segmented_bytes_max = 65'000;
  // So many messages refused one after the other, whose datagrams went alone: then nothing is segmented any more.
  static constexpr std::uint32_t refusals_max = 8;

  explicit UdpSendBatch(const UdpCalls& calls = {});
  UdpSendBatch(const UdpSendBatch&) = delete;
  UdpSendBatch& operator=(const UdpSendBatch&) = delete;

  // The port stays where it is until it is flushed.
  void add(UdpPort& port, const transport::Address& to, core::ByteView datagram);
  void flush();
  // Only if what waits is this port's.
  void flush(const UdpPort& port) {
    if (port_ == &port) flush();
  }

  [[nodiscard]] bool segments() const { return segments_; }

 private:
  struct Message {
    transport::Address to;
    std::uint32_t bytes = 0;
    std::uint32_t segment_bytes = 0;  // of each datagram but the last
    std::uint32_t count = 0;          // datagrams
  };
  struct alignas(cmsghdr) Control {
    std::byte bytes[CMSG_SPACE(sizeof(std::uint16_t))];
  };

  [[nodiscard]] bool joins_last(const transport::Address& to, std::size_t size) const;
  void begin_message(const transport::Address& to, std::size_t size);
  void prepare(std::size_t i);
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

class UdpReceiveBatch {
 public:
  static constexpr std::size_t datagrams_max = 64;
  // One more than a datagram may have shows that it was too long.
  static constexpr std::size_t place_bytes = transport::datagram_bytes_max + 1;

  explicit UdpReceiveBatch(const UdpCalls& calls = {});
  UdpReceiveBatch(const UdpReceiveBatch&) = delete;
  UdpReceiveBatch& operator=(const UdpReceiveBatch&) = delete;

  // How many there are now; 0: nothing waits. An error of an earlier send is no reason to stop: less than 0.
  int receive(int socket);
  [[nodiscard]] transport::Address from(std::size_t i) const { return to_address(address_[i]); }
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
  std::vector<std::byte> arena_;
  std::vector<SocketAddress> address_;
  std::vector<iovec> vector_;
  std::vector<mmsghdr> header_;
};

}  // namespace mobula::net
