#include <cmath>
#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/zones/zone_pass.hpp>

#include "zones/zone_bench.hpp"
#include "zones/zone_server.hpp"

namespace mobula::bench {
namespace {

using transport::Address;

constexpr float sight = 40;  // metres
constexpr core::Nanoseconds tick_length = core::second / 20;
const server::ServerConfig verifying{.verify_one_in = 1};

// Entities on circles within sight of the border and of the player.
class StripGame final : public server::Game {
 public:
  explicit StripGame(std::uint32_t entities) : entities_(entities) {}

  [[nodiscard]] core::ByteView schema() const override { return test::game_schema()->bytes(); }
  [[nodiscard]] std::vector<server::Layer> layers() const override { return {{"near", sight}}; }
  core::Status start(server::World& world) override {
    for (std::uint32_t i = 0; i < entities_; ++i) {
      const core::Result<ecs::Entity> made = world.create(engine::Transform{}, demo::Health{});
      if (!made) return made.error();
      all_.push_back(*made);
    }
    move(world);
    return core::Done{};
  }
  core::Result<ecs::Entity> join(server::World& world, const server::Player&) override {
    return world.create(engine::Transform{.position = {.x = -sight / 2, .y = 0, .z = 0}});
  }
  void leave(server::World&, const server::Player&) override {}
  void tick(server::World& world) override { move(world); }

 private:
  void move(server::World& world) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const float radius = sight / 3 * std::sqrt(static_cast<float>(i + 1) / static_cast<float>(all_.size()));
      const float angle = static_cast<float>(i) + 0.05F * static_cast<float>(world.tick());
      engine::Vec3& at = world.registry().get<engine::Transform>(all_[i]).position;
      at = {.x = -sight / 2 + radius * std::cos(angle), .y = 0, .z = radius * std::sin(angle)};
    }
  }

  std::uint32_t entities_;
  std::vector<ecs::Entity> all_;
};

// Datagrams of one direction, delivered in the same tick.
struct Wire final : transport::Output {
  void send(const Address& to, core::ByteView datagram) override {
    waiting.emplace_back(to, core::Bytes(datagram.begin(), datagram.end()));
  }
  std::vector<std::pair<Address, core::Bytes>> waiting;
};

struct Client {
  Client(const Address& own, client::ConnectionConfig config)
      : address(own), connection(std::make_unique<client::Connection>(std::move(config), 0)) {}
  Address address;
  std::unique_ptr<client::Connection> connection;
  Wire wire;
  std::uint64_t bytes = 0;  // received
};

client::ConnectionConfig config_of(std::uint64_t client_id, const transport::UserData& user_data, bool spectates) {
  client::ConnectionConfig config;
  config.transport.token = test::test_token(client_id, user_data);
  config.schema = test::game_schema();
  config.spectate = spectates;
  return config;
}

struct Times {
  core::Nanoseconds send = 0;
  core::Nanoseconds mirror = 0;
  core::Nanoseconds copy = 0;
  core::Nanoseconds publish = 0;
};

class Border {
 public:
  // Without a link the east has no ghosts.
  Border(std::uint32_t entities, bool is_linked)
      : is_linked_(is_linked),
        west_game_(entities),
        west_(start_zone(west_game_, 0, verifying)),
        east_(start_zone(east_game_, 1, verifying)),
        ghosts_(east_->world().registry(), 0),
        link_(Address::v4(10, 2, 0, 1, 5000),
              config_of(1, server::zone_pass(1, 1, test::test_transport().private_key), true)),
        player_(Address::v4(10, 2, 0, 2, 5000), config_of(2, {}, false)) {}

  Times tick() {
    now_ += tick_length;
    Times times;
    for (Client* client : {&link_, &player_}) deliver_to_west(*client);
    times.send = cpu_time([&] { west_->tick(now_, west_out_); });
    for (const auto& [to, datagram] : west_out_.waiting) receive(to, datagram, times);
    west_out_.waiting.clear();
    if (is_linked_) times.mirror += cpu_time([&] { link_.connection->update(now_, link_.wire); });
    player_.connection->update(now_, player_.wire);
    if (is_linked_) times.copy = cpu_time([&] { ghosts_.update(*link_.connection, now_); });
    times.publish = cpu_time([&] { east_->tick(now_, east_out_); });
    return times;
  }
  [[nodiscard]] std::uint32_t ghosts() { return east_->world().registry().pool<server::Ghost>().size(); }
  [[nodiscard]] const client::ConnectionStats& mirror() const { return link_.connection->stats(); }
  [[nodiscard]] const server::Neighbour& neighbour() const { return ghosts_; }
  void reset_bytes() { link_.bytes = player_.bytes = 0; }
  [[nodiscard]] std::uint64_t link_bytes() const { return link_.bytes; }
  [[nodiscard]] std::uint64_t player_bytes() const { return player_.bytes; }

 private:
  void deliver_to_west(Client& client) {
    for (const auto& [to, datagram] : client.wire.waiting) west_->receive(client.address, datagram, now_, west_out_);
    client.wire.waiting.clear();
  }
  void receive(const Address& to, core::ByteView datagram, Times& times) {
    Client& client = to == link_.address ? link_ : player_;
    client.bytes += datagram.size();
    const core::Nanoseconds spent =
        cpu_time([&] { client.connection->receive(test::village_address, datagram, now_); });
    if (&client == &link_) times.mirror += spent;
  }

  bool is_linked_;
  StripGame west_game_;
  StripGame east_game_{0};
  std::unique_ptr<server::Server> west_;
  std::unique_ptr<server::Server> east_;
  server::Neighbour ghosts_;
  Client link_;
  Client player_;
  Wire west_out_;
  Wire east_out_;
  core::Nanoseconds now_ = core::second;
};

}  // namespace

BorderCost measure_border(std::uint32_t entities, std::uint32_t ticks) {
  constexpr std::uint32_t warm_up = 100;
  Border border(entities, true);
  for (std::uint32_t i = 0; i < warm_up; ++i) static_cast<void>(border.tick());
  Border alone(entities, false);
  for (std::uint32_t i = 0; i < warm_up; ++i) static_cast<void>(alone.tick());
  border.reset_bytes();
  Times sum;
  for (std::uint32_t i = 0; i < ticks; ++i) {
    const Times with = border.tick();
    const Times without = alone.tick();
    sum.send += with.send - without.send;
    sum.mirror += with.mirror - without.mirror;
    sum.copy += with.copy - without.copy;
    sum.publish += with.publish - without.publish;
  }
  const auto per_tick = [&](std::uint64_t bytes) { return static_cast<double>(bytes) / ticks; };
  const auto per_ghost = [&](core::Nanoseconds time) { return static_cast<double>(time) / ticks / entities; };
  const server::Ghosts::Stats& ghosts = border.neighbour().stats();
  return {.ghosts = border.ghosts(),
          .link_bytes = per_tick(border.link_bytes()),
          .client_bytes = per_tick(border.player_bytes()),
          .mirror_ns = per_ghost(sum.mirror),
          .copy_ns = per_ghost(sum.copy),
          .publish_ns = per_ghost(sum.publish),
          .send_ns = per_ghost(sum.send),
          .checks = ghosts.checked + border.mirror().verified_ticks,
          .mismatches = ghosts.corrected + border.mirror().mismatched_ticks};
}

}  // namespace mobula::bench
