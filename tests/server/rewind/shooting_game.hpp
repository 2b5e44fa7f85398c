// A game that judges each command by what its client drew, and a client that notes what it drew.
#pragma once

#include <mobula/schema/demo_commands_generated.h>

#include <cmath>
#include <map>
#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/server/game/commands.hpp>
#include <mobula/server/rewind/rewind.hpp>
#include <server/tiny_game.hpp>
#include <set>
#include <utility>

namespace mobula::test {

// Targets run in circles, jump, die and ride on each other. A command Move shoots: all poses of its view are noted.
class ShootingGame : public TinyGame {
 public:
  struct Judged {
    double view = 0;
    const char* refused = nullptr;  // the reason; null if it was not
    std::map<ecs::Entity, hierarchy::WorldTransform> shown;
    std::set<ecs::Entity> unknown;
  };

  [[nodiscard]] std::optional<server::RewindConfig> rewind() const override { return config; }
  server::CommandTable commands() override {
    using demo::commands::Move;
    server::Commands<demo::commands::Command, demo::commands::BodyTraits> all;
    all.add<Move>(
        [this](server::World& world, const server::Player& player, const Move& /*move*/,
               const server::CommandContext& context) -> core::Status { return shoot(world, player, context); },
        server::RateLimit{.per_second = 1000, .burst = 1000});
    return all.table();
  }
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override {
    const core::Result<ecs::Entity> entity = TinyGame::join(world, player);
    if (entity) world.registry().add<engine::Transform>(*entity);
    return entity;
  }
  void tick(server::World& world) override {
    while (targets.size() < targets_max) spawn(world);
    for (ecs::Entity& target : targets) {
      if (changes && world.random().chance(1, 200)) {
        world.destroy(std::exchange(target, {}));
        continue;
      }
      run(world, target);
    }
    std::erase(targets, ecs::Entity{});
  }
  core::Status shoot(server::World& world, const server::Player& player, const server::CommandContext& context) {
    server::CommandContext claimed = context;
    if (claim) claim(claimed);
    Judged& made = judged[{player.id, context.number}];
    made.view = server::view_of(claimed);
    core::Result<server::Rewound> past = world.rewind().view(player.id, claimed);
    if (!past) {
      made.refused = past.error().reason;
      return past.error();
    }
    for (const ecs::Entity target : ever) {
      const server::Seen seen = past->seen(target);
      const std::optional<hierarchy::WorldTransform> pose = past->world(target);
      if (seen == server::Seen::alive && pose) made.shown.emplace(target, *pose);
      if (seen == server::Seen::out_of_view || seen == server::Seen::unknown || (seen == server::Seen::alive && !pose))
        made.unknown.insert(target);
    }
    return core::Done{};
  }

  // Ticks of 50 ms: on a bad path an honest view is several ticks behind its command.
  server::RewindConfig config{.components = {"Transform", "Parent", "Cuts"},
                              .window = 600 * core::millisecond,
                              .view_age_max = 500 * core::millisecond};
  std::function<void(server::CommandContext&)> claim;                // replaces what a client claims
  std::map<std::pair<std::uint32_t, std::uint32_t>, Judged> judged;  // by player and number of the command
  std::vector<ecs::Entity> targets;
  std::set<ecs::Entity> ever;
  std::size_t targets_max = 24;
  bool changes = true;  // targets die, jump and get parents

 private:
  void spawn(server::World& world) {
    const ecs::Entity entity = *world.create(engine::Transform{
        .position = {.x = world.random(-40, 40), .y = 0, .z = world.random(-40, 40)}, .rotation = {.w = 1}});
    targets.push_back(entity);
    ever.insert(entity);
  }
  void run(server::World& world, ecs::Entity target) {
    auto& transform = world.registry().get<engine::Transform>(target);
    const float angle = 0.05f * static_cast<float>(world.tick() + 7 * target.index);
    transform.position.x += 0.3f * std::cos(angle);
    transform.position.z += 0.3f * std::sin(angle);
    if (world.random().chance(1, 15)) transform.position.y = world.random(-1, 1);
    transform.rotation = {.x = 0, .y = std::sin(angle / 2), .z = 0, .w = std::cos(angle / 2)};
    if (!changes) return;
    if (world.random().chance(1, 150)) {
      world.registry().get<engine::Transform>(target).position.x = world.random(-40, 40);
      world.cut(target);
    }
    if (world.random().chance(1, 100)) ride(world, target);
  }
  void ride(server::World& world, ecs::Entity target) {
    if (world.registry().has<engine::Parent>(target)) return world.registry().remove<engine::Parent>(target);
    const ecs::Entity other = targets[world.random().below(static_cast<std::uint32_t>(targets.size()))];
    if (!other || other == target) return;
    world.registry().add<engine::Parent>(target).entity = {other.index, other.generation};
  }
};

// A client that shoots, and what it drew then.
class Shooter {
 public:
  explicit Shooter(Village::Client& client) : client_(client) {}

  void shoot() { client_.input->set_command(move_command(1, 1)); }
  // After each tick of the village: notes the pictures of the commands that were given in it.
  void note_given(const ShootingGame& game) {
    client::Mirror* const mirror = client_.connection.mirror();
    if (mirror == nullptr) return;
    if (newest_ == 0) mirror->set_view_tick(0);  // as with a picture before the first command
    const client::CommandLog& log = client_.connection.commands();
    if (log.size() == 0 || log.at(log.size() - 1).number <= newest_) return;
    const client::CommandLog::Entry& given = log.at(log.size() - 1);
    newest_ = given.number;
    const double view = given.view_tick + given.view_fraction / 256.0;
    mirror->set_view_tick(view);
    auto& poses = drawn[given.number];
    const client::Interpolation pictures(*mirror);
    for (const ecs::Entity target : game.ever) {
      if (!pictures.is_there(target, view) || mirror->is_stale(target)) continue;
      if (const auto pose = client::sample_world(*mirror, target, view)) poses.emplace(target, *pose);
    }
  }

  std::map<std::uint32_t, std::map<ecs::Entity, hierarchy::WorldTransform>> drawn;  // by number of the command

 private:
  Village::Client& client_;
  std::uint32_t newest_ = 0;
};

}  // namespace mobula::test
