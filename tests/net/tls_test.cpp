// wss with certificates created by the openssl tool.
#include <cstdlib>
#include <filesystem>

#include "pipes_testing.hpp"

namespace mobula::net::tls_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using transport::Pipe;

// Creates a directory with a certificate for localhost, one for another name, and their keys.
class Tls : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("openssl version >/dev/null 2>&1") != 0) GTEST_SKIP() << "the openssl tool is missing";
    std::string name = (std::filesystem::temp_directory_path() / "mobula-tls-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_TRUE(make("here", "DNS:localhost,IP:127.0.0.1"));
    ASSERT_TRUE(make("there", "DNS:elsewhere.invalid"));
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  bool make(const std::string& name, const std::string& names,
            const std::string& kind = "ec -pkeyopt ec_paramgen_curve:P-256") {
    const std::string command = "openssl req -x509 -newkey " + kind +
                                " -nodes -days 2 -subj /CN=test "
                                "-addext subjectAltName=" +
                                names + " -keyout " + key(name) + " -out " + certificate(name) + " 2>/dev/null";
    return std::system(command.c_str()) == 0;
  }
  [[nodiscard]] std::string certificate(const std::string& name) const { return folder_ + "/" + name + ".pem"; }
  [[nodiscard]] std::string key(const std::string& name) const { return folder_ + "/" + name + ".key"; }

  static Destination destination(const std::string& host, std::uint16_t port) {
    auto found = parse_destination("wss:" + host + ":" + std::to_string(port));
    EXPECT_TRUE(found.ok());
    return *found;
  }

  std::string folder_;
};

TEST_F(Tls, CarriesDatagramsBothWays) {
  EventLoop loop;
  TestServer server(loop, {}, certificate("here"), key("here"));
  for (const std::string host : {"localhost", "127.0.0.1"}) {
    server.received.clear();
    TestClient client(loop, destination(host, server.websocket()), {.ca_file = certificate("here")});
    ASSERT_TRUE(run_until_true(loop, [&] { return client.ready() || !client.closed.empty(); }));
    ASSERT_THAT(client.closed, IsEmpty());
    const std::string longest(transport::datagram_bytes_max, 'z');
    for (int i = 0; i < 40; ++i) client.send(longest);
    client.pipe->flush();
    ASSERT_TRUE(run_until_true(loop, [&] { return client.inbox.datagrams.size() == 40; }));
    EXPECT_EQ(text_of(client.inbox.datagrams[39]), longest);
    EXPECT_EQ(client.inbox.from[0], loopback(server.websocket(), Pipe::websocket));
    server.pipes->send(server.last_from, bytes_of("last"));
    server.pipes->finished(server.last_from);
    ASSERT_TRUE(run_until_true(loop, [&] { return !client.closed.empty() && server.connections() == 0; }));
    EXPECT_EQ(text_of(client.inbox.datagrams.back()), "last");
    EXPECT_THAT(client.closed, ElementsAre("closed by peer"));
  }
}

TEST_F(Tls, ClientRefusesUntrustedCertificatesAndNames) {
  EventLoop loop;
  TestServer server(loop, {}, certificate("there"), key("there"));
  testing::internal::CaptureStderr();
  for (const std::string& trusted : {certificate("there"), certificate("here"), std::string()}) {
    TestClient client(loop, destination("localhost", server.websocket()), {.ca_file = trusted});
    EXPECT_TRUE(run_until_true(loop, [&] { return !client.closed.empty(); }));
    const std::string cause = trusted == certificate("there") ? "ostname mismatch" : "self";
    EXPECT_THAT(client.closed, ElementsAre(HasSubstr("TLS: the server's certificate is not trusted: "))) << trusted;
    EXPECT_THAT(client.closed, ElementsAre(HasSubstr(cause))) << trusted;
  }
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("refused a connection of ws:127.0.0.1:"));
  EXPECT_THAT(server.received, IsEmpty());
}

