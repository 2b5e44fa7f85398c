// Map of a world that is cut into zones, each of which is a world of its own on some node. JSON:
//
//   {"zones": [{"name": "west", "x": [null, 0]}, {"name": "east", "x": [0, null]}],
//    "entities_per_zone": 65536, "spare_zones": 4, "hysteresis": 2}
//
//   name                the zone's world
//   x, z                sides of its region in metres; null or a missing field means without end
//   merged              true after a merge: another zone has the region, and what is left here goes there
//   level               part of the world whose level it spawns, with x and z, or false; missing: its region. A split
//   and
//                       a merge do not change it, so each entity of the level has one zone that spawns it
//   entities_per_zone   size of each zone's range of entity indices; zone i has the range i
//   spare_zones         zones that the map may get by splits
//   hysteresis          metres that an entity goes beyond its zone's region before it crosses
//
// The regions of zones that are not merged cover each place of the world once. A split and a merge change the map while
// the zones run. Zones keep their numbers, since entities have handles of them. Entities then cross by their places.
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
  bool merged = false;
  Region level{};  // where it spawns the level; nowhere if a split has made it
};

/// A cut of a zone across x or z. The part with the greater coordinates goes to another zone.
struct ZoneCut {
  bool across_x = true;
  float at = 0;        // metres
  std::string name{};  // the other zone: a new one, or one that was merged
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
  /// Returns the map with a zone that is cut in two. Errors: "no such zone"; "bad cut", for a place that is not within
  /// the region, or a bad name; "name taken"; "no spare zone".
  [[nodiscard]] core::Result<ZoneMap> split(std::string_view zone, const ZoneCut& cut) const;
  /// Returns the map with a zone merged into another one, whose region grows. Errors: "no such zone"; "no rectangle",
  /// if their regions do not make one together.
  [[nodiscard]] core::Result<ZoneMap> merge(std::string_view zone, std::string_view into) const;
  /// Returns whether splits and merges can have made this map of a former one: zones have their names and indices.
  [[nodiscard]] bool continues(const ZoneMap& former) const;

  [[nodiscard]] std::span<const Zone> zones() const { return zones_; }
  /// Returns the region of a zone, the former one if it is merged. Without any place if the map has no such zone, as it
  /// may be of a newer map.
  [[nodiscard]] Region region(std::uint32_t zone) const {
    return zone < zones_.size() ? zones_[zone].region : Region::nowhere();
  }
  /// Returns the number of the zone with a name. no_zone if there is none.
  [[nodiscard]] std::uint32_t find(std::string_view name) const;
  /// Returns the indices of the entities that a zone creates.
  [[nodiscard]] ecs::OwnIndices indices(std::uint32_t zone) const {
    return {.first = zone * entities_per_zone_, .end = (zone + 1) * entities_per_zone_};
  }
  /// Returns the number of zones that the map may have.
  [[nodiscard]] std::uint32_t places() const { return static_cast<std::uint32_t>(zones_.size()) + spare_zones_; }
  /// Returns the number of indices of all these zones.
  [[nodiscard]] std::uint32_t entities_max() const { return places() * entities_per_zone_; }
  [[nodiscard]] float hysteresis() const { return hysteresis_; }
  /// Returns the zone that made an entity.
  [[nodiscard]] std::uint32_t home(ecs::Entity entity) const { return entity.index / entities_per_zone_; }
  /// Returns the zone of a place. no_zone if its coordinates are no numbers.
  [[nodiscard]] std::uint32_t zone_at(const engine::Vec3& place) const;
  /// Returns the zone that an entity of `zone` belongs to at a place: the same until it is beyond the hysteresis.
  [[nodiscard]] std::uint32_t next_zone(std::uint32_t zone, const engine::Vec3& place) const;
  /// Returns the other zones whose regions are at most `reach` metres from that of a zone, merged ones included.
  [[nodiscard]] std::vector<std::uint32_t> neighbours(std::uint32_t zone, float reach) const;

 private:
  [[nodiscard]] core::Result<std::uint32_t> find_present(std::string_view name) const;

  std::vector<Zone> zones_;
  std::uint32_t spare_zones_ = 0;
  std::uint32_t entities_per_zone_ = 1u << 16;
  float hysteresis_ = 2;
};

}  // namespace mobula::server
