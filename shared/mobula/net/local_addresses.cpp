#include <ifaddrs.h>
#include <net/if.h>

#include <memory>
#include <mobula/net/local_addresses.hpp>
#include <mobula/net/socket_address.hpp>

namespace mobula::net {
namespace {

struct Found {
  transport::Address address;
  bool loopback = false;
};

bool is_wanted(const ifaddrs& interface) {
  if (interface.ifa_addr == nullptr || (interface.ifa_flags & IFF_UP) == 0) return false;
  const sa_family_t family = interface.ifa_addr->sa_family;
  return family == AF_INET || family == AF_INET6;
}

bool is_link_local(const transport::Address& address) {
  if (address.is_v4()) return address.ip[12] == 169 && address.ip[13] == 254;
  return address.ip[0] == 0xfe && (address.ip[1] & 0xc0) == 0x80;
}

constexpr int ranks = 4;
int rank(const Found& found) { return (found.loopback ? 2 : 0) + (found.address.is_v4() ? 0 : 1); }

Found read(const ifaddrs& interface, std::uint16_t port) {
  SocketAddress address{};
  const bool v4 = interface.ifa_addr->sa_family == AF_INET;
  std::memcpy(&address, interface.ifa_addr, v4 ? sizeof address.v4 : sizeof address.v6);
  Found found{to_address(address), (interface.ifa_flags & IFF_LOOPBACK) != 0};
  found.address.port = port;
  return found;
}

}  // namespace

std::vector<transport::Address> local_addresses(std::uint16_t port) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(list, freeifaddrs);
  std::vector<Found> all;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (!is_wanted(*at)) continue;
    const Found found = read(*at, port);
    if (!is_link_local(found.address)) all.push_back(found);
  }
  std::vector<transport::Address> addresses;
  for (int wanted = 0; wanted < ranks; ++wanted) {
    for (const Found& found : all) {
      if (rank(found) == wanted) addresses.push_back(found.address);
    }
  }
  return addresses;
}

}  // namespace mobula::net
