// Files embedded in the program: the API's description, and the inspector.
#pragma once

#include <mobula/server/admin/http.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::server::admin {

struct EmbeddedFile {
  std::string_view path;  // "app.js"
  std::string_view content;
};

/// Returns openapi.json. CMake generates the function (embed.cmake).
std::span<const EmbeddedFile> openapi_files();
/// Returns the files of client/inspector. CMake generates the function (embed.cmake).
std::span<const EmbeddedFile> inspector_files();

/// Returns one route per file: "/" for the index, "/inspector/PATH" for others. Content types follow from the names.
/// An unchanged file is answered with 304. The security policy forbids loading from other hosts.
std::vector<Route> file_routes(std::span<const EmbeddedFile> files, std::string_view index = "index.html");

}  // namespace mobula::server::admin
