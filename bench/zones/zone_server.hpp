// A server of one of two zones with a border at x = 0, without sockets.
#pragma once

#include <memory>
#include <mobula/server/host/zone_host.hpp>
#include <server/hamlet.hpp>

namespace mobula::bench {

inline std::unique_ptr<server::Server> start_zone(server::Game& game, std::uint32_t zone, server::ServerConfig config) {
  constexpr const char* two_zones =
      R"({"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}], "entities_per_zone": 65536})";
  const auto place = std::make_shared<server::ZonePlace>(
      server::ZonePlace{.map = *server::ZoneMap::parse(two_zones), .world = "land", .zone = zone});
  config = test::at_village(std::move(config));
  server::ZoneHost::configure(config, place, test::test_transport().private_key);
  auto started = server::Server::start(std::move(config), game);
  MOBULA_CHECK(started.ok(), "a zone starts");
  (*started)->set_unix_time(test::test_unix_time);
  return std::move(*started);
}

}  // namespace mobula::bench
