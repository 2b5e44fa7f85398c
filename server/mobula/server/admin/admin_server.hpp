// The admin address: a small HTTP/1.1 and WebSocket server in a thread of its own, for the people and programs that run
// the server. Bounded in connections, bytes and time. It knows nothing of worlds: routes and topics do, and what they
// ask of the simulation is worked on by the simulation's thread, when it calls serve().
//
// Layers: admin_server (thread, listening), connection (HTTP), live_connection (WebSocket), router and gate (who
// answers whom), desk (from thread to thread), and a file for each thing that is answered here.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/server/admin/http.hpp>
#include <mobula/server/admin/topic.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::server::admin {

inline constexpr std::size_t connections_max = 64;  // more wait to be accepted
inline constexpr std::size_t live_connections_max = 16;
inline constexpr std::uint32_t header_bytes_max = 16 * 1024;
inline constexpr std::uint32_t body_bytes_max = 16 * 1024;
inline constexpr std::uint16_t default_port = 7780;

struct AdminConfig {
  transport::Address listen = transport::Address::v4(127, 0, 0, 1, default_port);  // port 0: any free one
  std::vector<Route> routes = {};
  std::vector<Topic> topics = {};
  std::string welcome = "{}";     // what a live connection is told first: a JSON object
  std::string bearer_token = {};  // empty: none is asked for, which is for the loopback address alone
  // For a question to arrive, for its answer to leave, between two; less while many are connected.
  core::Nanoseconds timeout = 5 * core::second;
  // For the simulation to answer.
  core::Nanoseconds answer_timeout = 2 * core::second;
};

// Refused with "no token" beyond the loopback address: whoever else reaches it must say one.
core::Status check_listen(const transport::Address& listen, const std::string& bearer_token);
// Whether one could listen there just now, for who would rather know before other things begin. Refused as by start().
core::Status try_listen(const transport::Address& listen);

class AdminServer {
 public:
  // Refused as by check_listen, or with "port in use", "no permission", "no such address" or "cannot open".
  static core::Result<std::unique_ptr<AdminServer>> start(AdminConfig config);
  // Ends all connections and waits for the thread; a handler that runs is waited for. By the thread that serves.
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  // On the simulation's thread, between ticks: works on what was asked, for about so long. Costs next to nothing while
  // nobody asks.
  void serve(core::Nanoseconds budget);
  [[nodiscard]] std::uint16_t local_port() const;

 private:
  struct Impl;
  explicit AdminServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::server::admin
