// JSON of other processes. Deep nesting would overflow the stack where a value is copied or written.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace mobula::cluster {

inline constexpr int json_depth_max = 8;

/// Parses JSON without exceptions, as nlohmann::json::parse(). Values below json_depth_max levels are left out.
inline nlohmann::json parse_shallow(std::string_view text) {
  const auto keep = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth <= json_depth_max; };
  return nlohmann::json::parse(text, keep, false);
}

}  // namespace mobula::cluster
