// Requests of hostile HTTP clients over sockets. All of it is refused before it reaches the thread of the control.
#include <cluster/service.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <net/raw_http.hpp>
#include <server/cluster_program/controlled_cluster.hpp>

namespace mobula::cluster {
namespace hostile_http_test {

namespace admin = server::admin;

class HostileHttp : public testing::Test {
 protected:
  // Sends bytes. Returns the status and all that follows.
  std::string send(const std::string& bytes) const {
    const test::RawSocket socket = test::RawSocket::connect(http->local_port());
    EXPECT_TRUE(socket.open());
    (void)socket.send(bytes);  // a server that refuses may have closed
    const std::string answer = socket.receive();
    const std::string version = "HTTP/1.1 ";
    return answer.starts_with(version) ? answer.substr(version.size()) : answer;
  }
  static std::string request(const std::string& line, const std::string& body = "", const std::string& headers = "") {
    return line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::unique_ptr<admin::HttpServer> start(test::ControlledCluster& of) {
    auto started =
        admin::HttpServer::start({.name = "cluster",
                                  .listen = transport::Address::v4(127, 0, 0, 1, 0),
                                  .routes = service_routes(of.control, of.figures, of.sender, core::SecretKey{})});
    EXPECT_TRUE(started.ok());
    return std::move(*started);
  }

  test::ControlledCluster of;
  std::unique_ptr<admin::HttpServer> http = start(of);
};

TEST_F(HostileHttp, BodiesHaveAMaximum) {
  const std::string large = R"({"world": ")" + std::string(admin::body_bytes_max, 'w') + "\"}";
  for (const char* path : {"POST /worlds", "POST /tokens", "POST /nodes/a/drain"})
    EXPECT_TRUE(send(request(path, large)).starts_with("413 ")) << path;
  EXPECT_TRUE(
      send("POST /worlds HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n").starts_with("413 "));
}

TEST_F(HostileHttp, HeadersHaveAMaximum) {
  const std::string large = "X-Filler: " + std::string(admin::header_bytes_max, 'x') + "\r\n";
  EXPECT_TRUE(send(request("GET /nodes", "", large)).starts_with("431 "));
}

TEST_F(HostileHttp, UnknownPathsAndOtherMethodsAreNamed) {
  EXPECT_TRUE(send(request("GET /")).starts_with("404 "));
  EXPECT_TRUE(send(request("GET /world")).starts_with("404 "));
  EXPECT_TRUE(send(request("GET /worlds/a/b")).starts_with("404 "));
  EXPECT_TRUE(send(request("GET /worlds/%00%zz")).starts_with("404 "));
  EXPECT_TRUE(send(request("GET /api/tokens")).starts_with("404 "));
  for (const char* line : {"DELETE /worlds/w", "PUT /worlds", "GET /tokens", "GET /nodes/a/drain", "POST /health"}) {
    const std::string answer = send(request(line));
    EXPECT_TRUE(answer.starts_with("405 ")) << line << answer;
    EXPECT_NE(answer.find("\r\nAllow: "), std::string::npos) << line;
  }
}

TEST_F(HostileHttp, WrongTypesAreRefusedBeforeTheyWait) {
  const char* bodies[] = {"",
                          "null",
                          "7",
                          "[]",
                          "{",
                          R"({"world": 1, "game": 2})",
                          R"({"world": {}, "game": []})",
                          "\xff\xfe",
                          R"({"world": "w", "game": "g", "world": "\ud800"})"};
  for (const char* path : {"POST /worlds", "POST /tokens"})
    for (const char* body : bodies) EXPECT_TRUE(send(request(path, body)).starts_with("400 ")) << path << body;
  std::string deep;
  for (int i = 0; i < 8000; ++i) deep += '[';
  EXPECT_TRUE(send(request("POST /worlds", deep)).starts_with("400 "));
}

TEST_F(HostileHttp, PagesOfOtherSitesAreRefused) {
  EXPECT_TRUE(send(request("POST /worlds", "{}", "Origin: http://evil.example\r\n")).starts_with("403 "));
  EXPECT_TRUE(send("GET /nodes HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").starts_with("403 "));
}

TEST_F(HostileHttp, OtherMachinesNeedABearerToken) {
  const auto started =
      admin::HttpServer::start({.name = "cluster",
                                .listen = transport::Address::v4(0, 0, 0, 0, 0),
                                .routes = service_routes(of.control, of.figures, of.sender, std::nullopt)});
  ASSERT_FALSE(started.ok());
  EXPECT_STREQ(started.error().reason, "no token");
}

}  // namespace hostile_http_test
}  // namespace mobula::cluster
