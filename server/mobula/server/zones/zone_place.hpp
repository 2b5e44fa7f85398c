// A world of a cluster that is a zone: its map, and which of the map's zones it is. The map is replaced by splits and
// merges while the world runs.
#pragma once

#include <mobula/server/zones/zone_map.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::server {

struct ZonePlace {
  ZoneMap map{};
  std::string world{};  // name of the map
  std::uint32_t zone = 0;

  /// Returns the region of the zone; nowhere if it is merged.
  [[nodiscard]] Region region() const { return map.zones()[zone].merged ? Region::nowhere() : map.region(zone); }
  /// Returns where the zone spawns the level.
  [[nodiscard]] const Region& level() const { return map.zones()[zone].level; }
  [[nodiscard]] ecs::OwnIndices indices() const { return map.indices(zone); }
  /// Returns the name of the world that a zone is.
  [[nodiscard]] std::string world_of(std::uint32_t number) const { return zone_world(world, map.zones()[number]); }
};

}  // namespace mobula::server
