#include <mobula/schema/lobby_commands_generated.h>

#include <examples/lobby/messages.hpp>
#include <examples/lobby/room_game.hpp>
#include <mobula/core/format.hpp>
#include <mobula/schema/lobby_room.hpp>
#include <mobula/server/game/commands.hpp>

namespace lobby {
namespace {

using mobula::core::Done;
using mobula::core::Error;
using mobula::core::Status;
using mobula::ecs::Entity;
using mobula::server::CommandContext;
using mobula::server::Player;
using mobula::server::World;
using room::Gem;
using room::Piece;
using room::Square;

constexpr int side = 8;

bool is_taken(World& world, const Square& square) {
  bool taken = false;
  world.registry().view<const Square>().each(
      [&](Entity, const Square& other) { taken = taken || (other.x == square.x && other.y == square.y); });
  return taken;
}

// Terminates because there are more squares than pieces and gems.
Square free_square(World& world) {
  Square square;
  do {
    square.x = static_cast<std::uint8_t>(world.random().below(side));
    square.y = static_cast<std::uint8_t>(world.random().below(side));
  } while (is_taken(world, square));
  return square;
}

}  // namespace

mobula::core::ByteView RoomGame::schema() const { return room::schema_bytes(); }

mobula::server::CommandTable RoomGame::commands() {
  mobula::server::Commands<commands::Command, commands::BodyTraits> all;
  all.add<commands::Say>([](World& world, const Player& player, const commands::Say& line,
                            const CommandContext&) { return send_chat(world, player, line.text()->string_view()); },
                         {{.per_second = 2, .burst = 5}});
  all.add<commands::Step>([this](World& world, const Player& player, const commands::Step& wanted,
                                 const CommandContext&) { return step(world, player, wanted); },
                          {{.per_second = 8, .burst = 8}});
  return all.table();
}

Status RoomGame::start(World& world) {
  gem_ = world.registry().create(free_square(world), Gem{});
  return Done{};
}

mobula::core::Result<Entity> RoomGame::join(World& world, const Player& player) {
  if (players_ == capacity_) return Error{"room full", mobula::core::format("the room is for {} players", capacity_)};
  const mobula::core::Result<Entity> piece =
      world.create(free_square(world), Piece{.name = fixed_text<sizeof(Piece::name)>(name_of(player)), .points = 0});
  if (piece) ++players_;
  return piece;
}

void RoomGame::leave(World& world, const Player& player) {
  world.destroy(player.entity);
  --players_;
}

Status RoomGame::step(World& world, const Player& player, const commands::Step& step) {
  if (std::abs(step.x()) > 1 || std::abs(step.y()) > 1) return Error{"bad step", "a step is one square at most"};
  mobula::ecs::Registry& registry = world.registry();
  const Square here = registry.get<const Square>(player.entity);
  const int x = here.x + step.x();
  const int y = here.y + step.y();
  if (x < 0 || y < 0 || x >= side || y >= side) return Error{"off the board", "there is no square in that direction"};
  const Square there{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)};
  const Square gem = registry.get<const Square>(gem_);
  const bool scores = gem.x == there.x && gem.y == there.y;
  if (!scores && is_taken(world, there)) return Error{"square taken", "another player's piece is there"};
  registry.get<Square>(player.entity) = there;
  if (!scores) return Done{};
  registry.get<Piece>(player.entity).points += registry.get<const Gem>(gem_).worth;
  registry.get<Square>(gem_) = free_square(world);
  return Done{};
}

}  // namespace lobby
