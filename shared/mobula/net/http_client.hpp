// Blocking HTTP/1.1 requests, for programs that query an admin port at start. A call takes at most `timeout`, plus the
// time to resolve a host name.
#pragma once

#include <mobula/net/http_connection.hpp>

namespace mobula::net {

/// Returns the URL of a path below an address that people write: with a slash at its end, or without. `path` begins
/// with a slash.
std::string url_below(std::string_view address, std::string_view path);

/// Returns the body of the answer. `url` is "http://HOST:PORT/path". Errors are those of HttpConnection::get.
core::Result<std::string> http_get(const std::string& url, const HttpOptions& options = {});
core::Result<std::string> http_post(const std::string& url, std::string_view json, const HttpOptions& options = {});

}  // namespace mobula::net
