// What a game says about who sees what: layers, declared once for the whole world, and a Relevance on each entity for
// which the defaults will not do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mobula::server {

// Entities that are seen from the same distance, say: landmarks, creatures, small things.
struct Layer {
  static constexpr std::size_t count_max = 16;  // of a world
  // A viewer on the border must not see things come and go.
  static constexpr float usual_leave_ratio = 1.15f;

  std::string name;
  float radius = 0;        // metres; comes into view at this distance of a viewpoint. 0: relevant at any distance
  float leave_radius = 0;  // goes out of view beyond it. 0: the usual ratio times the radius
};

constexpr float leave_radius(const Layer& layer) {
  return layer.leave_radius != 0 ? layer.leave_radius : layer.radius * Layer::usual_leave_ratio;
}

// A local component: it never leaves the process. Changed like any other, at any time.
struct Relevance {
  std::uint8_t layer = 0;   // in the order of their declaration
  std::uint32_t room = 0;   // or team: only viewers who are in it see the entity. 0: everyone
  std::uint32_t owner = 0;  // a player's id: relevant to that player at any distance. 0: nobody's
  float priority = 1;       // how much it matters, beside others at the same distance

  bool operator==(const Relevance&) const = default;
};

}  // namespace mobula::server
