// WebSocket of a client that carries text (RFC 6455), on the thread of an event loop: the other end of an admin port's
// live feed.
#pragma once

#include <mobula/net/http_connection.hpp>

namespace mobula::net {

class TextSocket {
 public:
  struct Handlers {
    std::function<void(std::string_view text)> on_text;
    // Called once, after which there is no text. Errors:
    //   "bad address"   malformed URL
    //   "unreachable"   unknown host, or no server at this address
    //   "timed out"     no connection within the timeout, or a peer that has fallen silent
    //   "refused"       the server answers without a WebSocket; the message has its status
    //   "closed"        the server has closed it, or has sent something else
    std::function<void(const core::Error& error)> on_end;
  };
  static constexpr core::Nanoseconds silence_max = 10 * core::second;  // a silent peer is sent pings before

  /// Connects. `url` is "http://HOST:PORT/path"; a host name is resolved, which blocks. The loop must outlive the
  /// socket. Handlers are called by the loop, never by this call. They may destroy the socket. `options.timeout` is for
  /// the connection, and `answer_bytes_max` for each text.
  TextSocket(EventLoop& events, std::string url, Handlers handlers, HttpOptions options = {});
  /// No handler is called afterwards.
  ~TextSocket();
  TextSocket(const TextSocket&) = delete;
  TextSocket& operator=(const TextSocket&) = delete;

  /// Sends a text. Does nothing before the first text has arrived, and after the end.
  void send(std::string text);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace mobula::net
