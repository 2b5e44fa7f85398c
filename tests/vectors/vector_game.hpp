// Game of the session vectors. Its entities move, turn, change and disappear so that every part of a delta occurs.
#pragma once

#include <mobula/server/game/game.hpp>
#include <session_vectors/components.hpp>
#include <vector>
#include <vectors/squadron.hpp>

namespace mobula::test {

class VectorGame final : public server::Game {
 public:
  struct Options {
    bool regains = false;  // components, owners and visibility of some entities change: their ids are gained again
    bool hoards = false;   // an entity has more than fits a datagram
    bool flies = false;    // ships follow courses, and there is nothing else
    bool obeys = false;    // has the command Move of the demo
  };
  static constexpr float refused_from = 1000;  // a Move to this x or a greater one is refused

  explicit VectorGame(const Options& options) : options_(options) {}

  [[nodiscard]] core::ByteView schema() const override { return vectors::schema_bytes(); }
  [[nodiscard]] std::vector<server::Layer> layers() const override;
  server::CommandTable commands() override;
  core::Status start(server::World& world) override;
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override;
  void tick(server::World& world) override;

  bool at_rest = false;  // nothing changes any more, but ships fly on

 private:
  struct Tumbler {
    ecs::Entity entity;
    engine::Vec3 velocity;  // metres per tick
    engine::Vec3 axis;
    float angle = 0;  // degrees
    float rate = 0;   // degrees per tick
  };

  void move(server::World& world, Tumbler& tumbler);
  void fill_bag(server::World& world, vectors::Bag& bag);
  void hoard(server::World& world);
  void change_level(server::World& world);
  void replace_short_lived(server::World& world);
  void regain(server::World& world);

  Options options_;
  Squadron squadron_;
  ecs::Entity hoard_;
  std::vector<Tumbler> tumblers_;
  ecs::Entity short_lived_;
  ecs::Entity player_;
  std::uint32_t ticks_ = 0;
};

}  // namespace mobula::test
