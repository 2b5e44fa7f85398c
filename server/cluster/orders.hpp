// Bodies of requests: JSON objects with checked fields.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/server/zones/zone_map.hpp>
#include <string>
#include <string_view>

namespace mobula::cluster {

/// Fields of a request by a backend. Absent fields are empty.
struct Order {
  std::string world{};
  std::string game{};
  std::string account{};
  bool create = false;  // the world if there is none
  std::string map{};
  std::string zones{};  // JSON of a ZoneMap, unchecked
  std::string zone{};
  std::string into{};  // the zone that it is merged into
  std::string name{};  // the zone that a split makes
  server::ZoneCut cut{};
  std::uint32_t cuts = 0;  // given places of the cut
};

/// Parses {"world": "lobby", "game": "HASH"}. Errors: "bad request".
core::Result<Order> parse_world_order(std::string_view body);
/// Parses {"map": "overworld", "game": "HASH", "zones": {…}}. Errors: "bad request".
core::Result<Order> parse_map_order(std::string_view body);
/// Parses {"zone": "east", "name": "far-east", "x": 12.5}, or with "z". Errors: "bad request".
core::Result<Order> parse_split_order(std::string_view body);
/// Parses {"zone": "far-east", "into": "east"}. Errors: "bad request".
core::Result<Order> parse_merge_order(std::string_view body);
/// Parses {"world": "lobby", "account": "anna"} of a player who is in the game. Errors: "bad request".
core::Result<Order> parse_player_order(std::string_view body);
/// Parses {"world": "lobby", "account": "anna"}, with "create": true and "game" to create the world if there is none.
/// Errors: "bad request".
core::Result<Order> parse_token_order(std::string_view body);
/// Checks the body of a request that has no fields: empty text or {}. Errors: "bad request".
core::Status check_empty(std::string_view body);

}  // namespace mobula::cluster
