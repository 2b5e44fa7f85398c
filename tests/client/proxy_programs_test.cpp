// The server behind nginx and haproxy of Debian, configured as docs/proxies.md shows. All run on this machine, which
// has all addresses of 127.0.0.0/8: clients connect from 127.0.0.1, proxies listen on 127.0.0.4 and connect from
// 127.0.0.2.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <client/programs.hpp>
#include <cstdlib>
#include <net/raw_http.hpp>

namespace mobula {
namespace {

constexpr const char* nginx = "/usr/sbin/nginx";
constexpr const char* haproxy = "/usr/sbin/haproxy";
constexpr const char* proxy_ip = "127.0.0.4";
constexpr const char* proxy_source = "127.0.0.2";
constexpr const char* client_ip = "127.0.0.1";
constexpr int unused_port = 9;

using Replacements = std::vector<std::pair<std::string, std::string>>;

class ProxyPrograms : public Programs {
 protected:
  void SetUp() override {
    for (const char* program : {nginx, haproxy})
      if (!fs::exists(program)) GTEST_SKIP() << program << " is missing; ./dev setup test installs it";
    const std::string command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 " +
                                ("-subj /CN=test -addext subjectAltName=IP:" + std::string(proxy_ip)) + " -keyout " +
                                key() + " -out " + certificate() + " 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    write(both(), read(certificate()) + read(key()));
  }

  static std::string certificate() { return (folder() / "proxy.pem").string(); }
  static std::string key() { return (folder() / "proxy.key").string(); }
  static std::string both() { return (folder() / "proxy-with-key.pem").string(); }
  static std::string at(const std::string& ip, int port) { return ip + ":" + std::to_string(port); }

  // Returns an address of the proxies with a port that is free now.
  static std::string free_address() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = address_of(0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
    ::close(socket);
    return at(proxy_ip, ntohs(address.sin_port));
  }

