// The benchmark's game: entities that wander at random. Each moving entity has a speed of its own on each of three
// axes, 1 to 10 m/s, which changes about once per second.
#pragma once

#include <mobula/core/random.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/game/game.hpp>
#include <vector>

namespace mobula::bench {

struct WalkersConfig {
  std::uint32_t entities = 1000;
  std::uint32_t moving = 1000;  // the first of them
  std::uint32_t view =
      100;  // average number of entities visible to a client; `entities` makes all visible at any distance
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
  // Has a Transform of the layout of engine.fbs.
  core::ByteView schema = engine::schema_bytes();

  [[nodiscard]] double moving_share() const { return static_cast<double>(moving) / static_cast<double>(entities); }
};

class Walkers final : public server::Game {
 public:
  explicit Walkers(const WalkersConfig& config);

  [[nodiscard]] core::ByteView schema() const override { return config_.schema; }
  [[nodiscard]] std::vector<server::Layer> layers() const override;
  core::Status start(server::World& world) override;
  // Players share the entities if there are more players.
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override;
  void tick(server::World& world) override;

  [[nodiscard]] const WalkersConfig& config() const { return config_; }
  [[nodiscard]] std::span<const ecs::Entity> entities() const { return entities_; }
  // Radius of the layer. 0 means that it has none.
  [[nodiscard]] float radius() const { return radius_; }

 private:
  [[nodiscard]] float fitting_radius() const;
  [[nodiscard]] double seen_within(float radius) const;
  float speed();

  WalkersConfig config_;
  core::Random random_;
  std::vector<engine::Vec3> positions_;
  std::vector<engine::Vec3> steps_;  // per tick
  std::vector<ecs::Entity> entities_;
  float radius_;
  std::uint32_t joined_ = 0;
};

}  // namespace mobula::bench
