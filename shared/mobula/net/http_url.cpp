#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/net/http_url.hpp>

namespace mobula::net {

core::Result<HttpUrl> parse_http_url(const std::string& url) {
  constexpr std::string_view scheme = "http://";
  const bool plain = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!plain || !url.starts_with(scheme) || url.find_first_of("@#") != std::string::npos)
    return core::Error{"bad address", core::format("'{}' is not an address: expected http://HOST:PORT/path", url)};
  const std::string rest = url.substr(scheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  return HttpUrl{rest.substr(0, slash), slash < rest.size() ? rest.substr(slash) : "/"};
}

}  // namespace mobula::net
