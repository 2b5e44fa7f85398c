// A small level with the demo's prefabs, and a server with clients around it on a simulated network.
#pragma once

#include <bots/demo_commands.hpp>
#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <string>
#include <vector>

namespace mobula::test {

// tests/server/levels/hamlet.json, compiled once.
std::shared_ptr<const resource::Resource> hamlet();
// Another version of it: some things are gone, some are elsewhere, some are new.
std::shared_ptr<const resource::Resource> rebuilt_hamlet();
// The demo's own level of ten thousand entities.
std::shared_ptr<const resource::Resource> village();
const std::shared_ptr<const reflect::Schema>& game_schema();

// What bots say.
using client::move_command;
using client::walk_to_command;

// What a server in tests lets clients in with, and when that was.
inline constexpr std::uint64_t test_unix_time = 1'700'000'000;
transport::ServerEndpointConfig test_transport();
// The same server, reached at village_address with such tokens.
server::ServerConfig at_village(server::ServerConfig config);
// A token for village_address. Another for each client id, the same for the same.
transport::ConnectToken test_token(std::uint64_t client_id, const transport::UserData& user_data = {});
// Any token; its secrets follow from its client id.
transport::ConnectToken test_token(const transport::TokenRequest& request, const core::SecretKey& key,
                                   std::uint64_t unix_time);

// One process, one clock: what client and server send each other goes through `network`.
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
    client::ConnectionInput* input = &connection;  // a decorator, where a test has put one
    bool mute = false;                             // receives, and never says anything
  };

  explicit Village(server::Game& game, server::ServerConfig config = {},
                   const transport::NetworkConditions& conditions = {}, std::uint64_t seed = 1);

  Client& join(const std::string& name = "somebody", std::shared_ptr<const reflect::Schema> schema = nullptr);
  Client& join(client::ConnectionConfig config);
  void remove(const Client& client);
  // Deliveries, every client's update, the server's tick.
  void tick();
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  // Ticks until the condition holds; false if it does not within `limit` ticks.
  template <class Condition>
  bool tick_until(Condition&& condition, int limit = 400) {
    for (int i = 0; i < limit; ++i) {
      if (condition()) return true;
      tick();
    }
    return condition();
  }
  [[nodiscard]] std::uint64_t published_hash() const { return server->published().hash(); }
  // Whether the client's mirror is what its player may see of what is published. (In a world of layers: of a client
  // that was told all, as a level's copy has what is far away too.)
  [[nodiscard]] bool mirrors(const Client& client);

  core::Nanoseconds now = 0;
  transport::Address full{};  // the peer whose pipe can take no more
  transport::SimulatedNetwork network;
  Port server_port;
  std::unique_ptr<server::Server> server;
  std::vector<std::unique_ptr<Client>> clients;

 private:
  // Of the player whose entity it is; null: there is none.
  [[nodiscard]] const server::Viewer* viewer_of(ecs::Entity entity);

  server::Game& game_;
  std::uint32_t joined_ = 0;
};

inline const transport::Address village_address = transport::Address::v4(10, 0, 0, 1, 7777);

}  // namespace mobula::test
