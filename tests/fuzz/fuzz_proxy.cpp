// Arbitrary bytes as what proxies send about their clients, and as the operator's ranges of proxies.
//
//   input: a byte for the kind (see the table), the bytes
#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/net/forwarded.hpp>
#include <mobula/net/ip_text.hpp>
#include <mobula/net/proxy_header.hpp>
#include <string>

namespace fuzz_proxy {

using namespace mobula;
using State = net::ProxyHeader::State;
using transport::Address;

namespace {

const std::array trusted{net::parse_address_range("10.0.0.0/8").value(),
                         net::parse_address_range("2001:db8::/32").value()};
const Address proxy = Address::v4(10, 0, 0, 1, 5000);
const Address client = Address::v4(192, 0, 2, 7, 5000);

core::ByteView bytes_of(std::string_view text) { return core::as_bytes(text.data(), text.size()); }

// A header has one size, however many bytes of it and after it are there.
void header(std::string_view text) {
  const auto whole = net::parse_proxy_header(bytes_of(text));
  if (!whole) return;
  fuzz::require(whole->state == State::complete || whole->size == 0, "only a complete header has a size");
  fuzz::require(whole->state != State::incomplete || text.size() < net::proxy_header_bytes_max, "a header has an end");
  if (whole->state != State::complete) return;
  fuzz::require(whole->size <= text.size() && whole->size <= net::proxy_header_bytes_max,
                "a header is there, in bounds");
  for (std::size_t size = 0; size < whole->size; ++size) {
    const auto part = net::parse_proxy_header(bytes_of(std::string(text.substr(0, size))));
    fuzz::require(part.ok() && part->state == State::incomplete, "a part of a header is incomplete");
  }
  const auto alone = net::parse_proxy_header(bytes_of(std::string(text.substr(0, whole->size))));
  fuzz::require(alone.ok() && alone->size == whole->size && alone->client == whole->client,
                "the stream changes nothing");
}

// More bytes do not mend what was refused, and do not make a header of another stream.
void header_goes_on(std::string_view text) {
  const std::size_t half = text.size() / 2;
  const auto begin = net::parse_proxy_header(bytes_of(std::string(text.substr(0, half))));
  const auto whole = net::parse_proxy_header(bytes_of(text));
  if (!begin) return fuzz::require(!whole, "an error is permanent");
  if (begin->state == State::absent)
    fuzz::require(whole.ok() && whole->state == State::absent, "no header begins late");
}

void require_same(const core::Result<Address>& found, const Address& expected) {
  fuzz::require(found.ok() && *found == expected, "the address that the trusted proxy appends counts");
}

// Whatever a client writes, the address that the trusted proxy appends counts, or the request is refused.
void forwarded(std::string_view text) {
  for (const char* appended :
       {",for=192.0.2.7", ", for=\"192.0.2.7\";by=\"[::1]\";host=\"a,b\"", ",proto=https;For=192.0.2.7"}) {
    const std::string header_text = std::string(text) + appended;
    const auto found = net::client_of_request(proxy, {.forwarded = header_text}, trusted);
    if (found) require_same(found, client);
  }
  const std::string whole(text);
  if (const auto found = net::client_of_request(proxy, {.forwarded = whole}, trusted))
    require_same(net::client_of_request(proxy, {.forwarded = whole + ",for=10.0.0.1"}, trusted), *found);
  fuzz::require(net::client_of_request(client, {.forwarded = whole}, trusted).value() == client, "it is not trusted");
}

void x_forwarded_for(std::string_view text) {
  const std::string whole(text);
  for (const char* appended :
       {",192.0.2.7", ", ::ffff:192.0.2.7", ",192.0.2.7:5000, 10.9.9.9", ",192.0.2.7,2001:db8::1,"})
    require_same(net::client_of_request(proxy, {.x_forwarded_for = whole + appended}, trusted), client);
  const auto found = net::client_of_request(proxy, {.x_forwarded_for = whole}, trusted);
  const auto both = net::client_of_request(proxy, {.forwarded = "for=192.0.2.7", .x_forwarded_for = whole}, trusted);
  fuzz::require(!both || !found || both->ip == found->ip || net::contains(trusted, *found), "both name one client");
}

// The first bits alone decide whether an address is inside.
void range(std::string_view text) {
  const auto parsed = net::parse_address_range(text);
  if (!parsed) return;
  Address first{parsed->ip, 7};
  fuzz::require(parsed->contains(first), "its first address is inside");
  for (unsigned bit = 0; bit < 128; ++bit) {
    Address flipped = first;
    flipped.ip[bit / 8] ^= static_cast<std::uint8_t>(0x80 >> bit % 8);
    if (flipped.is_v4() != first.is_v4()) continue;
    fuzz::require(parsed->contains(flipped) == (bit >= parsed->bits), "its first bits decide");
  }
}

constexpr std::array kinds{header, header_goes_on, forwarded, x_forwarded_for, range};

int run_target(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string exact(reinterpret_cast<const char*>(data + 1), size - 1);
  kinds[data[0] % kinds.size()](exact);
  return 0;
}

const mobula::fuzz::Target target("proxy", run_target);

}  // namespace
}  // namespace fuzz_proxy
