// Content types by the ends of names.
#pragma once

#include <string_view>

namespace mobula::server::admin {

struct ContentType {
  std::string_view extension;  // ".html"
  std::string_view type;
  bool shrinks = true;  // by gzip; formats that are compressed themselves do not
};

/// Returns the type of a file, "application/octet-stream" for unknown names.
ContentType content_type_of(std::string_view path);

}  // namespace mobula::server::admin
