// Issues rejoin tokens: connect tokens with which a client that lost its connection resumes its session. The identity
// in them is the one that the backend gave. Each is good for one connection.
#pragma once

#include <mobula/core/secret_stream.hpp>
#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/rejoin_ids.hpp>
#include <mobula/server/session/server_config.hpp>
#include <mobula/server/session/sessions.hpp>
#include <mobula/transport/server_endpoint.hpp>

namespace mobula::server {

class RejoinTokenIssuer {
 public:
  /// All outlive this.
  RejoinTokenIssuer(const ServerConfig& config, const transport::ServerEndpoint& endpoint, Sessions& sessions)
      : config_(config), endpoint_(endpoint), sessions_(sessions), secrets_(config.secret), ids_(config.secret) {}

  /// Returns whether a connection's client id is that of a rejoin token of this server.
  [[nodiscard]] bool issued(std::uint64_t client_id) const { return ids_.made_here(client_id); }
  /// Sends the client a fresh set of tokens and notes when the next set is due.
  void send(ClientSession& session, transport::Session& connection, core::Nanoseconds now, std::uint64_t unix_seconds);

 private:
  const ServerConfig& config_;
  const transport::ServerEndpoint& endpoint_;
  Sessions& sessions_;
  core::SecretStream secrets_;
  RejoinIds ids_;
};

}  // namespace mobula::server
