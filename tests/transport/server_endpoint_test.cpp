// Sessions of a server endpoint: connecting, their packets, and events.
#include <gtest/gtest.h>

#include <map>
#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;
using Kind = ServerEvent::Kind;

TEST(ServerEndpoint, HundredClientsConnectOnceOverABadNetwork) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    EndpointWorld world(server_config(100), bad_network, seed);
    for (int i = 0; i < 100; ++i) world.add_client();
    world.run(8 * second);
    for (const auto& client : world.clients) EXPECT_TRUE(client->endpoint.connected());
    EXPECT_EQ(world.server.sessions().size(), 100u);
    EXPECT_EQ(world.count(Kind::connected), 100);
    EXPECT_EQ(world.events.size(), 100u);
  }
}

TEST(ServerEndpoint, FullServerRefusesUntilAClientLeaves) {
  EndpointWorld world(server_config(2));
  world.add_client();
  world.add_client();
  world.run(100 * millisecond);
  auto& third = world.add_client();
  world.run(100 * millisecond);
  EXPECT_TRUE(third.endpoint.closed());
  EXPECT_EQ(third.endpoint.reason().code, ReasonCode::server_full);
  ASSERT_EQ(world.count(Kind::refused), 1);
  EXPECT_EQ(to_string(world.events.back().reason), "server full: all 2 sessions are taken");
  EXPECT_EQ(world.events.back().address, third.port.from);
  EXPECT_EQ(world.dropped(Drop::server_full), 1u);

  world.clients[0]->endpoint.close({ReasonCode::left, ""}, world.clients[0]->port);
  world.step();
  auto& fourth = world.add_client();
  world.run(100 * millisecond);
  EXPECT_TRUE(fourth.endpoint.connected());
}

TEST(ServerEndpoint, ClosedSessionsUseNoSlots) {
  EndpointWorld world(server_config(4));
  for (int i = 0; i < 40; ++i) {  // all within `linger`
    auto& client = world.add_client();
    world.run(40 * millisecond);
    ASSERT_TRUE(client.endpoint.connected()) << i << ": " << to_string(client.endpoint.reason());
    world.server.disconnect_all({ReasonCode::kicked, ""}, world.now, world.server_port);
    world.step();
  }
  EXPECT_EQ(world.dropped(Drop::server_full), 0u);
}

TEST(ServerEndpoint, DenialsAreLimitedToFewEvents) {
  EndpointWorld world(server_config(1));
  world.add_client();
  world.run(100 * millisecond);
  world.events.clear();
  for (std::uint64_t id = 100; id < 1100; ++id) {
    core::Bytes request(request_bytes);
    const ConnectToken token = make_token(id);
    write_request(token.protocol_id, {token.expire_time, token.nonce, token.private_part}, request);
    world.inject(client_address(id), request);
  }
  world.step();
  EXPECT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.dropped(Drop::server_full), 1000u);
}

TEST(ServerEndpoint, SendsKeepAlivesBeforePayloadsUntilConfirmed) {
  EndpointWorld world;
  std::vector<PacketType> sent;
  world.filter = [&](const Address& from, const Address&, core::ByteView datagram) {
    if (from == server_address) sent.push_back(type_of(datagram));
    return from == server_address || type_of(datagram) < PacketType::keep_alive;  // the client never confirms
  };
  auto& client = world.add_client();
  world.run(50 * millisecond);
  ASSERT_EQ(world.server.sessions().size(), 1u);
  sent.clear();
  ASSERT_TRUE(world.server.find(world.server.sessions()[0])->send_reliable(core::Bytes(3000)).ok());
  world.step();
  ASSERT_EQ(sent.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(sent[i], i % 2 == 0 ? PacketType::keep_alive : PacketType::payload);

  world.filter = [&](const Address& from, const Address&, core::ByteView datagram) {
    if (from == server_address) sent.push_back(type_of(datagram));
    return true;
  };
  world.run(100 * millisecond);
  sent.clear();
  world.run(300 * millisecond);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(std::count(sent.begin(), sent.end(), PacketType::keep_alive), 0)
      << "payloads suffice after the confirmation";
}

TEST(ServerEndpoint, BothSidesKeepAnIdleSessionAlive) {
  ServerEndpointConfig config = server_config();
  config.session.keepalive_interval = 1000 * second;
  EndpointWorld world(config);
  ClientEndpointConfig quiet;
  quiet.session = config.session;
  auto& client = world.add_client(client_address(1), make_token(1), quiet);
  int keep_alives = 0;
  world.filter = [&](const Address&, const Address&, core::ByteView datagram) {
    keep_alives += type_of(datagram) == PacketType::keep_alive ? 1 : 0;
    return true;
  };
  world.run(30 * second);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(world.count(Kind::disconnected), 0);
  EXPECT_NEAR(keep_alives, 120, 10);
}

// Proxies close connections that are silent for a minute.
TEST(ServerEndpoint, AnIdleSessionIsNeverSilentForASecond) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(second);
  core::Nanoseconds longest = 0;
  std::array<core::Nanoseconds, 2> last{world.now, world.now};
  const auto note = [&](std::size_t side) {
    longest = std::max(longest, world.now - last[side]);
    last[side] = world.now;
  };
  world.filter = [&](const Address& from, const Address&, core::ByteView) {
    note(from == server_address ? 0 : 1);
    return true;
  };
  for (int step = 0; step < 5 * 60 * 20; ++step) world.step(50 * millisecond);
  note(0);
  note(1);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_LT(longest, second);
}

