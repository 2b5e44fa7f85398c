#include <arpa/inet.h>

#include <algorithm>
#include <mobula/net/ip_text.hpp>

namespace mobula::net {

// inet_pton refuses zones, leading zeros and the shorthands of inet_aton. It needs a zero byte at the end.
std::optional<transport::Address> parse_ip(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> copy{};
  if (text.size() >= copy.size() || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::copy(text.begin(), text.end(), copy.begin());
  transport::Address address;
  if (inet_pton(AF_INET6, copy.data(), address.ip.data()) == 1) return address;
  if (inet_pton(AF_INET, copy.data(), &address.ip[12]) != 1) return std::nullopt;
  address.ip[10] = address.ip[11] = 0xff;
  return address;
}

}  // namespace mobula::net
