// Entities that move near a border, and clients that see them, without sockets.
#pragma once

#include <cmath>
#include <memory>
#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>
#include <server/hamlet.hpp>
#include <vector>

namespace mobula::bench {

constexpr float sight = 40;  // metres
constexpr core::Nanoseconds tick_length = core::second / 20;

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
  void send(const transport::Address& to, core::ByteView datagram) override {
    waiting.emplace_back(to, core::Bytes(datagram.begin(), datagram.end()));
  }
  std::vector<std::pair<transport::Address, core::Bytes>> waiting;
};

struct Client {
  Client(const transport::Address& own, client::ConnectionConfig config)
      : address(own), connection(std::make_unique<client::Connection>(std::move(config), 0)) {}
  transport::Address address;
  std::unique_ptr<client::Connection> connection;
  Wire wire;
  std::uint64_t bytes = 0;  // received
};

inline client::ConnectionConfig client_config(std::uint64_t client_id, const transport::UserData& user_data,
                                              bool spectates) {
  client::ConnectionConfig config;
  config.transport.token = test::test_token(client_id, user_data);
  config.schema = test::game_schema();
  config.spectate = spectates;
  return config;
}

}  // namespace mobula::bench
