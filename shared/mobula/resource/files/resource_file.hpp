// Resources from files.
#pragma once

#include <mobula/resource/resource.hpp>
#include <string>

namespace mobula::resource {

/// Reads a file, which may change afterwards. Errors: "missing" (or not readable), and those of Resource::from_bytes.
core::Result<std::shared_ptr<const Resource>> load_file(const std::string& path);
/// Maps a file, which must not change during the life of the Resource. For caches of files named by their content.
core::Result<std::shared_ptr<const Resource>> map_file(const std::string& path);

}  // namespace mobula::resource
