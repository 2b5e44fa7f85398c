#include <cerrno>
#include <mobula/net/udp_batch.hpp>

namespace mobula::net {

UdpReceiveBatch::UdpReceiveBatch(const UdpCalls& calls)
    : calls_(calls),
      arena_(datagrams_max * place_bytes),
      address_(datagrams_max),
      vector_(datagrams_max),
      header_(datagrams_max) {
  for (std::size_t i = 0; i < datagrams_max; ++i) {
    vector_[i] = {arena_.data() + i * place_bytes, place_bytes};
    header_[i] = {};
    header_[i].msg_hdr.msg_name = &address_[i];
    header_[i].msg_hdr.msg_iov = &vector_[i];
    header_[i].msg_hdr.msg_iovlen = 1;
  }
}

int UdpReceiveBatch::receive(int socket) {
  for (std::size_t i = 0; i < used_; ++i) header_[i].msg_hdr.msg_namelen = sizeof(SocketAddress);
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

}  // namespace mobula::net
