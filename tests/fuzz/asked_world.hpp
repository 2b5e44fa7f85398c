// The world that targets of the admin port ask about: somebody plays in it.
#pragma once

#include <fuzz/fuzz.hpp>
#include <memory>
#include <mobula/core/log.hpp>
#include <server/api/asked_world.hpp>

namespace mobula::fuzz {

inline std::unique_ptr<test::AskedWorld>& world_place() {
  static std::unique_ptr<test::AskedWorld> place;
  return place;
}

inline test::AskedWorld& world() { return *world_place(); }

// For the next input, which must find what it would find alone: a new world, if what the last one said has changed it.
inline void renew_world(bool changed) {
  core::set_log_level(core::LogLevel::off);
  std::unique_ptr<test::AskedWorld>& place = world_place();
  if (place != nullptr && !changed) return;
  place.reset();
  place = std::make_unique<test::AskedWorld>();
  place->village.join("anna");
  place->ticks(20);
}

}  // namespace mobula::fuzz
