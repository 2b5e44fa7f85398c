// Rules: the part of a game that clients predict. A team writes one step function in a library that its server and its
// client link. The server runs the step in each tick before Game::tick, the client runs it ahead of the server.
//
// Both sides get the same words if the step depends on its arguments alone. It has no static variables and no clock.
// Its random numbers are those of the PredictedWorld. mobula_rules() compiles it without fused multiply-add, whose
// results differ between processors.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/ecs/registry.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::prediction {

class PredictedWorld;

/// A player's command in the tick in which it runs.
struct Command {
  static constexpr std::size_t alignment = 16;  // `bytes` begin at a multiple of it

  std::uint32_t player = 0;  // number of the player, the same on both sides
  ecs::Entity entity{};      // the player's entity, alive when the step began
  std::uint32_t number = 0;  // 1, 2, … within the client's connection
  core::ByteView bytes{};    // verified by the server, written by this client
};

/// Rules that server and clients run.
struct Rules {
  /// Advances the predicted components by one tick. `commands` ascend by player and number.
  void (*step)(PredictedWorld& world, ecs::Tick tick, std::span<const Command> commands) = nullptr;
  /// Names of the component types without predicted fields that the step reads. Clients predict with the values that
  /// their mirrors have.
  std::vector<std::string_view> reads{};
  /// Names of the effects of the step, for clients that name them by text: those of a module in a browser.
  std::vector<std::string_view> effects{};
};

}  // namespace mobula::prediction
