// HTTP/1.1 connection of a client, on the thread of an event loop. It is opened by the first request and kept open for
// the next ones, which wait for those before them.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::net {

class EventLoop;

/// Options of HTTP requests.
struct HttpOptions {
  core::Nanoseconds timeout = 5 * core::second;         // for the whole exchange
  std::size_t answer_bytes_max = std::size_t{1} << 24;  // maximum size of the body, and of a line in follow()
  std::string bearer{};                                 // bearer token; empty for none
};

class HttpConnection {
 public:
  /// Called once, with the body of the answer or an error.
  using OnAnswer = std::function<void(core::Result<std::string>)>;
  /// Called with each line of an answer, without its end.
  using OnLine = std::function<void(std::string_view)>;

  /// `url` is "http://HOST:PORT", or with a path. The loop must outlive the connection.
  HttpConnection(EventLoop& events, std::string url, HttpOptions options = {});
  /// No handler is called afterwards.
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Requests a path below the address. Handlers are called by the loop, never by this call; they may send further
  /// requests, and destroy the connection. Connecting resolves a host name, which blocks. Redirects are not followed.
  /// Errors:
  ///   "bad address"   malformed URL
  ///   "not running"   the address refuses the connection: no server listens there
  ///   "unreachable"   unknown host, or no way to the address
  ///   "timed out"     no complete answer within `timeout`
  ///   "bad answer"    not HTTP, or larger than answer_bytes_max
  ///   "refused"       status other than 2xx; the message has the status and the server's text
  void get(std::string_view path, OnAnswer on_answer);
  void post(std::string_view path, std::string_view json, OnAnswer on_answer);
  void patch(std::string_view path, std::string_view json, OnAnswer on_answer);
  /// Posts a request whose answer lasts: each line is passed on when it is complete. The timeout applies to the first
  /// byte. `on_end` gets an empty text, or an error.
  void follow(std::string_view path, std::string_view json, OnLine on_line, OnAnswer on_end);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace mobula::net
