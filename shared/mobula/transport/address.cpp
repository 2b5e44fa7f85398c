#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/transport/address.hpp>
#include <string_view>

namespace mobula::transport {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Pipe::count)> pipe_prefixes{"", "tcp:", "ws:"};
constexpr std::array<std::uint8_t, 12> v4_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

unsigned group(const Address& address, std::size_t i) { return address.ip[2 * i] * 256u + address.ip[2 * i + 1]; }

// Range of zero groups, at least two long, that RFC 5952 writes as "::". Empty if there is none.
struct Run {
  std::size_t begin = 8;
  std::size_t end = 8;
};
Run longest_zero_run(const Address& address) {
  Run best;
  for (std::size_t begin = 0; begin < 8; ++begin) {
    std::size_t end = begin;
    while (end < 8 && group(address, end) == 0) ++end;
    if (end - begin >= 2 && end - begin > best.end - best.begin) best = {begin, end};
  }
  return best;
}

std::string v6_text(const Address& address) {
  const Run zeros = longest_zero_run(address);
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == zeros.begin) {
      text += "::";
      i = zeros.end - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    text += core::format("{:x}", group(address, i));
  }
  return text;
}

}  // namespace

bool Address::is_v4() const { return std::equal(v4_prefix.begin(), v4_prefix.end(), ip.begin()); }

std::string to_string(const Address& address) {
  const std::string_view pipe = pipe_prefixes[static_cast<std::size_t>(address.pipe)];
  if (address.is_v4()) {
    return core::format("{}{}.{}.{}.{}:{}", pipe, address.ip[12], address.ip[13], address.ip[14], address.ip[15],
                        address.port);
  }
  return core::format("{}[{}]:{}", pipe, v6_text(address), address.port);
}

}  // namespace mobula::transport

std::size_t std::hash<mobula::transport::Address>::operator()(
    const mobula::transport::Address& address) const noexcept {
  return mobula::core::hash64(mobula::core::as_bytes(&address, 1));
}
