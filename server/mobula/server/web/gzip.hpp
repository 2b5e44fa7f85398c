// Compression of files for browsers.
#pragma once

#include <string>
#include <string_view>

namespace mobula::server::web {

/// Returns the content in gzip's format (RFC 1952).
std::string gzip(std::string_view content);

}  // namespace mobula::server::web
