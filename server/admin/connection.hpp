// One connection of the admin server: reads questions, has them answered, one after the other, and ends when the peer
// does, breaks HTTP, is too slow or sends too much. Owns itself. For the sources of this folder alone.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/server/admin/http.hpp>

namespace mobula::server::admin {

// Whom a connection belongs to; outlives it, and its io_context too.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual Response answer(const Request& request) noexcept = 0;
  // For reading a question, and again for writing its answer.
  [[nodiscard]] virtual core::Nanoseconds timeout() const = 0;
  virtual void connection_ended() noexcept = 0;
};

void serve(boost::asio::ip::tcp::socket socket, ConnectionOwner& owner);

}  // namespace mobula::server::admin
