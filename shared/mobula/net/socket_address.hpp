// Conversion between Address and the kernel's socket addresses. Done for every datagram, so without a library.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <mobula/core/bytes.hpp>
#include <mobula/transport/address.hpp>

namespace mobula::net {

/// Socket address of either family; the first field has the family.
union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

/// Writes an IPv6 socket address, with IPv4 as `::ffff:a.b.c.d`, for dual-stack sockets. Returns its size.
inline socklen_t to_v6(const transport::Address& address, SocketAddress& out) {
  out.v6 = {};
  out.v6.sin6_family = AF_INET6;
  out.v6.sin6_port = htons(address.port);
  std::copy(address.ip.begin(), address.ip.end(), out.v6.sin6_addr.s6_addr);
  return sizeof out.v6;
}

/// Writes an IPv4 socket address and returns its size. The address must be IPv4.
inline socklen_t to_v4(const transport::Address& address, SocketAddress& out) {
  out.v4 = {};
  out.v4.sin_family = AF_INET;
  out.v4.sin_port = htons(address.port);
  out.v4.sin_addr.s_addr = core::load<in_addr_t>(&address.ip[12]);
  return sizeof out.v4;
}

inline transport::Address to_address(const SocketAddress& from, transport::Pipe pipe = transport::Pipe::udp) {
  transport::Address address;
  address.pipe = pipe;
  if (from.any.sa_family == AF_INET6) {
    address.port = ntohs(from.v6.sin6_port);
    std::copy_n(from.v6.sin6_addr.s6_addr, address.ip.size(), address.ip.begin());
    return address;
  }
  address.port = ntohs(from.v4.sin_port);
  address.ip[10] = address.ip[11] = 0xff;
  core::store(&address.ip[12], from.v4.sin_addr.s_addr);
  return address;
}

}  // namespace mobula::net
