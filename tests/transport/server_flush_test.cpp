// Order in which a server endpoint sends to its sessions.
#include <gmock/gmock.h>

#include <array>
#include <map>
#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;

TEST(ServerEndpoint, WritesNothingForAFullPipe) {
  EndpointWorld world;
  auto& slow = world.add_client();
  auto& other = world.add_client();
  world.run(100 * millisecond);
  std::map<std::string, int> sent;
  world.filter = [&](const Address&, const Address& to, core::ByteView) { return ++sent[to_string(to)] > 0; };
  world.full = &slow.port.from;
  for (const SessionId id : world.server.sessions()) {
    ASSERT_TRUE(world.server.find(id)->send_reliable(core::Bytes(100)).ok());
  }
  world.run(100 * millisecond);
  EXPECT_EQ(sent[to_string(slow.port.from)], 0);
  EXPECT_GT(sent[to_string(other.port.from)], 0);
  world.full = nullptr;
  world.run(100 * millisecond);
  core::Bytes message;
  EXPECT_TRUE(slow.endpoint.session().next_reliable(message));
}

TEST(ServerEndpoint, FlushesOneSessionAlone) {
  EndpointWorld world;
  world.add_client();
  world.add_client();
  world.run(100 * millisecond);
  for (const SessionId id : world.server.sessions())
    ASSERT_TRUE(world.server.find(id)->send_reliable(core::Bytes(100)).ok());
  Captured captured;
  const SessionId id = world.server.sessions()[0];
  world.server.flush(id, world.now, captured);
  ASSERT_FALSE(captured.addresses.empty());
  for (const Address& to : captured.addresses) EXPECT_EQ(to, world.server.address(id));
  captured = {};
  world.server.flush(SessionId{}, world.now, captured);
  EXPECT_TRUE(captured.addresses.empty()) << "no such session";
}

// Clients to which one update sends something, each once, in order.
std::vector<Address> flushed_in(EndpointWorld& world) {
  Captured captured;
  world.server.update(world.now, captured);
  std::vector<Address> order;
  for (std::size_t i = 0; i < captured.datagrams.size(); ++i) {
    if (order.empty() || !(order.back() == captured.addresses[i])) order.push_back(captured.addresses[i]);
    world.network.send(server_address, captured.addresses[i], captured.datagrams[i], world.now);
  }
  return order;
}

// A tick in which each session has something to send.
std::vector<Address> busy_tick(EndpointWorld& world) {
  world.deliver();
  for (const SessionId id : world.server.sessions()) {
    EXPECT_TRUE(world.server.find(id)->send_reliable(core::Bytes(20)).ok());
  }
  std::vector<Address> order = flushed_in(world);
  for (const auto& client : world.clients) client->endpoint.update(world.now, client->port);
  world.now += 10 * millisecond;
  return order;
}

TEST(ServerEndpoint, FlushOrderRotatesEvenly) {
  constexpr std::size_t count = 7;
  EndpointWorld world;
  for (std::size_t i = 0; i < count; ++i) world.add_client();
  world.run(200 * millisecond);
  ASSERT_EQ(world.server.sessions().size(), count);
  std::map<std::string, std::array<int, count>> times;  // by position
  for (std::size_t tick = 0; tick < 20 * count; ++tick) {
    const std::vector<Address> order = busy_tick(world);
    ASSERT_EQ(order.size(), count);
    for (std::size_t place = 0; place < count; ++place) ++times[to_string(order[place])][place];
  }
  ASSERT_EQ(times.size(), count);
  for (const auto& [address, of] : times) EXPECT_THAT(of, testing::Each(20)) << address;
}

TEST(ServerEndpoint, FlushesEachSessionOnceWhileOthersEnd) {
  constexpr std::uint32_t count = 40;  // every second one becomes silent
  core::Random random(5);
  EndpointWorld world(server_config(count));
  for (std::uint32_t i = 0; i < count; ++i) {
    TokenRequest request = token_request(i + 1);
    request.timeout_seconds = i % 2 == 0 ? 1 : 10;
    world.add_client(client_address(i), make_token(request));
  }
  world.run(200 * millisecond);
  ASSERT_EQ(world.server.sessions().size(), count);
  std::array<bool, count> silent{};
  world.filter = [&](const Address& from, const Address&, core::ByteView) {
    return from == server_address || !silent[from.ip[15]];
  };
  for (int tick = 0; world.server.sessions().size() > count / 2; ++tick) {
    ASSERT_LT(tick, 10'000);
    if (tick % 20 == 0) {
      for (std::uint32_t some = random.below(5); some > 0; --some) silent[random.below(count / 2) * 2] = true;
    }
    const std::vector<Address> order = busy_tick(world);
    world.server.check();
    for (const SessionId id : world.server.sessions()) {
      ASSERT_EQ(std::count(order.begin(), order.end(), world.server.address(id)), 1);
    }
  }
}

}  // namespace
}  // namespace mobula::transport
