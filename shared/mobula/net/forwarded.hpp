// Headers by which HTTP proxies name the client of a request: Forwarded (RFC 7239) and X-Forwarded-For, and the host
// that it requested: X-Forwarded-Host.
//
//   Forwarded: for=192.0.2.1;proto=https, for="[2001:db8::1]:4711", for=unknown, for=_hidden
//   X-Forwarded-For: 192.0.2.1, 2001:db8::1, [2001:db8::1]:4711, unknown
//
// Each proxy appends the address from which it received the request. So a list is read from its end, through trusted
// proxies, to the first address that is none. The client itself may have written all that stands before.
#pragma once

#include <array>
#include <mobula/core/result.hpp>
#include <mobula/net/address_range.hpp>
#include <string_view>

namespace mobula::net {

/// Headers that proxies add to a request.
inline constexpr std::string_view forwarded_header = "Forwarded";
inline constexpr std::string_view x_forwarded_for_header = "X-Forwarded-For";
inline constexpr std::string_view x_forwarded_host_header = "X-Forwarded-Host";
inline constexpr std::string_view via_header = "Via";
inline constexpr std::array proxy_headers{forwarded_header, x_forwarded_for_header, x_forwarded_host_header,
                                          via_header};

/// Values of a request's headers. Several lines of one header are joined by commas. Empty if there is none.
struct ForwardedHeaders {
  std::string_view forwarded = {};
  std::string_view x_forwarded_for = {};
};

/// Returns the address of the client whose request `peer` sent. It is that of `peer` unless `trusted` contains `peer`.
/// Without a port in the header it has the peer's port. A proxy that hides its client, as by "unknown", counts itself.
/// If there are both headers, Forwarded counts, and the other must name the same client. A proxy that appends to one of
/// them may pass on the other as the client wrote it.
/// Errors: "bad Forwarded", "bad X-Forwarded-For", "two clients".
core::Result<transport::Address> client_of_request(const transport::Address& peer, const ForwardedHeaders& headers,
                                                   std::span<const AddressRange> trusted);

/// Returns the host that a browser named in its request. That is `host`, or the first one of X-Forwarded-Host if `peer`
/// is a trusted proxy that sends this header. A page cannot set either of them.
std::string_view host_of_request(const transport::Address& peer, std::string_view host,
                                 std::string_view x_forwarded_host, std::span<const AddressRange> trusted);

}  // namespace mobula::net
