// A server of HTTP on the loopback address, on a port that the kernel chooses, and what tests ask it.
#pragma once

#include <gtest/gtest.h>

#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/live.hpp>
#include <net/raw_http.hpp>

namespace mobula::server::admin::http_test {

using test::RawSocket;
using transport::Address;

inline HttpServerConfig config(core::Nanoseconds timeout = 60 * core::second) {
  const auto echo = [](const Request& request) { return Response{200, request.query + '|' + request.body}; };
  HttpServerConfig config{.listen = Address::v4(127, 0, 0, 1, 0), .routes = {}, .timeout = timeout};
  config.routes = {live_route(), {"POST", "/echo", echo, {"a", "x"}}};
  return config;
}

inline std::unique_ptr<HttpServer> start(HttpServerConfig with = config()) {
  core::Result<std::unique_ptr<HttpServer>> server = HttpServer::start(std::move(with));
  if (!server.ok()) {
    ADD_FAILURE() << server.error().message;
    std::abort();
  }
  return std::move(*server);
}

inline std::string url(const HttpServer& server, std::string_view path) {
  return "http://127.0.0.1:" + std::to_string(server.local_port()).append(path);
}

inline const std::string live = "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n";
inline const std::string closing = "GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

// Sends bytes and returns all that is received until the server closes the connection.
inline std::string answer_to(const HttpServer& server, std::string_view bytes) {
  const RawSocket socket = RawSocket::connect(server.local_port());
  EXPECT_TRUE(socket.send(bytes));
  return socket.receive();
}

inline void expect_refused(const std::string& answer, std::string_view status, std::string_view code) {
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + std::string(status) + ' ')) << answer;
  EXPECT_NE(answer.find("{\"error\":{\"code\":\"" + std::string(code) + "\",\"message\":\""), std::string::npos)
      << answer;
  EXPECT_NE(answer.find("Content-Type: application/json\r\n"), std::string::npos) << answer;
}

}  // namespace mobula::server::admin::http_test
