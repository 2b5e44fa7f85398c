#include <algorithm>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/origin.hpp>
#include <mobula/server/admin/auth_filter.hpp>
#include <mobula/server/admin/same_machine.hpp>

namespace mobula::server::admin {
namespace {

constexpr std::string_view scheme = "bearer ";

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Checks whether an origin such as "http://localhost:7780" is the host itself.
bool is_own_origin(std::string_view origin, std::string_view host) {
  const std::size_t begin = origin.find("://");
  const bool http =
      begin != std::string_view::npos && (origin.substr(0, begin) == "http" || origin.substr(0, begin) == "https");
  return http && !host.empty() && std::ranges::equal(origin.substr(begin + 3), host, {}, small, small);
}

// Checks Fetch Metadata: browsers request pictures and scripts without an Origin, but with these headers. A followed
// link requests a document, which is allowed.
bool is_part_of_foreign_page(const Request& request) {
  const bool foreign = request.fetch_site == "cross-site" || request.fetch_site == "same-site";
  return foreign && request.fetch_dest != "document";
}

core::ByteView bytes_of(std::string_view text) { return core::as_bytes(text.data(), text.size()); }

}  // namespace

std::optional<Response> AuthFilter::refuse_page(const Request& request, bool permitted_origin) const {
  const bool foreign =
      (request.origin && !is_own_origin(*request.origin, request.host)) || is_part_of_foreign_page(request);
  if (foreign && !permitted_origin)
    return error_response(403, "foreign_origin",
                          "pages in browsers are answered only if this address served them; Origin or Sec-Fetch-Site "
                          "names another");
  if (!wants_token() && !request.without_host && !is_own_host(request.host))
    return error_response(403, "foreign_host", "the Host header must be localhost or an IP address");
  return std::nullopt;
}

std::optional<Response> AuthFilter::refuse(const Request& request, Access access, bool permitted_origin) const {
  if (std::optional<Response> refusal = refuse_page(request, permitted_origin)) return refusal;
  if (access == Access::everyone || !wants_token() || is_authorized(request.authorization)) return std::nullopt;
  log_refusal(request.path);
  Response response =
      error_response(401, "unauthorized",
                     request.authorization.empty() ? "send the token: Authorization: Bearer TOKEN" : "wrong token");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

bool AuthFilter::is_own_host(std::string_view host) const {
  if (names_a_machine_itself(host)) return true;
  const std::string name = net::host_without_port(host);
  return std::ranges::any_of(
      hosts_, [&](const std::string& each) { return each == net::every_origin || (each == name && !name.empty()); });
}

bool AuthFilter::is_token(std::string_view token) const {
  // Compares equal lengths in every case, so that the token's length cannot be measured.
  const core::ContentHash ours = core::content_hash(bytes_of(token_));
  const core::ContentHash theirs = core::content_hash(bytes_of(token));
  return core::equal_in_constant_time(ours.bytes, theirs.bytes);
}

bool AuthFilter::is_authorized(std::string_view authorization) const {
  if (authorization.size() < scheme.size()) return false;
  const std::string_view begin = authorization.substr(0, scheme.size());
  return std::ranges::equal(begin, scheme, {}, small) && is_token(authorization.substr(scheme.size()));
}

void AuthFilter::log_refusal(std::string_view what) {
  core::log_warn("admin", "refused {:.100}: without the token", what);
}

}  // namespace mobula::server::admin
