#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/admin/url.hpp>
#include <mobula/server/web/accepted.hpp>
#include <mobula/server/web/site_route.hpp>

namespace mobula::server::web {
namespace {

// Scripts come from this address alone, and none stands in a page. WebAssembly needs a permission of its own.
// Connections go to game servers, whose ports and names a page learns with its token.
constexpr std::string_view security_policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; connect-src 'self' ws: "
    "wss:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::size_t shown_bytes_max = 100;

bool is_page(const SiteFile& file) { return file.type.starts_with("text/html"); }

admin::Response not_found(const admin::Request& request) {
  return admin::error_response(404, "not_found",
                               core::format("there is no '{}'", core::shown(request.path, shown_bytes_max)));
}

}  // namespace

void CurrentSite::replace(Site site) {
  auto next = std::make_shared<const Site>(std::move(site));
  const std::lock_guard lock(mutex_);
  site_.swap(next);
}

std::shared_ptr<const Site> CurrentSite::get() const {
  const std::lock_guard lock(mutex_);
  return site_;
}

admin::Response answer_file(const Site& site, const admin::Request& request) {
  const std::optional<std::string> path = admin::percent_decoded(request.path);
  const SiteFile* const file = path ? site.find(*path) : nullptr;
  if (file == nullptr) return not_found(request);
  const bool compressed = file->compressed && accepts_gzip(request.accept_encoding);
  const std::string tag = core::format("\"{}{}\"", file->hash, compressed ? "-gzip" : "");
  admin::Response response{200, {}, file->type};
  response.headers = {{"Cache-Control", file->immutable ? "public, max-age=31536000, immutable" : "no-cache"},
                      {"ETag", tag},
                      {"Content-Security-Policy", std::string(security_policy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (is_page(*file)) response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  if (file->compressed) response.headers.emplace_back("Vary", "Accept-Encoding");
  if (names_tag(request.if_none_match, tag)) {
    response.status = 304;
    return response;
  }
  if (compressed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.shared_body = compressed ? file->compressed : file->content;
  return response;
}

admin::Route site_route(std::shared_ptr<const CurrentSite> site) {
  admin::Route route{
      "GET", std::string(admin::every_other_path),
      [site = std::move(site)](const admin::Request& request) { return answer_file(*site->get(), request); }};
  route.access = admin::Access::everyone;
  route.ignores_query = true;  // pages add one to get past caches
  return route;
}

}  // namespace mobula::server::web
