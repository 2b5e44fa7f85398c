#include <mobula/core/format.hpp>
#include <mobula/net/origin.hpp>
#include <mobula/server/admin/websocket_address.hpp>

namespace mobula::server::admin {

std::string WebSocketAddress::url_for(const Request& request) const {
  if (!url.empty() || port == 0) return url;
  const std::string host = net::host_without_port(request.host);
  if (host.empty()) return {};
  return core::format("{}://{}:{}", secure ? "wss" : "ws", host, port);
}

}  // namespace mobula::server::admin
