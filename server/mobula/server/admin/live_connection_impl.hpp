// One WebSocket of the live feed (live.md). The peer subscribes to topics; each has at most one frame on its way, so
// that who reads slowly is told less, not later. Owns itself. For the sources of this folder alone.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/server/admin/topic.hpp>
#include <span>

namespace mobula::server::admin {

// Whom a live connection belongs to; outlives it, and its io_context too.
class LiveOwner {
 public:
  using FrameDone = std::function<void(core::Result<std::string>)>;

  virtual ~LiveOwner() = default;
  // Whether an Authorization header, or its lack, is enough.
  [[nodiscard]] virtual bool may_watch(std::string_view authorization) = 0;
  [[nodiscard]] virtual bool is_token(std::string_view said) = 0;
  [[nodiscard]] virtual std::span<const Topic> topics() const = 0;
  // A JSON object without its topic.
  [[nodiscard]] virtual const std::string& welcome() const = 0;
  // Calls `done` once, later, on this thread. Reasons of the simulation's that does not answer: "busy", "no answer",
  // "unfinished".
  virtual void ask(std::shared_ptr<Feed> feed, FrameDone done) noexcept = 0;
  // Of those who may watch. False: too many do.
  virtual bool live_began() noexcept = 0;
  virtual void live_ended() noexcept = 0;
  virtual void connection_ended() noexcept = 0;
  // For reading a question or a token, and again for writing an answer.
  [[nodiscard]] virtual core::Nanoseconds timeout() const = 0;
};

// The place that a connection takes of those there are, given back when it ends.
struct GiveBack {
  void operator()(LiveOwner* owner) const noexcept { owner->connection_ended(); }
};
using Place = std::unique_ptr<LiveOwner, GiveBack>;

// Keeps the place of the connection that was upgraded until who is there may watch, and has one of the live.
void serve_live(boost::asio::ip::tcp::socket socket, Place place,
                const boost::beast::http::request<boost::beast::http::string_body>& upgrade, bool authorized,
                LiveOwner& owner);

}  // namespace mobula::server::admin
