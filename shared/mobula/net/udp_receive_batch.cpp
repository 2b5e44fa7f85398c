#include <cerrno>
#include <mobula/net/udp_batch.hpp>

namespace mobula::net {

UdpReceiveBatch::UdpReceiveBatch(const UdpCalls& calls)
    : calls_(calls),
      arena_(datagrams_max * place_bytes),
      address_(datagrams_max),
      vector_(datagrams_max),
      control_(datagrams_max),
      header_(datagrams_max) {
  for (std::size_t i = 0; i < datagrams_max; ++i) {
    vector_[i] = {arena_.data() + i * place_bytes, place_bytes};
    header_[i] = {};
    header_[i].msg_hdr.msg_name = &address_[i];
    header_[i].msg_hdr.msg_iov = &vector_[i];
    header_[i].msg_hdr.msg_iovlen = 1;
    header_[i].msg_hdr.msg_control = control_[i].bytes;
    header_[i].msg_hdr.msg_controllen = sizeof control_[i].bytes;
  }
}

int UdpReceiveBatch::receive(int socket) {
  for (std::size_t i = 0; i < used_; ++i) {
    header_[i].msg_hdr.msg_namelen = sizeof(SocketAddress);
    header_[i].msg_hdr.msg_controllen = sizeof control_[i].bytes;
  }
  used_ = 0;
  int count = 0;
  if (many_) {
    count = calls_.receive_many(socket, header_.data(), datagrams_max, MSG_DONTWAIT, nullptr);
    many_ = count >= 0 || errno != ENOSYS;
  }
  if (!many_) {
    const ssize_t size = calls_.receive_one(socket, &header_[0].msg_hdr, MSG_DONTWAIT);
    header_[0].msg_len = static_cast<unsigned>(std::max<ssize_t>(size, 0));
    count = size >= 0 ? 1 : -1;
  }
  if (count < 0) {
    used_ = 1;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
  }
  used_ = static_cast<std::size_t>(count);
  return count;
}

AskedAddresses::Ip UdpReceiveBatch::local(std::size_t i) const {
  AskedAddresses::Ip local{};
  const msghdr& header = header_[i].msg_hdr;
  const cmsghdr* const control = CMSG_FIRSTHDR(&header);
  if (control == nullptr) return local;
  const auto* const data = reinterpret_cast<const std::byte*>(CMSG_DATA(control));
  if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
    const auto info = core::load<in6_pktinfo>(data);
    std::ranges::copy(info.ipi6_addr.s6_addr, local.begin());
  } else if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
    const auto info = core::load<in_pktinfo>(data);
    local[10] = local[11] = 0xff;
    core::store(reinterpret_cast<std::byte*>(&local[12]), info.ipi_addr.s_addr);
  }
  return local;
}

}  // namespace mobula::net