// The datagram before it waits for its handler, so that the last one is queued.
TEST_F(Tls, TheQueueIsSentAfterTheEndOfItsPipe) {
  EventLoop loop;
  TestServer server(loop, {}, certificate("here"), key("here"));
  for (const bool loop_ends : {false, true}) {
    server.received.clear();
    auto other = std::make_unique<EventLoop>();
    auto client = std::make_unique<TestClient>(*other, destination("localhost", server.websocket()),
                                               ClientPipeConfig{.ca_file = certificate("here")});
    ASSERT_TRUE(run_until_true(loop, [&] {
      other->run_until(0);
      return client->ready();
    }));
    client->send("first");
    client->pipe->flush();
    client->send("last");
    client->pipe->flush();
    client.reset();
    if (loop_ends) other.reset();
    EXPECT_TRUE(run_until_true(loop, [&] {
      if (other != nullptr) other->run_until(0);
      return server.received.size() == 2 && server.connections() == 0;
    }));
    EXPECT_THAT(server.received, ElementsAre("first", "last"));
  }
}

TEST_F(Tls, TheEndOfALoopWaitsForNoStalledPeer) {
  EventLoop loop;
  TestServer server(loop, {}, certificate("here"), key("here"));
  auto other = std::make_unique<EventLoop>();
  auto client = std::make_unique<TestClient>(*other, destination("localhost", server.websocket()),
                                             ClientPipeConfig{.ca_file = certificate("here")});
  ASSERT_TRUE(run_until_true(loop, [&] {
    other->run_until(0);
    return client->ready();
  }));
  while (client->ready()) {
    client->send(std::string(1000, 'x'));
    client->pipe->flush();
    other->run_until(0);
  }
  client.reset();
  other.reset();  // the server does not read meanwhile
  EXPECT_TRUE(run_until_true(loop, [&] { return server.connections() == 0; }));
}

TEST_F(Tls, RefusesPlainTextOnASecurePortAndViceVersa) {
  EventLoop loop;
  TestServer secure(loop, {}, certificate("here"), key("here"));
  TestServer plain(loop);
  TestClient plain_client(loop, loopback(secure.websocket(), Pipe::websocket));
  TestClient secure_client(loop, destination("localhost", plain.websocket()), {.ca_file = certificate("here")});
  RawPeer garbage(secure.websocket());
  garbage.send(std::string(100, 'x'));
  EXPECT_TRUE(run_until_true(
      loop, [&] { return !plain_client.closed.empty() && !secure_client.closed.empty() && garbage.closed(); }));
  EXPECT_THAT(plain_client.closed, ElementsAre(HasSubstr("bad handshake: no answer to the WebSocket request: ")));
  EXPECT_THAT(secure_client.closed, ElementsAre(HasSubstr("bad handshake: TLS: ")));
}

TEST_F(Tls, IsNotReadyUntilAStalledPeerReads) {
  EventLoop loop;
  EventLoop other;
  TestServer server(loop, {}, certificate("here"), key("here"));
  server.echo = false;
  TestClient client(other, destination("localhost", server.websocket()), {.ca_file = certificate("here")});
  const auto both = [&](auto&& condition) {
    return run_until_true(loop, [&] {
      other.run_until(0);
      return condition();
    });
  };
  ASSERT_TRUE(both([&] { return client.ready(); }));
  client.send("x");
  client.pipe->flush();
  ASSERT_TRUE(both([&] { return !server.received.empty(); }));
  const transport::Address to = server.last_from;
  for (int i = 0; i < 20'000 && server.pipes->ready(to); ++i) {
    server.pipes->send(to, core::Bytes(1000));
    server.pipes->flush();
    loop.run_until(0);
  }
  ASSERT_FALSE(server.pipes->ready(to));
  const std::uint64_t sent = server.pipes->stream_counters(Pipe::websocket).datagrams_sent;
  EXPECT_TRUE(both([&] { return client.inbox.datagrams.size() == sent && server.pipes->ready(to); }));
}

TEST_F(Tls, NamesTheBadFile) {
  EventLoop loop;
  ServerPipesConfig config{.listen = loopback(0), .websocket_port = 0, .certificate_file = certificate("here")};
  ASSERT_TRUE(make("other_kind", "DNS:localhost", "ed25519"));
  for (const char* name : {"there", "other_kind"}) {
    config.key_file = key(name);
    const auto other_key = ServerPipes::open(loop, config);
    ASSERT_FALSE(other_key.ok()) << name;
    EXPECT_STREQ(other_key.error().reason, "bad key");
    EXPECT_THAT(other_key.error().message, testing::HasSubstr(config.key_file));
  }
  const auto no_ca = ClientPipe::open(loop, destination("localhost", 1), {.ca_file = folder_ + "/none"});
  ASSERT_FALSE(no_ca.ok());
  EXPECT_STREQ(no_ca.error().reason, "bad certificate");
}

}  // namespace
}  // namespace mobula::net::tls_test