// Clients connect, send, leave and crash at random. The server's sessions must follow from its events.
TEST(ServerEndpoint, EventsMatchTheConnectedSessions) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    EndpointWorld world(server_config(12), bad_network, seed);
    const auto add = [&] {
      TokenRequest request = token_request(++world.client_ids);
      request.timeout_seconds = 2;
      request.expire_seconds = 1000;
      world.add_client(client_address(random.below(30)), make_token(request));
    };
    for (int step = 0; step < 6000; ++step) {
      const std::uint32_t action = random.below(150);
      std::erase_if(world.clients, [](const auto& client) { return client->endpoint.closed(); });
      if (action >= 145 && world.clients.size() < 20) add();
      if (action == 1 && !world.clients.empty()) {
        const std::uint32_t index = random.below(static_cast<std::uint32_t>(world.clients.size()));
        world.clients[index]->endpoint.close({ReasonCode::left, ""}, world.clients[index]->port);
        world.remove_client(index);
      }
      if (action == 2 && !world.clients.empty()) {
        world.remove_client(random.below(static_cast<std::uint32_t>(world.clients.size())));
      }
      if (action == 3 && !world.server.sessions().empty()) {
        world.server.disconnect(SessionId(world.server.sessions().front()), {ReasonCode::kicked, ""}, world.now,
                                world.server_port);
      }
      if (action == 4 && !world.clients.empty()) {
        world.server.pipe_closed(world.clients.front()->port.from, world.now);
      }
      world.step();
    }
    std::map<std::uint64_t, bool> there;
    for (const ServerEvent& event : world.events) {
      if (event.kind == Kind::refused) continue;
      const std::uint64_t key = (std::uint64_t{event.session.generation} << 32) | event.session.index;
      ASSERT_FALSE(event.kind == Kind::connected && there.contains(key)) << "a session id is never reused";
      ASSERT_EQ(there[key], event.kind == Kind::disconnected);
      there[key] = event.kind == Kind::connected;
    }
    std::size_t count = 0;
    for (const auto& [key, present] : there) {
      const SessionId id{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
      EXPECT_EQ(world.server.find(id) != nullptr, present);
      count += present ? 1 : 0;
    }
    EXPECT_EQ(world.server.sessions().size(), count);
    EXPECT_GT(world.count(Kind::connected), 20);
    EXPECT_GT(world.count(Kind::disconnected), 10);
    EXPECT_GT(world.server.total_stats().datagrams_received, 1000u);
  }
}

TEST(ServerEndpoint, SameSeedGivesTheSameRun) {
  const auto run = [](std::uint64_t seed) {
    EndpointWorld world(server_config(10), bad_network, seed);
    for (int i = 0; i < 8; ++i) world.add_client();
    world.run(3 * second);
    return std::pair(world.network.counters().bytes_sent, world.server.total_stats().rtt);
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

}  // namespace
}  // namespace mobula::transport
