#include <mobula/core/content_hash.hpp>
#include <mobula/server/admin/content_type.hpp>
#include <mobula/server/admin/documents.hpp>

namespace mobula::server::admin {
namespace {

constexpr const char* security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string tag_of(std::string_view content) {
  return '"' + to_string(core::content_hash(core::as_bytes(content.data(), content.size()))).substr(0, 16) + '"';
}

Response serve(const EmbeddedFile& file, std::string_view type, const std::string& tag, const Request& request) {
  Response response{200, {}, type};
  response.headers = {{"Cache-Control", "no-cache"},
                      {"ETag", tag},
                      {"Content-Security-Policy", security_policy},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.if_none_match == tag) {
    response.status = 304;
  } else {
    response.body = file.content;
  }
  return response;
}

}  // namespace

std::vector<Route> file_routes(std::span<const EmbeddedFile> files, std::string_view index) {
  std::vector<Route> routes;
  for (const EmbeddedFile& file : files) {
    const auto answer = [file, type = content_type_of(file.path).type, tag = tag_of(file.content)](
                            const Request& request) { return serve(file, type, tag, request); };
    std::string path = file.path == index ? "/" : "/inspector/" + std::string(file.path);
    routes.push_back({"GET", std::move(path), answer, {}, Access::everyone});
  }
  return routes;
}

}  // namespace mobula::server::admin
