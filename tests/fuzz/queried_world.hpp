// A world with a player, which targets of the admin port query.
#pragma once

#include <fuzz/fuzz.hpp>
#include <memory>
#include <mobula/core/log.hpp>
#include <server/api/api_world.hpp>

namespace mobula::fuzz {

inline std::unique_ptr<test::ApiWorld>& world_place() {
  static std::unique_ptr<test::ApiWorld> place;
  return place;
}

inline test::ApiWorld& world() { return *world_place(); }

// Replaces the world if the last input has changed it, so that each input finds the same state.
inline void renew_world(bool changed) {
  core::set_log_level(core::LogLevel::off);
  std::unique_ptr<test::ApiWorld>& place = world_place();
  if (place != nullptr && !changed) return;
  place.reset();
  place = std::make_unique<test::ApiWorld>();
  place->village.join("anna");
  place->ticks(20);
}

}  // namespace mobula::fuzz
