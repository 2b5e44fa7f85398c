// What is in a resource file: for people as a table, for programs as JSON. A client's copy can be looked at as well;
// then nobody knows what the server has besides.
#pragma once

#include <mobula/resource/resource.hpp>
#include <string>
#include <string_view>

namespace mobula::resource {

// `name`: what the file is called.
std::string inspect_table(const Resource& file, std::string_view name);
std::string inspect_json(const Resource& file, std::string_view name);

}  // namespace mobula::resource
