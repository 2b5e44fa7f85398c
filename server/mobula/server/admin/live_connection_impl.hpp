// One WebSocket of the live feed (docs/live.md). The peer subscribes to topics. Each topic has at most one frame in
// flight, so that a slow reader gets fewer frames, not later ones. Owns itself. Private to this folder.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/server/admin/evictable_impl.hpp>
#include <mobula/server/admin/topic.hpp>
#include <span>

namespace mobula::server::admin {

// Owner of a live connection; outlives it and its io_context.
class LiveOwner {
 public:
  using FrameDone = std::function<void(core::Result<std::string>)>;

  virtual ~LiveOwner() = default;
  // Checks an Authorization header, or its absence.
  [[nodiscard]] virtual bool may_watch(std::string_view authorization) = 0;
  [[nodiscard]] virtual bool is_token(std::string_view token) = 0;
  [[nodiscard]] virtual std::span<const Topic> topics() const = 0;
  // Returns a JSON object without its topic.
  [[nodiscard]] virtual const std::string& welcome() const = 0;
  // Requests the next frame. Calls `done` once, later, on this thread. Errors of a simulation that does not answer:
  // "busy", "no answer", "unfinished".
  virtual void request_frame(std::shared_ptr<Feed> feed, FrameDone done) noexcept = 0;
  // Counts a connection that is allowed to watch. Returns false if there are too many.
  virtual bool live_began() noexcept = 0;
  virtual void live_ended() noexcept = 0;
  virtual void connection_ended() noexcept = 0;
  // Returns the time for reading a request or a token, and for writing an answer.
  [[nodiscard]] virtual core::Nanoseconds timeout() const = 0;
  // Connections that wait for a request, for a token, or for the peer to close them. The one that has waited longest is
  // first.
  Evictables idle = {};
};

// One of the limited places for connections, returned when the connection ends.
struct GiveBack {
  void operator()(LiveOwner* owner) const noexcept { owner->connection_ended(); }
};
using Place = std::unique_ptr<LiveOwner, GiveBack>;

// Serves a live connection. It keeps the place of the upgraded connection until the peer is authorized and has one of
// the places for live connections.
void serve_live(boost::asio::ip::tcp::socket socket, Place place,
                const boost::beast::http::request<boost::beast::http::string_body>& upgrade, bool authorized,
                LiveOwner& owner);

}  // namespace mobula::server::admin
