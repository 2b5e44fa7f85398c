// Origins of pages in browsers (RFC 6454), and the pages whose requests a server answers. Browsers add the header
// Origin to each WebSocket, and a page cannot change it. Programs that are no browsers need not send one.
#pragma once

#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::net {

/// Stands for every origin in an OriginPolicy.
inline constexpr std::string_view every_origin = "*";

/// Checks that a text is an origin as browsers send it: "http://localhost:5173". Errors: "bad origin".
core::Status check_origin(std::string_view text);
/// Does the same, and accepts "*".
core::Status check_allowed_origin(std::string_view text);
/// Checks that a text is an origin by is_local_origin(). Errors: "bad origin".
core::Status check_local_origin(std::string_view text);

/// Returns whether an origin's page was served by the browser's own machine: its host is localhost or a loopback
/// address.
[[nodiscard]] bool is_local_origin(std::string_view origin);

/// Returns the host of "HOST[:PORT]" in lower case, with the brackets of an IPv6 address. Empty if the text is
/// malformed.
std::string host_without_port(std::string_view text);

/// Pages whose requests are answered, besides those of the host that a request names, at whichever port.
struct OriginPolicy {
  std::vector<std::string> allowed = {};  // checked by check_allowed_origin()

  /// Returns whether a request may be answered. Without an origin it may: it is not of a page. `host` is the value of
  /// the request's header Host.
  [[nodiscard]] bool permits(const std::optional<std::string>& origin, std::string_view host) const;
};

}  // namespace mobula::net
