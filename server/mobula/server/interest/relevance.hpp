// Visibility settings of a game: layers, once for the whole world, and a Relevance on each entity that needs
// other values than the defaults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mobula::server {

/// A class of entities with the same visibility range, such as landmarks, creatures or small items.
struct Layer {
  static constexpr std::size_t count_max = 16;  // per world
  // Keeps entities from flickering for a viewer on the border.
  static constexpr float usual_leave_ratio = 1.15f;

  std::string name;
  float radius = 0;        // metres; becomes visible at this distance of a viewpoint. 0 means relevant at any distance
  float leave_radius = 0;  // metres; goes out of view beyond it. 0 means the usual ratio times the radius
  // Clients continue the courses (dead_reckoning) of entities that went out of view. Otherwise these stand still.
  bool continues_out_of_view = false;
};

/// Returns the layer's leave radius in metres.
constexpr float leave_radius(const Layer& layer) {
  return layer.leave_radius != 0 ? layer.leave_radius : layer.radius * Layer::usual_leave_ratio;
}

/// A server-only component. May be changed at any time.
struct Relevance {
  // Their ratio bounds how long an entity waits while more changes than can be sent.
  static constexpr float priority_min = 0.1f;
  static constexpr float priority_max = 100;

  std::uint8_t layer = 0;  // number of the layer, in the order of declaration. One that is not declared counts as 0
  std::uint32_t interest_group = 0;  // only viewers in this group see the entity, such as a team. 0 means everyone
  std::uint32_t owner = 0;           // player id: relevant to that player at any distance. 0 means no owner
  // Importance, relative to others at the same distance: from priority_min to priority_max. A value outside of these
  // counts as the nearer one, and NaN as priority_min. The first such value is logged.
  float priority = 1;

  bool operator==(const Relevance&) const = default;
};

/// Returns what a priority counts as.
constexpr float counted_priority(float priority) {
  if (!(priority > Relevance::priority_min)) return Relevance::priority_min;  // NaN is not greater either
  return priority < Relevance::priority_max ? priority : Relevance::priority_max;
}

}  // namespace mobula::server
