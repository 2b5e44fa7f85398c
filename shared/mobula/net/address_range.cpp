#include <algorithm>
#include <charconv>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/address_range.hpp>
#include <mobula/net/ip_text.hpp>

namespace mobula::net {
namespace {

constexpr unsigned ip_bits = 128;
constexpr unsigned v4_first_bit = 96;
constexpr std::size_t shown_range_bytes = 60;

core::Error bad_range(std::string_view text, std::string_view reason) {
  return {"bad range",
          core::format("'{}' is not a range of addresses: {}", core::shown(text, shown_range_bytes), reason)};
}

// Returns the mask of the first bits in the byte at `index`.
constexpr std::uint8_t mask_of(unsigned bits, std::size_t index) {
  const unsigned before = static_cast<unsigned>(8 * index);
  if (bits <= before) return 0;
  return static_cast<std::uint8_t>(0xff00 >> std::min(bits - before, 8u));
}

bool is_v4(const AddressRange& range) { return range.bits >= v4_first_bit && transport::Address{range.ip}.is_v4(); }

}  // namespace

bool AddressRange::contains(const transport::Address& address) const {
  if (is_v4(*this) != address.is_v4()) return false;
  for (std::size_t i = 0; i < ip.size(); ++i)
    if ((address.ip[i] & mask_of(bits, i)) != ip[i]) return false;
  return true;
}

core::Result<AddressRange> parse_address_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<transport::Address> address = parse_ip(text.substr(0, slash));
  if (!address) return bad_range(text, "expected an IP address, or a range such as 10.0.0.0/8");
  if (slash == std::string_view::npos) return AddressRange{address->ip, ip_bits};

  // ::ffff:10.0.0.0/104 is 10.0.0.0/8 written as IPv6.
  const bool written_as_v4 = text.substr(0, slash).find(':') == std::string_view::npos;
  const unsigned first = written_as_v4 ? v4_first_bit : 0;
  const std::string_view digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size() || bits > ip_bits - first)
    return bad_range(text, core::format("the number after the slash is not within 0 to {}", ip_bits - first));
  const AddressRange range{address->ip, first + bits};
  for (std::size_t i = 0; i < range.ip.size(); ++i)
    if ((range.ip[i] & ~mask_of(range.bits, i)) != 0)
      return bad_range(text, core::format("the address has bits after the first {}; clear them", bits));
  return range;
}

bool contains(std::span<const AddressRange> ranges, const transport::Address& address) {
  return std::ranges::any_of(ranges, [&](const AddressRange& range) { return range.contains(address); });
}

}  // namespace mobula::net
