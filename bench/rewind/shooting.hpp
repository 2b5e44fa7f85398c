// A game whose targets run in circles and kick, and whose players shoot; and its world with one client.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <mobula/server/rewind/rewind.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <optional>
#include <vector>

namespace mobula::bench {

class Shooting final : public server::Game {
 public:
  using Judge = std::function<core::Status(server::World&, const server::Player&, const server::CommandContext&)>;

  Shooting(std::uint32_t targets, Judge judge) : count_(targets), judge_(std::move(judge)) {}
  void set_rewind(const server::RewindConfig& config) { rewind_ = config; }

  [[nodiscard]] core::ByteView schema() const override { return engine::schema_bytes(); }
  [[nodiscard]] std::optional<server::RewindConfig> rewind() const override;
  server::CommandTable commands() override;
  core::Status start(server::World& world) override;
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override { world.destroy(player.entity); }
  void tick(server::World& world) override;

  [[nodiscard]] const std::vector<ecs::Entity>& targets() const { return targets_; }

 private:
  std::uint32_t count_;
  Judge judge_;
  server::RewindConfig rewind_;
  std::vector<ecs::Entity> targets_;
};

// Pace of a world, and the network between server and client.
struct ShootingPace {
  std::uint32_t ticks_per_second = 30;
  std::uint32_t frames_per_tick = 1;  // frames of the client
  transport::NetworkConditions conditions{
      .latency = 30 * core::millisecond, .jitter = 10 * core::millisecond, .loss_ppm = 50'000};
};

// A server, a client and the network between them.
class ShootingWorld {
 public:
  static core::Result<std::unique_ptr<ShootingWorld>> make(Shooting& game, const ShootingPace& pace,
                                                           std::uint64_t seed);

  // Runs a tick in which the client gives a command in each frame, unless it does not `shoot`.
  void tick(bool shoot);
  // Ticks until the client has all that it sees. Returns false if that takes too long.
  bool join();
  [[nodiscard]] client::Connection& client() { return *connection_; }
  [[nodiscard]] server::Server& server() { return *server_; }

 private:
  struct Port final : transport::Output {
    Port(ShootingWorld& owner, const transport::Address& address) : world(owner), from(address) {}
    void send(const transport::Address& to, core::ByteView datagram) override {
      world.network_.send(from, to, datagram, world.now_);
    }
    ShootingWorld& world;
    transport::Address from;
  };

  ShootingWorld(const ShootingPace& pace, std::uint64_t seed);

  // Delivers what has arrived and updates the client.
  void run_frame(bool shoot);

  core::Nanoseconds now_ = core::second;
  std::uint32_t frames_per_tick_;
  core::Nanoseconds frame_length_;
  transport::SimulatedNetwork network_;
  Port server_port_;
  Port client_port_;
  std::unique_ptr<server::Server> server_;
  std::optional<client::Connection> connection_;
};

}  // namespace mobula::bench
