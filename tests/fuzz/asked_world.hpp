// The world that targets of the admin port ask about: somebody plays in it.
#pragma once

#include <fuzz/fuzz.hpp>
#include <mobula/core/log.hpp>
#include <server/api/asked_world.hpp>

namespace mobula::fuzz {

inline test::AskedWorld& world() {
  static test::AskedWorld one;
  static const bool begun = [] {
    core::set_log_level(core::LogLevel::off);
    one.village.join("anna");
    one.ticks(20);
    return true;
  }();
  static_cast<void>(begun);
  return one;
}

}  // namespace mobula::fuzz
