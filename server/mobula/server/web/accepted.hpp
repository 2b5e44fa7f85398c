// Headers with which a browser names the encodings that it takes, and the version that it has. The text is not trusted.
#pragma once

#include <string_view>

namespace mobula::server::web {

/// Returns whether Accept-Encoding permits gzip (RFC 9110, 12.5.3).
bool accepts_gzip(std::string_view accept_encoding);

/// Returns whether If-None-Match names a tag, which has its quotes (RFC 9110, 13.1.2). Weak tags count as strong ones.
bool names_tag(std::string_view if_none_match, std::string_view tag);

}  // namespace mobula::server::web
