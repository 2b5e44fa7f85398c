// Description of a resource file: a table for people, JSON for programs. Works for a client's copy too, which does not
// show the server part.
#pragma once

#include <mobula/resource/resource.hpp>
#include <string>
#include <string_view>

namespace mobula::resource {

/// Returns the description. `name` is the name of the file.
std::string inspect_table(const Resource& file, std::string_view name);
std::string inspect_json(const Resource& file, std::string_view name);

}  // namespace mobula::resource
