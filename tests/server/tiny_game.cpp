#include <mobula/schema/demo_commands_generated.h>

#include <mobula/server/game/commands.hpp>
#include <server/tiny_game.hpp>

namespace mobula::test {

server::CommandTable TinyGame::commands() {
  using demo::commands::Move;
  server::Commands<demo::commands::Command, demo::commands::BodyTraits> all;
  all.add<Move>(
      [this](server::World& world, const server::Player& player, const Move& move,
             const server::CommandContext& context) -> core::Status {
        if (refuse_commands || !(move.x() >= 0 && move.x() <= 100)) return core::Error{"out of range", "0 to 100"};
        world.registry().get<demo::Health>(player.entity).current = static_cast<std::uint16_t>(move.x());
        ran.push_back({context, world.tick()});
        return core::Done{};
      },
      server::RateLimit{.per_second = 1000, .burst = 1000});
  return all.table();
}

}  // namespace mobula::test
