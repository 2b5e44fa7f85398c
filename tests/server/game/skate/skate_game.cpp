#include <mobula/schema/skate_commands_generated.h>

#include <mobula/server.hpp>
#include <server/game/skate/skate_game.hpp>
#include <server/game/skate/skate_rules.hpp>
#include <skate/components.hpp>

namespace skate {
namespace {

using namespace mobula;

class SkateGame : public Game {
 public:
  [[nodiscard]] ByteView schema() const override { return schema_bytes(); }
  CommandTable commands() override {
    Commands<commands::Command, commands::BodyTraits> all;
    all.add_predicted<commands::Push>();
    return all.table();
  }
  [[nodiscard]] const prediction::Rules* rules() const override { return &skate::rules; }
  Result<Entity> join(World& world, const Player& player) override {
    return world.create(Skater{}, Relevance{.owner = player.id});
  }
  void leave(World& world, const Player& player) override { world.destroy(player.entity); }
};

}  // namespace

std::unique_ptr<mobula::server::Game> make_skate_game() { return std::make_unique<SkateGame>(); }

}  // namespace skate
