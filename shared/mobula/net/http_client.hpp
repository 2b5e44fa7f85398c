// One question over HTTP/1.1 and its answer, for programs that ask an admin address at start. The call waits, at most
// for `timeout`; the looking up of a host's name comes on top.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::net {

struct HttpOptions {
  core::Nanoseconds timeout = 5 * core::second;         // of the whole exchange
  std::size_t answer_bytes_max = std::size_t{1} << 24;  // of its body
  std::string bearer{};                                 // token; empty: none is said
};

// `url`: "http://HOST:PORT/path". The answer's body; no redirect is followed. Refused with
//   "bad address"   the URL is not like that
//   "unreachable"   nobody listens there
//   "timed out"
//   "bad answer"    it is no HTTP, or too long
//   "refused"       any status but 2xx; the message has the status and what the server says
core::Result<std::string> http_get(const std::string& url, const HttpOptions& options = {});
core::Result<std::string> http_post(const std::string& url, std::string_view json, const HttpOptions& options = {});

}  // namespace mobula::net
