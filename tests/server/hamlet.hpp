// A small level with the demo's prefabs, and a server with clients around it on a simulated network.
#pragma once

#include <demo/demo_commands.hpp>
#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <string>
#include <vector>

namespace mobula::test {

// Returns tests/server/levels/hamlet.json, compiled once.
std::shared_ptr<const resource::Resource> hamlet();
// Returns another version of the hamlet: some entities are removed, some moved, some added.
std::shared_ptr<const resource::Resource> rebuilt_hamlet();
// Returns the demo's own level of ten thousand entities.
std::shared_ptr<const resource::Resource> village();
const std::shared_ptr<const reflect::Schema>& game_schema();

// Commands of bots.
using client::move_command;
using client::walk_to_command;

// The time of all test tokens, in seconds since 1970.
inline constexpr std::uint64_t test_unix_time = 1'700'000'000;
// Returns a transport configuration with the key of the test tokens.
transport::ServerEndpointConfig test_transport();
// Returns the configuration of a server that is reached at village_address with test tokens.
server::ServerConfig at_village(server::ServerConfig config);
// Returns a token for village_address. The same client id always gets the same token.
transport::ConnectToken test_token(std::uint64_t client_id, const transport::UserData& user_data = {});
// Returns a token for any request. Its secrets follow from its client id.
transport::ConnectToken test_token(const transport::TokenRequest& request, const core::SecretKey& key,
                                   std::uint64_t unix_time);

// A server and its clients in one process with one clock. Their datagrams pass through `network`.
class Village {
 public:
  static constexpr core::Nanoseconds tick_length = 50 * core::millisecond;

  struct Port : transport::Output {
    Port(Village& owner, const transport::Address& address) : village(owner), from(address) {}
    void send(const transport::Address& to, core::ByteView datagram) override {
      village.network.send(from, to, datagram, village.now);
    }
    [[nodiscard]] bool ready(const transport::Address& to) const override { return to != village.full; }
    Village& village;
    transport::Address from;
  };
  struct Client {
    Client(Village& village, const transport::Address& address, const client::ConnectionConfig& config)
        : port(village, address), connection(config, village.now) {}
    Port port;
    client::Connection connection;
    client::ConnectionInput* input = &connection;  // may be a decorator of the connection
    bool mute = false;                             // receives datagrams, but sends none
  };

  explicit Village(server::Game& game, server::ServerConfig config = {},
                   const transport::NetworkConditions& conditions = {}, std::uint64_t seed = 1);

  Client& join(const std::string& name = "somebody", std::shared_ptr<const reflect::Schema> schema = nullptr);
  Client& join(client::ConnectionConfig config);
  void remove(const Client& client);
  // Delivers datagrams, updates every client and ticks the server.
  void tick();
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  // Ticks until the condition holds. Returns false if it does not within `limit` ticks.
  template <class Condition>
  bool tick_until(Condition&& condition, int limit = 400) {
    for (int i = 0; i < limit; ++i) {
      if (condition()) return true;
      tick();
    }
    return condition();
  }
  [[nodiscard]] std::uint64_t published_hash() const { return server->published().hash(); }
  // Returns whether the client's mirror equals the published entities that its player may see. In a world with layers
  // this holds only without a copy of the level, which has distant entities too.
  [[nodiscard]] bool mirrors(const Client& client);

  core::Nanoseconds now = 0;
  transport::Address full{};  // address of a client whose pipe is full
  transport::SimulatedNetwork network;
  Port server_port;
  std::unique_ptr<server::Server> server;
  std::vector<std::unique_ptr<Client>> clients;

 private:
  // Returns the viewer of the player with an entity; null if there is none.
  [[nodiscard]] const server::Viewer* viewer_of(ecs::Entity entity);

  server::Game& game_;
  std::uint32_t joined_ = 0;
};

inline const transport::Address village_address = transport::Address::v4(10, 0, 0, 1, 7777);

}  // namespace mobula::test
