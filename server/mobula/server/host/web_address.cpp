#include <algorithm>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/origin.hpp>
#include <mobula/net/written_address.hpp>
#include <mobula/server/admin/listen_address.hpp>
#include <mobula/server/host/web_address.hpp>

namespace mobula::server {
namespace {

// The files of the installed game stand beside the programs' folder.
std::string web_root(const HostConfig& config) {
  if (!config.web_root.empty()) return config.web_root;
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path().parent_path() / "share/mobula/play").string();
}

core::Error of(std::string_view setting, const core::Error& error) {
  return {error.reason, core::format("{}: {}", setting, error.message)};
}

bool is_loopback(const transport::Address& address) { return admin::check_listen(address, {}).ok(); }

// An address that other machines reach has names that the server cannot know. It hands out nothing that needs a secret,
// so any name will do. A page of a name that an attacker points to this machine must not reach a loopback address.
std::vector<std::string> hosts_of(const HostConfig& config, const transport::Address& listen) {
  if (!is_loopback(listen)) return {std::string(net::every_origin)};
  std::vector<std::string> hosts;
  for (const std::string& origin : config.allowed_origins)
    if (origin != net::every_origin) hosts.push_back(net::host_without_port(origin.substr(origin.find("//") + 2)));
  return hosts;
}

// A token for any account must not reach a page of the network, although that page may connect.
std::vector<std::string> token_origins(const HostConfig& config, web::TokenKind kind) {
  std::vector<std::string> origins = config.allowed_origins;
  if (kind == web::TokenKind::accounts)
    std::erase_if(origins, [](const std::string& each) { return !net::is_local_origin(each); });
  return origins;
}

// A proxy before the WebSocket has a URL of its own.
std::string websocket_url(const HostConfig& config) {
  const auto found = std::ranges::find_if(config.public_addresses, [](const std::string& text) {
    const core::Result<net::WrittenAddress> written = net::parse_address(text);
    return written && written->pipe == transport::Pipe::websocket && text.find("://") != text.npos;
  });
  return found == config.public_addresses.end() ? std::string() : *found;
}

web::PageTokens page_tokens(const WebPlan& plan, const HostConfig& config, PageEndpoint endpoint) {
  const web::TokenKind kind = endpoint.tokens ? plan.tokens : web::TokenKind::none;
  return {.kind = kind,
          .source = std::move(endpoint.tokens),
          .origins = token_origins(config, kind),
          .websocket = websocket_address(config, endpoint.websocket_port)};
}

}  // namespace

admin::WebSocketAddress websocket_address(const HostConfig& config, std::uint16_t port) {
  return {.url = websocket_url(config), .port = port, .secure = !config.certificate.empty()};
}

web::TokenKind token_kind(const HostConfig& config, const transport::Address& listen) {
  if (config.web_tokens == "guests") return web::TokenKind::guests;
  const bool develops =
      config.web_tokens == "auto" && config.key_file.empty() && config.trusted_proxies.empty() && is_loopback(listen);
  return develops ? web::TokenKind::accounts : web::TokenKind::none;
}

core::Result<std::optional<WebPlan>> plan_web_address(const HostConfig& config) {
  if (!config.web_port) return std::optional<WebPlan>();
  const core::Result<transport::Address> listen = admin::listen_address(config.web_address, *config.web_port);
  if (!listen) return of("--web-address", listen.error());
  if (const core::Status free = admin::try_listen(*listen, "web"); !free)
    return core::Error{free.error().reason, "--web-port: " + free.error().message + " (0 takes any free port)"};
  core::Result<web::Site> site = web::Site::load(web_root(config));
  if (!site) return of("--web-root", site.error());
  return std::optional<WebPlan>(
      {*listen, token_kind(config, *listen), std::make_shared<web::CurrentSite>(std::move(*site))});
}

core::Result<std::unique_ptr<admin::HttpServer>> open_web_address(const WebPlan& plan, const HostConfig& config,
                                                                  PageEndpoint endpoint) {
  admin::HttpServerConfig server{.name = "web", .listen = plan.listen};
  server.routes.push_back(web::page_token_route(page_tokens(plan, config, std::move(endpoint))));
  server.routes.push_back(web::site_route(plan.site));
  server.hosts = hosts_of(config, plan.listen);
  server.connections_max = web_connections_max;
  for (const std::string& text : config.trusted_proxies)
    if (const core::Result<net::AddressRange> range = net::parse_address_range(text))
      server.trusted_proxies.push_back(*range);
  core::Result<std::unique_ptr<admin::HttpServer>> started = admin::HttpServer::start(std::move(server));
  if (!started) return of("--web-port", started.error());
  constexpr std::string_view given[] = {"makes no connect tokens", "makes connect tokens for guests",
                                        "makes connect tokens"};
  core::log_info("server", "web address {}: {}, {}", http_url(config.web_address, (*started)->local_port()),
                 given[static_cast<std::size_t>(plan.tokens)],
                 core::counted(plan.site->get()->files().size(), "file", "files"));
  return started;
}

void reload_site(const WebPlan& plan, const HostConfig& config) {
  core::Result<web::Site> site = web::Site::load(web_root(config));
  if (!site) return core::log_error("server", "--web-root: {}; the former files stay", site.error().message);
  const std::size_t files = site->files().size();
  plan.site->replace(std::move(*site));
  core::log_info("server", "web address: {}", core::counted(files, "file", "files"));
}

}  // namespace mobula::server
