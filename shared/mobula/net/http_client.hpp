// Blocking HTTP/1.1 requests, for programs that query an admin port at start. A call takes at most `timeout`, plus the
// time to resolve a host name.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::net {

/// Options of a request.
struct HttpOptions {
  core::Nanoseconds timeout = 5 * core::second;         // for the whole exchange
  std::size_t answer_bytes_max = std::size_t{1} << 24;  // maximum size of the body
  std::string bearer{};                                 // bearer token; empty for none
};

/// Returns the URL of a path below an address that people write: with a slash at its end, or without. `path` begins
/// with a slash.
std::string url_below(std::string_view address, std::string_view path);

/// Returns the body of the answer. `url` is "http://HOST:PORT/path". Redirects are not followed. Errors:
///   "bad address"   malformed URL
///   "unreachable"   unknown host, or no server at this address
///   "timed out"     no complete answer within `timeout`
///   "bad answer"    not HTTP, or larger than answer_bytes_max
///   "refused"       status other than 2xx; the message has the status and the server's text
core::Result<std::string> http_get(const std::string& url, const HttpOptions& options = {});
core::Result<std::string> http_post(const std::string& url, std::string_view json, const HttpOptions& options = {});

}  // namespace mobula::net
