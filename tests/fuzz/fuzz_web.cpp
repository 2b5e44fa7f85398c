// Arbitrary requests to the web address: paths, headers, origins and hosts.
//
//   input: lines for method, target, Host, Origin ("-" for none), Accept-Encoding, If-None-Match
#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/net/origin.hpp>
#include <mobula/server/admin/router.hpp>
#include <mobula/server/admin/url.hpp>
#include <mobula/server/web/page_tokens.hpp>
#include <mobula/server/web/site_route.hpp>
#include <nlohmann/json.hpp>
#include <server/web/site_files.hpp>
#include <string>

namespace fuzz_web {

using namespace mobula;
namespace admin = server::admin;
namespace web = server::web;

namespace {

constexpr const char* allowed = "http://localhost:5173";

struct Folder : web::SiteFolder {
  Folder() {
    put("game.js", std::string(500, 'x'));
    put("a b/index.html", "<p>within</p>");
    put("game-K3XQ2P7A.js", "let x;");
    put(".secret", "secret");
  }
};

const web::Site& site() {
  static const web::Site site = web::Site::load(Folder().path().string()).value();
  return site;
}

const admin::Router& router() {
  static const admin::Router router = [] {
    web::PageTokens tokens{.kind = web::TokenKind::accounts, .source = {}, .origins = {allowed}};
    tokens.websocket.port = 7778;
    tokens.source = [](std::uint32_t count, std::string_view /*user_data*/) {
      return core::Result<std::vector<core::Bytes>>(std::vector<core::Bytes>(count, core::Bytes(3)));
    };
    return admin::Router({web::page_token_route(std::move(tokens)),
                          web::site_route(std::make_shared<const web::CurrentSite>(web::Site(site())))},
                         {}, {"game.example"});
  }();
  return router;
}

// Returns the line at the beginning, and removes it.
std::string take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

admin::Request parse(std::string_view text) {
  admin::Request request;
  request.method = take_line(text);
  const std::string target = take_line(text);
  const admin::Target parts = admin::split_target(target);
  request.path = parts.path;
  request.query = parts.query;
  request.host = take_line(text);
  if (std::string origin = take_line(text); origin != "-") request.origin = std::move(origin);
  request.accept_encoding = take_line(text);
  request.if_none_match = take_line(text);
  return request;
}

bool is_of_site(const std::string& body) {
  return std::ranges::any_of(site().files(), [&](const web::SiteFile& file) {
    return body == *file.content || (file.compressed && body == *file.compressed);
  });
}

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
  return text;
}

// A page of another host never passes, whatever its spelling.
void permits(const admin::Request& request) {
  const net::OriginPolicy policy;
  if (!request.origin || !policy.permits(request.origin, request.host)) return;
  const std::string host = net::host_without_port(request.host);
  const std::string& origin = *request.origin;
  const std::size_t at = origin.find("://");
  fuzz::require(at == 4 || at == 5, "only pages of http and https pass");
  fuzz::require(!host.empty() && net::host_without_port(std::string_view(origin).substr(at + 3)) == host,
                "the page's host is that of the request");
}

int run_target(const std::uint8_t* data, std::size_t size) {
  const admin::Request request = parse({reinterpret_cast<const char*>(data), size});
  permits(request);
  const admin::Reply reply = router().answer(request);
  const auto& response = std::get<admin::Response>(reply);
  constexpr std::array statuses{200u, 204u, 304u, 400u, 403u, 404u, 405u};
  fuzz::require(std::ranges::find(statuses, response.status) != statuses.end(), "an answer has one of these statuses");
  fuzz::require(response.status != 304 || !request.if_none_match.empty(), "304 is for a tag");
  if (response.shared_body) {
    fuzz::require(response.status == 200 && is_of_site(*response.shared_body), "a file is of the site");
  } else if (response.status == 200) {
    const nlohmann::json answer = nlohmann::json::parse(response.body, nullptr, false);
    fuzz::require(answer.is_object() && answer["tokens"].size() == 1, "there is one token");
    fuzz::require(!net::host_without_port(answer["ws"].get<std::string>().substr(5)).empty(), "a URL names a host");
  }
  if (request.origin && *request.origin != allowed && response.status == 200)
    fuzz::require(lowered(*request.origin).ends_with("://" + lowered(request.host)),
                  "a page of another host gets nothing");
  return 0;
}

const mobula::fuzz::Target target("web", run_target);

}  // namespace
}  // namespace fuzz_web
