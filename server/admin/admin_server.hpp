// The admin address: a small HTTP/1.1 server in a thread of its own, for the people and programs of this machine.
// Bounded in connections, bytes and time. Layers: admin_server (thread, listening), connection (HTTP), router (who
// answers), and a file for each thing that is answered.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/server/admin/http.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::server::admin {

inline constexpr std::size_t connections_max = 64;  // more wait to be accepted
inline constexpr std::uint32_t header_bytes_max = 16 * 1024;
inline constexpr std::uint32_t body_bytes_max = 16 * 1024;
inline constexpr std::uint16_t default_port = 7780;

struct AdminConfig {
  transport::Address listen = transport::Address::v4(127, 0, 0, 1, default_port);  // port 0: any free one
  std::vector<Route> routes;
  // For a question to arrive, for its answer to leave, between two; less while many are connected.
  core::Nanoseconds timeout = 5 * core::second;
};

class AdminServer {
 public:
  // Refused with "port in use", "no permission", "no such address" or "cannot open".
  static core::Result<std::unique_ptr<AdminServer>> start(AdminConfig config);
  // Ends all connections and waits for the thread; a handler that runs is waited for.
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  [[nodiscard]] std::uint16_t local_port() const;

 private:
  struct Impl;
  explicit AdminServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::server::admin
