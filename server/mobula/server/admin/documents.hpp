// Files that are part of the program: the document that describes the API, and the inspector, a page that shows it.
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

// Made by CMake (embed.cmake): openapi.json, and what is in client/inspector.
std::span<const EmbeddedFile> openapi_files();
std::span<const EmbeddedFile> inspector_files();

// A route for each: "index.html" is "/", another one "/inspector/PATH". Types follow from their names; who has a file
// already is told so; nothing they load may come from elsewhere.
std::vector<Route> file_routes(std::span<const EmbeddedFile> files);

}  // namespace mobula::server::admin
