// A server of a zone, without sockets.
#pragma once

#include <memory>
#include <mobula/server/host/zone_host.hpp>
#include <server/hamlet.hpp>

namespace mobula::bench {

/// A border at x = 0.
constexpr const char* two_zones =
    R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}], "entities_per_zone": 65536})";

inline std::shared_ptr<server::ZonePlace> place_of(const char* map, std::uint32_t zone) {
  return std::make_shared<server::ZonePlace>(
      server::ZonePlace{.map = *server::ZoneMap::parse(map), .world = "land", .zone = zone});
}

/// Starts a zone, or a world of its own without a place.
inline std::unique_ptr<server::Server> start_zone(server::Game& game, const std::shared_ptr<server::ZonePlace>& place,
                                                  server::ServerConfig config) {
  config = test::at_village(std::move(config));
  if (place != nullptr) server::ZoneHost::configure(config, place, test::test_transport().private_key);
  auto started = server::Server::start(std::move(config), game);
  MOBULA_CHECK(started.ok(), "a zone starts");
  (*started)->set_unix_time(test::test_unix_time);
  return std::move(*started);
}

}  // namespace mobula::bench
