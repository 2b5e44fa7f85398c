// One connection of the admin server: reads questions, has them answered, one after the other, and ends when the peer
// does, breaks HTTP, is too slow or sends too much. Owns itself. For the sources of this folder alone.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <mobula/server/admin/http.hpp>
#include <mobula/server/admin/live_connection_impl.hpp>

namespace mobula::server::admin {

inline constexpr std::string_view live_path = "/api/live";

// Whom a connection belongs to; outlives it, and its io_context too.
class ConnectionOwner : public LiveOwner {
 public:
  using Done = std::function<void(Response)>;

  // Calls `done` once, before it returns or later, on this thread.
  virtual void answer(Request request, Done done) noexcept = 0;
  // Why a WebSocket may not be opened; nothing: it may.
  virtual std::optional<Response> refuse_live(const Request& request) noexcept = 0;
};

void serve(boost::asio::ip::tcp::socket socket, Place place, ConnectionOwner& owner);

}  // namespace mobula::server::admin
