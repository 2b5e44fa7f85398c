// One connection of the admin server. Reads requests and answers them one after the other. Ends when the peer does, or
// violates HTTP, is too slow or sends too much. Owns itself. Private to this folder.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <mobula/net/address_range.hpp>
#include <mobula/server/admin/http.hpp>
#include <mobula/server/admin/live_connection_impl.hpp>

namespace mobula::server::admin {

inline constexpr std::string_view live_path = "/api/live";

// Owner of a connection; outlives it and its io_context.
class ConnectionOwner : public LiveOwner {
 public:
  using Done = std::function<void(Response)>;

  // Answers a request. Calls `done` once, before it returns or later, on this thread.
  virtual void answer(Request request, Done done) noexcept = 0;
  // Returns the refusal of a WebSocket, or nothing if it is allowed.
  virtual std::optional<Response> refuse_live(const Request& request) noexcept = 0;
  // Peers whose X-Forwarded-Host replaces Host.
  [[nodiscard]] virtual std::span<const net::AddressRange> trusted_proxies() const { return {}; }
  // Connections whose peers receive an answer, in the order of `idle`.
  Evictables receiving = {};
};

void serve(boost::asio::ip::tcp::socket socket, Place place, ConnectionOwner& owner);

}  // namespace mobula::server::admin
