// The WebSocket of a game server, as answers with connect tokens name it.
#pragma once

#include <cstdint>
#include <mobula/server/admin/http.hpp>
#include <string>

namespace mobula::server::admin {

struct WebSocketAddress {
  std::string url = {};    // for clients; empty for the host of the request and `port`
  std::uint16_t port = 0;  // 0 without a WebSocket
  bool secure = false;     // the port's WebSocket is wss

  /// Returns the URL for the peer that sent a request. Empty without a WebSocket, or if the request names no host.
  [[nodiscard]] std::string url_for(const Request& request) const;
};

}  // namespace mobula::server::admin
