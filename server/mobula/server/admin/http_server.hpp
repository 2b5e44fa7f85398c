// An HTTP/1.1 and WebSocket server in a thread of its own: the admin port, and the web address. Connections, bytes and
// time are bounded. Routes and topics know the worlds, the server does not. Their queries to the simulation run on the
// simulation thread, when it calls serve(). Layers: http_server (thread, listening), connection (HTTP),
// live_connection (WebSocket), router and auth_filter, request_queue (between threads), and one file per built-in
// route.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/net/address_range.hpp>
#include <mobula/server/admin/http.hpp>
#include <mobula/server/admin/topic.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::server::admin {

// At the admin port. A further one replaces the one that has waited longest for its peer.
inline constexpr std::size_t connections_max = 64;
inline constexpr std::size_t live_connections_max = 16;
inline constexpr std::uint32_t header_bytes_max = 16 * 1024;
inline constexpr std::uint32_t body_bytes_max = 16 * 1024;
// A peer that reads an answer more slowly is cut off.
inline constexpr std::int64_t slowest_bytes_per_second = 16 * 1024;
inline constexpr std::uint16_t default_port = 7780;

struct HttpServerConfig {
  std::string_view name = "admin";                                                 // the port in errors
  transport::Address listen = transport::Address::v4(127, 0, 0, 1, default_port);  // port 0 takes any free port
  std::vector<Route> routes = {};
  std::vector<Topic> topics = {};       // without any there is no live feed
  std::string welcome = "{}";           // first message of a live connection: a JSON object
  std::string bearer_token = {};        // empty for none
  std::vector<std::string> hosts = {};  // names of this machine, besides localhost and IP addresses; see AuthFilter
  std::vector<net::AddressRange> trusted_proxies = {};  // peers whose X-Forwarded-Host counts
  std::size_t connections_max = admin::connections_max;
  // Time for a request to arrive, for its answer to leave, and between two requests.
  core::Nanoseconds timeout = 5 * core::second;
  // Time for the simulation to answer.
  core::Nanoseconds answer_timeout = 2 * core::second;
};

/// Checks that an address beyond loopback has a token. Errors: "no token".
core::Status check_listen(const transport::Address& listen, const std::string& bearer_token);
/// Tries to listen on an address and closes it again. `name` is that of the port. Errors: those of start().
core::Status try_listen(const transport::Address& listen, std::string_view name = "admin");

class HttpServer {
 public:
  /// Starts the thread. Errors: those of check_listen if a route or topic is not for everyone, "port in use", "no
  /// permission", "no such address", "cannot open".
  static core::Result<std::unique_ptr<HttpServer>> start(HttpServerConfig config);
  /// Ends all connections and waits for the thread and its running handlers. Called by the thread that calls serve().
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Runs waiting queries for about `budget`. Called on the simulation thread between ticks. Costs one atomic load if
  /// none waits.
  void serve(core::Nanoseconds budget);
  [[nodiscard]] std::uint16_t local_port() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::server::admin
