// Map of a world that is cut into zones, each of which is a world of its own on some node. JSON:
//
//   {"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}],
//    "entities_per_zone": 65536, "hysteresis": 2}
//
//   name                the zone's world
//   x, z                sides of its region in metres; null or a missing field means without end
//   entities_per_zone   size of each zone's range of entity indices; zone i has the range i
//   hysteresis          metres that an entity goes beyond its zone's region before it crosses
//
// The regions cover each place of the world once.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/server/interest/region.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::server {

struct Zone {
  std::string name{};
  Region region{};
};

/// Returns the name of the world that a zone of a map is; cluster::zone_name() divides it.
inline std::string zone_world(const std::string& map, const Zone& zone) { return map + "." + zone.name; }

class ZoneMap {
 public:
  static constexpr std::uint32_t zones_max = 1024;
  static constexpr std::uint32_t no_zone = ~0u;
  static constexpr float hysteresis_max = 1000;  // metres

  /// Reads a map. Errors: "bad map", which names the field, the zones or the place.
  static core::Result<ZoneMap> parse(std::string_view json);
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] std::span<const Zone> zones() const { return zones_; }
  /// Returns the number of the zone with a name. no_zone if there is none.
  [[nodiscard]] std::uint32_t find(std::string_view name) const;
  /// Returns the indices of the entities that a zone creates.
  [[nodiscard]] ecs::OwnIndices indices(std::uint32_t zone) const {
    return {.first = zone * entities_per_zone_, .end = (zone + 1) * entities_per_zone_};
  }
  /// Returns the number of indices of all zones.
  [[nodiscard]] std::uint32_t entities_max() const {
    return static_cast<std::uint32_t>(zones_.size()) * entities_per_zone_;
  }
  [[nodiscard]] float hysteresis() const { return hysteresis_; }
  /// Returns the zone that made an entity.
  [[nodiscard]] std::uint32_t home(ecs::Entity entity) const { return entity.index / entities_per_zone_; }
  /// Returns the zone of a place. no_zone if its coordinates are no numbers.
  [[nodiscard]] std::uint32_t zone_at(const engine::Vec3& place) const;
  /// Returns the zone that an entity of `zone` belongs to at a place: the same until it is beyond the hysteresis.
  [[nodiscard]] std::uint32_t next_zone(std::uint32_t zone, const engine::Vec3& place) const;
  /// Returns the other zones whose regions are at most `reach` metres from that of a zone.
  [[nodiscard]] std::vector<std::uint32_t> neighbours(std::uint32_t zone, float reach) const;

 private:
  std::vector<Zone> zones_;
  std::uint32_t entities_per_zone_ = 1u << 16;
  float hysteresis_ = 2;
};

}  // namespace mobula::server
