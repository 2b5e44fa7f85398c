// Rules of the court, and its game: what a team writes to have avatars, crates and stones predicted.
#pragma once

#include <court/components.hpp>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/server/game/game.hpp>

namespace mobula::test {

inline constexpr core::StringId32 throw_effect("throw");
inline constexpr core::StringId32 bump_effect("bump");

const prediction::Rules& court_rules();
const std::shared_ptr<const reflect::Schema>& court_schema();
core::Bytes court_walk(float x, float z);
core::Bytes court_throw(float x, float z);

class CourtGame : public server::Game {
 public:
  explicit CourtGame(std::size_t count) : crates(count) {}

  [[nodiscard]] core::ByteView schema() const override;
  core::Status start(server::World& world) override;
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override;
  server::CommandTable commands() override;
  [[nodiscard]] const prediction::Rules* rules() const override { return &court_rules(); }
  void effect(server::World& world, const prediction::Effect& effect) override;
  void tick(server::World& world) override {
    if (disturb) disturb(world);
  }

  std::vector<ecs::Entity> crates;
  std::function<void(server::World&)> disturb;  // changes that no client predicts; null for none
  std::vector<std::pair<core::StringId32, std::uint64_t>> effects;
};

}  // namespace mobula::test
