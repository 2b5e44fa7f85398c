// The web address of a process: the page of a game, and connect tokens for it.
#pragma once

#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/tokens.hpp>
#include <mobula/server/host/config.hpp>
#include <mobula/server/web/page_tokens.hpp>
#include <mobula/server/web/site_route.hpp>
#include <optional>

namespace mobula::server {

/// Connections to a web address. A browser opens six at a time.
inline constexpr std::size_t web_connections_max = 256;

/// The game server that pages connect to.
struct PageEndpoint {
  std::uint16_t websocket_port = 0;
  admin::TokenSource tokens = {};  // empty for none
};

/// Returns the WebSocket that answers with tokens name: that of a public address, or that of the port.
admin::WebSocketAddress websocket_address(const HostConfig& config, std::uint16_t port);

/// A web address that is checked and not open yet. It has read its files.
struct WebPlan {
  transport::Address listen = {};
  web::TokenKind tokens = web::TokenKind::none;
  std::shared_ptr<web::CurrentSite> site;
};

/// Checks the address, the port and the files of the web address, before anything else is opened. Nothing if the
/// configuration has none. Errors: "bad address", those of web::Site::load and admin::try_listen.
core::Result<std::optional<WebPlan>> plan_web_address(const HostConfig& config);

/// Returns the players that get tokens of the web address. By default these are all that reach a loopback address, if
/// no backend shares the key and no proxy is trusted.
web::TokenKind token_kind(const HostConfig& config, const transport::Address& listen);

/// Opens the address. Errors: those of HttpServer::start.
core::Result<std::unique_ptr<admin::HttpServer>> open_web_address(const WebPlan& plan, const HostConfig& config,
                                                                  PageEndpoint endpoint);

/// Reads the files again. If they are refused, the error is logged and the former ones stay.
void reload_site(const WebPlan& plan, const HostConfig& config);

}  // namespace mobula::server
