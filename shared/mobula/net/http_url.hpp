// URLs of HTTP requests: "http://HOST:PORT/path".
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::net {

struct HttpUrl {
  std::string host_port{};
  std::string target{};  // path, "/" if the URL has none
};

/// Parses a URL. The host is not checked. Errors: "bad address".
core::Result<HttpUrl> parse_http_url(const std::string& url);

}  // namespace mobula::net
