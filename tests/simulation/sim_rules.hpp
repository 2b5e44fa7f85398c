// Rules of the plans whose clients predict rightly. Players kick and shove pucks, and throw darts. That takes predicted
// spawns and destructions, effects, random numbers, a component that is only read, entities that several move, and a
// static of the level.
#pragma once

#include <mobula/prediction/predicted_world.hpp>
#include <mobula/reflect/schema.hpp>
#include <optional>

namespace mobula::sim {

struct Puck {
  static constexpr std::string_view component_name = "Puck";
  static constexpr bool has_predicted_fields = true;

  engine::Vec3 position{};
  engine::Vec3 velocity{};
  std::uint16_t pushes = 0;
  std::uint16_t cooldown = 0;
};

// On a puck that was thrown. It ends after some ticks.
struct Dart {
  static constexpr std::string_view component_name = "Dart";
  static constexpr bool has_predicted_fields = true;

  std::uint8_t left = 0;
};

// How strongly a player kicks its puck. The rules only read it.
struct Grip {
  static constexpr std::string_view component_name = "Grip";

  std::uint8_t strength = 1;
};

// Deed of a player with its own puck.
enum class PlayKind : std::uint32_t { kick, throw_darts, shove };

struct Play {
  PlayKind kind = PlayKind::kick;
  std::uint32_t direction = 0;  // one of `directions`
  std::uint32_t serial = 0;     // no other command of the simulation has it
};
inline constexpr std::uint32_t directions = 64;
inline constexpr std::uint32_t serial_end = 1u << 24;  // floats are exact up to it

// Payload of `ran_effect`, which the step emits for each play with its serial as key.
struct RanPlay {
  std::uint32_t player = 0;  // the server's
  ecs::Entity entity{};
  std::uint32_t number = 0;
  Play play{};
};
inline constexpr core::StringId32 ran_effect("ran");
inline constexpr core::StringId32 throw_effect("throw");    // key: the serial
inline constexpr core::StringId32 bounce_effect("bounce");  // key: index, tick

const prediction::Rules& sim_rules();
// Returns the demo's schema with pucks and darts.
const std::shared_ptr<const reflect::Schema>& rules_schema();
core::Bytes play_command(const Play& play);
// Returns nothing for a command of another kind, and for anything malformed.
std::optional<Play> read_play(core::ByteView command);

}  // namespace mobula::sim
