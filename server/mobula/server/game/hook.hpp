// Calls hooks of a game by name.
#pragma once

#include <mobula/core/log.hpp>
#include <utility>

namespace mobula::server {

/// Calls a hook. Log lines and failures have `name` as "running" meanwhile.
template <class Call>
decltype(auto) run_hook(std::string_view name, Call&& call) {
  const core::LogScope about({.running = name});
  return std::forward<Call>(call)();
}

}  // namespace mobula::server