  // Waits until a proxy accepts connections. Returns false if it ends before.
  static bool accepts(Program& proxy, const std::string& address) {
    const sockaddr_in to = address_of(static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1))));
    for (const auto end = steady_clock::now() + patience; proxy.running() && steady_clock::now() < end;) {
      const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
      const bool connected = ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
      ::close(socket);
      if (connected) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

  // Returns a file of docker/proxies with its names replaced by those of the test.
  static std::string configuration(const std::string& file, const Replacements& replacements) {
    std::string text = read(fs::path(MOBULA_SOURCE_DIR) / "docker/proxies" / file);
    for (const auto& [from, to] : replacements) {
      const std::size_t place = text.find(from);
      EXPECT_NE(place, std::string::npos) << file << " lacks: " << from;
      if (place != std::string::npos) text.replace(place, from.size(), to);
    }
    return text;
  }

  // Starts nginx as one process that needs no root, with a file of docker/proxies, for wss and for ws.
  void start_nginx(const std::string& name, Replacements replacements) {
    replacements.insert(replacements.begin(), {{"listen 443 ssl;", "listen " + wss_ + " ssl;\nlisten " + ws_ + ";"},
                                               {"/etc/ssl/game.pem", certificate()},
                                               {"/etc/ssl/game.key", key()}});
    const std::string base = folder().string();
    std::string text =
        "daemon off;\nmaster_process off;\npid " + base + "/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n";
    for (const char* module : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
      text += std::string(module) + "_temp_path " + base + "/nginx_" + module + ";\n";
    text += configuration(name, replacements);
    const std::string file = base + "/nginx.conf";
    write(file, text + "}\n");
    Program& proxy = start(nginx, {"-e", base + "/nginx.error", "-c", file});
    ASSERT_TRUE(accepts(proxy, wss_) && accepts(proxy, ws_)) << proxy.err() << read(base + "/nginx.error");
  }

  // Returns the replacement of a line that names a port of the server.
  static std::pair<std::string, std::string> passed(const std::string& from, int port, const std::string& path = "") {
    return {"proxy_pass http://10.0.0.5:" + from + path + ";",
            std::string("proxy_bind ") + proxy_source + ";\nproxy_pass http://" + at(client_ip, port) + path + ";"};
  }

  void start_nginx() {
    wss_ = free_address();
    ws_ = free_address();
    start_nginx("nginx.conf", {passed("7778", ws_port_)});
  }

  // Starts a server with a page, and nginx before both of its ports.
  void start_nginx_with_a_page(std::vector<std::string> more) {
    write(folder() / "index.html", "<p>the game</p>");
    const std::vector<std::string> options{
        "--ws-port",    "0",      "--web-port",      "0",         "--web-root", folder().string(),
        "--web-tokens", "guests", "--trusted-proxy", proxy_source};
    more.insert(more.end(), options.begin(), options.end());
    Program& server = serve(more);
    const int web_port = number_after(server.err(), "web address http://127.0.0.1:");
    start_nginx("nginx-page.conf", {passed("8080", web_port), passed("7778", ws_port_, "/")});
  }

  // Sends a request to nginx without TLS. Returns the answer.
  [[nodiscard]] std::string ask_nginx(const std::string& line, const std::string& headers) const {
    const auto port = static_cast<std::uint16_t>(std::stoi(ws_.substr(ws_.find(':') + 1)));
    const auto socket = test::RawSocket::connect(port, proxy_ip);
    EXPECT_TRUE(socket.send(line + " HTTP/1.1\r\nHost: " + ws_ + "\r\n" + headers + "\r\n"));
    return socket.receive(headers.find("Upgrade") == std::string::npos ? "" : "\r\n\r\n");
  }

  // Starts haproxy before the server's ports: TCP, and ws, or wss if it has a certificate.
  void start_haproxy(const std::string& send_proxy, int server_wss_port = unused_port) {
    tcp_ = free_address();
    wss_ = free_address();
    passed_wss_ = free_address();
    const auto server = [](int port) {
      return std::string("source ") + proxy_source + "\n  server game " + at(client_ip, std::max(port, unused_port));
    };
    const std::string text =
        configuration("haproxy.cfg", {{"bind :7777", "bind " + tcp_},
                                      {"bind :443 ", "bind " + wss_ + " "},
                                      {"bind :8443", "bind " + passed_wss_},
                                      {"/etc/ssl/game-with-key.pem", both()},
                                      {"server game 10.0.0.5:7777 send-proxy-v2", server(tcp_port_) + " " + send_proxy},
                                      {"server game 10.0.0.5:7778", server(ws_port_)},
                                      {"server game 10.0.0.5:7779", server(server_wss_port)}});
    const std::string file = (folder() / "haproxy.cfg").string();
    write(file, text);
    Program& proxy = start(haproxy, {"-db", "-f", file});
    ASSERT_TRUE(accepts(proxy, tcp_) && accepts(proxy, wss_) && accepts(proxy, passed_wss_)) << proxy.err();
  }

  Program& start_client(const std::string& connect, int ticks = 20) {
    return start("mobula-client", {"--connect", connect, "--admin", admin_, "--ca-file", certificate(), "--ticks",
                                   std::to_string(ticks), "--json"});
  }

  // Expects that a client plays, and that the server logs its address on a pipe.
  void expect_plays(Program& server, const std::string& connect, const std::string& pipe, const std::string& from) {
    SCOPED_TRACE(connect);
    const std::string joined = " joined from " + pipe + ":" + from + ":";
    const std::size_t before = lines_like(server.err(), joined);
    Program& client = start_client(connect);
    EXPECT_EQ(client.wait(), 0) << client.err() << server.err();
    EXPECT_EQ(lines_like(server.err(), joined), before + 1) << server.err();
  }

  std::string tcp_;  // addresses of the proxies
  std::string ws_;
  std::string wss_;
  std::string passed_wss_;

 private:
  static sockaddr_in address_of(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, proxy_ip, &address.sin_addr);
    return address;
  }
};

TEST_F(ProxyPrograms, NginxNamesTheClientsOfWebSockets) {
  Program& server = serve({"--ws-port", "0", "--trusted-proxy", proxy_source});
  start_nginx();
  expect_plays(server, "ws:" + ws_, "ws", client_ip);
  expect_plays(server, "wss:" + wss_, "ws", client_ip);
}

// It sends no commands. The session takes twice as long as nginx waits for bytes.
TEST_F(ProxyPrograms, AnIdleClientOutlastsTheTimeoutsOfNginx) {
  serve({"--ws-port", "0", "--trusted-proxy", proxy_source});
  wss_ = free_address();
  ws_ = free_address();
  const std::string version = "proxy_http_version 1.1;";
  start_nginx("nginx.conf",
              {passed("7778", ws_port_), {version, version + "\nproxy_read_timeout 2s;\nproxy_send_timeout 2s;"}});
  Program& client = start_client("wss:" + wss_, 80);
  EXPECT_EQ(client.wait(), 0) << client.err();
}

TEST_F(ProxyPrograms, NginxServesThePageAndItsWebSocket) {
  wss_ = free_address();
  ws_ = free_address();
  const std::string url = "wss://" + wss_ + "/game";
  start_nginx_with_a_page({"--public-address", url});
  const std::string own = "Connection: close\r\nOrigin: http://" + ws_ + "\r\n";
  EXPECT_THAT(ask_nginx("GET /", own), testing::EndsWith("<p>the game</p>"));
  EXPECT_THAT(ask_nginx("GET /", "Connection: close\r\nOrigin: http://evil.example\r\n"), HasSubstr(" 403 "));
  const std::string answer = ask_nginx("GET /token", own);
  const nlohmann::json body = nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  EXPECT_EQ(body["wss"], url);
  write(folder() / "page.token", body["tokens"][0].get<std::string>());
  Program& client = start("mobula-client", {"--connect", url, "--token", (folder() / "page.token").string(),
                                            "--ca-file", certificate(), "--ticks", "20", "--json"});
  EXPECT_EQ(client.wait(), 0) << client.err();
}

TEST_F(ProxyPrograms, PagesOfOtherHostsAreRefusedBehindNginx) {
  wss_ = free_address();
  ws_ = free_address();
  start_nginx_with_a_page({});
  const auto status = [&](const std::string& origin) {
    return ask_nginx("GET /game",
                     "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: " +
                         origin + "\r\n")
        .substr(9, 3);
  };
  EXPECT_EQ(status("http://" + ws_), "101");
  EXPECT_EQ(status("https://" + std::string(proxy_ip)), "101");
  EXPECT_EQ(status("http://evil.example"), "403");
  EXPECT_EQ(status(std::string("http://") + client_ip), "403") << "the name of the server itself";
}

TEST_F(ProxyPrograms, HaproxyNamesTheClientsOfBothPipes) {
  for (const char* send_proxy : {"send-proxy", "send-proxy-v2"}) {
    Program& server =
        serve({"--tcp-port", "0", "--ws-port", "0", "--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", proxy_source});
    start_haproxy(send_proxy);
    expect_plays(server, "tcp:" + tcp_, "tcp", client_ip);
    expect_plays(server, "wss:" + wss_, "ws", client_ip);
  }
}

TEST_F(ProxyPrograms, HaproxyPassesTlsToTheServer) {
  Program& server = serve({"--tcp-port", "0", "--ws-port", "0", "--certificate", certificate(), "--certificate-key",
                           key(), "--trusted-proxy", proxy_source});
  start_haproxy("send-proxy-v2", number_after(server.err(), "listening on wss port "));
  expect_plays(server, "wss:" + passed_wss_, "ws", client_ip);
}

TEST_F(ProxyPrograms, HeadersOfAnUntrustedProxyAreIgnored) {
  Program& server = serve({"--tcp-port", "0", "--ws-port", "0", "--trusted-proxy", "127.0.0.3"});
  start_nginx();
  expect_plays(server, "wss:" + wss_, "ws", proxy_source);
  start_haproxy("send-proxy-v2");
  expect_plays(server, "wss:" + wss_, "ws", proxy_source);
  Program& refused = start_client("tcp:" + tcp_);
  EXPECT_EQ(refused.wait(), 1) << "a PROXY header of another peer is a malformed stream";
  EXPECT_THAT(server.err(), testing::Not(HasSubstr("joined from tcp:")));
}

}  // namespace
}  // namespace mobula
