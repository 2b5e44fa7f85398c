#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/core/name.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/zones/zone_map.hpp>
#include <mobula/wire/messages.hpp>
#include <nlohmann/json.hpp>

namespace mobula::server {
namespace {

using Json = nlohmann::json;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::uint32_t entities_min = 1024;  // per zone
constexpr std::uint32_t spare_zones_default = 4;
constexpr std::size_t name_bytes_shown = 64;

core::Error bad(std::string why) { return {"bad map", std::move(why)}; }

// Returns the first member that a map or a zone does not have; empty if there is none.
std::string unknown_member(const Json& object, std::span<const std::string_view> known) {
  for (const auto& [name, value] : object.items())
    if (std::ranges::find(known, name) == known.end()) return core::shown(name, 60);
  return {};
}

// Reads one end of a side; null leaves it as it is. False for other values than numbers.
bool read_end(const Json& value, float& end) {
  if (value.is_null()) return true;
  const double metres = value.is_number() ? value.get<double>() : infinity;
  if (!(std::abs(metres) <= std::numeric_limits<float>::max())) return false;
  end = static_cast<float>(metres);
  return true;
}

core::Status read_side(const Json& zone, const char* side, const std::string& name, float& least, float& most) {
  least = -infinity;
  most = infinity;
  const auto found = zone.find(side);
  if (found == zone.end()) return core::Done{};
  if (!found->is_array() || found->size() != 2 || !read_end((*found)[0], least) || !read_end((*found)[1], most))
    return bad(core::format("'{}' of zone '{}' is not a list of two numbers, or null for no end", side, name));
  if (least < most) return core::Done{};
  return bad(core::format("'{}' of zone '{}' does not ascend", side, name));
}

core::Status read_flag(const Json& zone, const char* flag, const std::string& name, bool& to) {
  const auto found = zone.find(flag);
  if (found == zone.end()) return core::Done{};
  if (!found->is_boolean()) return bad(core::format("'{}' of zone '{}' is not true or false", flag, name));
  to = found->get<bool>();
  return core::Done{};
}

core::Status read_level(const Json& json, Zone& zone) {
  const auto found = json.find("level");
  zone.level = found == json.end() ? zone.region : Region::nowhere();
  if (found == json.end() || *found == false) return core::Done{};
  if (!found->is_object()) return bad(core::format("'level' of zone '{}' is neither false nor an object", zone.name));
  if (core::Status x = read_side(*found, "x", zone.name, zone.level.x_min, zone.level.x_max); !x) return x;
  return read_side(*found, "z", zone.name, zone.level.z_min, zone.level.z_max);
}

bool is_zone_name(const std::string& name) { return core::is_good_name(name) && name.find('.') == std::string::npos; }

core::Result<Zone> read_zone(const Json& json, std::size_t place) {
  constexpr std::array<std::string_view, 5> known{"name", "x", "z", "merged", "level"};
  if (!json.is_object()) return bad(core::format("zone {} is no object", place));
  if (const std::string unknown = unknown_member(json, known); !unknown.empty())
    return bad(core::format("zone {} has the unknown member '{}'", place, unknown));
  const auto name = json.find("name");
  if (name == json.end() || !name->is_string() || !is_zone_name(name->get_ref<const std::string&>()))
    return bad(core::format("the name of zone {} is missing or not a name of a world without a dot", place));
  Zone zone{.name = name->get<std::string>(), .region = {}};
  Region& region = zone.region;
  if (core::Status x = read_side(json, "x", zone.name, region.x_min, region.x_max); !x) return x.error();
  if (core::Status z = read_side(json, "z", zone.name, region.z_min, region.z_max); !z) return z.error();
  if (core::Status merged = read_flag(json, "merged", zone.name, zone.merged); !merged) return merged.error();
  if (core::Status level = read_level(json, zone); !level) return level.error();
  return zone;
}

template <class Number>
core::Status read_number(const Json& map, const char* name, Number least, Number most, Number& number) {
  const auto found = map.find(name);
  if (found == map.end()) return core::Done{};
  const bool fits = std::is_integral_v<Number> ? found->is_number_unsigned() : found->is_number();
  const double value = fits ? found->get<double>() : -1;
  if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)))
    return bad(core::format("'{}' is not {} to {}", name, least, most));
  number = static_cast<Number>(value);
  return core::Done{};
}

// Returns the ends of the regions on one axis, ascending, each once.
std::vector<float> ends_of(std::span<const Zone> zones, float Region::* least, float Region::* most) {
  std::vector<float> ends{-infinity, infinity};
  for (const Zone& zone : zones) {
    ends.push_back(zone.region.*least);
    ends.push_back(zone.region.*most);
  }
  std::ranges::sort(ends);
  ends.erase(std::ranges::unique(ends).begin(), ends.end());
  return ends;
}

std::size_t place_in(const std::vector<float>& ends, float end) {
  return static_cast<std::size_t>(std::ranges::lower_bound(ends, end) - ends.begin());
}

std::string shown_end(float end) { return std::isinf(end) ? "without end" : core::format("{}", end); }

// Cuts the plane at all ends into cells. Each cell is in one region.
core::Status check_cover(std::span<const Zone> zones) {
  const std::vector<float> xs = ends_of(zones, &Region::x_min, &Region::x_max);
  const std::vector<float> zs = ends_of(zones, &Region::z_min, &Region::z_max);
  const std::size_t columns = xs.size() - 1;
  std::vector<const Zone*> cells(columns * (zs.size() - 1), nullptr);
  for (const Zone& zone : zones) {
    if (zone.merged) continue;
    const std::size_t right = place_in(xs, zone.region.x_max);
    const std::size_t back = place_in(zs, zone.region.z_max);
    for (std::size_t z = place_in(zs, zone.region.z_min); z < back; ++z) {
      for (std::size_t x = place_in(xs, zone.region.x_min); x < right; ++x) {
        const Zone*& cell = cells[z * columns + x];
        if (cell != nullptr) return bad(core::format("the zones '{}' and '{}' overlap", cell->name, zone.name));
        cell = &zone;
      }
    }
  }
  const auto gap = static_cast<std::size_t>(std::ranges::find(cells, nullptr) - cells.begin());
  if (gap == cells.size()) return core::Done{};
  const std::size_t x = gap % columns;
  const std::size_t z = gap / columns;
  return bad(core::format("no zone has the region from x {} to {}, z {} to {}", shown_end(xs[x]), shown_end(xs[x + 1]),
                          shown_end(zs[z]), shown_end(zs[z + 1])));
}

float gap_between(float least, float most, float other_least, float other_most) {
  return std::max({0.0f, other_least - most, least - other_most});
}

}  // namespace

core::Result<ZoneMap> ZoneMap::parse(std::string_view json) {
  constexpr std::array<std::string_view, 4> known{"zones", "entities_per_zone", "spare_zones", "hysteresis"};
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object()) return bad("it is not a JSON object");
  if (const std::string unknown = unknown_member(parsed, known); !unknown.empty())
    return bad(core::format("the unknown member '{}'", unknown));
  const auto zones = parsed.find("zones");
  if (zones == parsed.end() || !zones->is_array() || zones->empty() || zones->size() > zones_max)
    return bad(core::format("'zones' is not a list of 1 to {} zones", zones_max));
  ZoneMap map;
  for (const Json& each : *zones) {
    core::Result<Zone> zone = read_zone(each, map.zones_.size());
    if (!zone) return zone.error();
    if (map.find(zone->name) != no_zone) return bad(core::format("there are two zones '{}'", zone->name));
    map.zones_.push_back(std::move(*zone));
  }
  const auto count = static_cast<std::uint32_t>(map.zones_.size());
  if (core::Status read = read_number(parsed, "spare_zones", 0u, zones_max - count, map.spare_zones_); !read)
    return read.error();
  const std::uint32_t most = wire::entities_max_limit / map.places();
  std::uint32_t& entities = map.entities_per_zone_ = std::min(1u << 16, most);
  if (core::Status read = read_number(parsed, "entities_per_zone", entities_min, most, entities); !read)
    return read.error();
  if (!parsed.contains("spare_zones"))  // as many as there is room for
    map.spare_zones_ = std::min({spare_zones_default, zones_max - count, wire::entities_max_limit / entities - count});
  if (core::Status read = read_number(parsed, "hysteresis", 0.0f, hysteresis_max, map.hysteresis_); !read)
    return read.error();
  if (core::Status covered = check_cover(map.zones_); !covered) return covered.error();
  return map;
}

std::string ZoneMap::to_json() const {
  const auto end = [](float metres) { return std::isinf(metres) ? Json() : Json(metres); };
  const auto sides = [&](const Region& of) {
    return Json{{"x", {end(of.x_min), end(of.x_max)}}, {"z", {end(of.z_min), end(of.z_max)}}};
  };
  Json zones = Json::array();
  for (const auto& [name, region, merged, level] : zones_) {
    Json zone = sides(region);
    zone["name"] = name;
    if (merged) zone["merged"] = true;
    if (level != region) zone["level"] = level == Region::nowhere() ? Json(false) : sides(level);
    zones.push_back(std::move(zone));
  }
  return Json{{"zones", zones},
              {"entities_per_zone", entities_per_zone_},
              {"spare_zones", spare_zones_},
              {"hysteresis", hysteresis_}}
      .dump();
}

core::Result<std::uint32_t> ZoneMap::find_present(std::string_view name) const {
  const std::uint32_t zone = find(name);
  if (zone != no_zone && !zones_[zone].merged) return zone;
  const std::string shown = core::shown(name, name_bytes_shown);
  return core::Error{"no such zone", zone == no_zone ? core::format("there is no zone '{}'", shown)
                                                     : core::format("the zone '{}' is merged already", shown)};
}

core::Result<ZoneMap> ZoneMap::split(std::string_view zone, const ZoneCut& cut) const {
  const core::Result<std::uint32_t> found = find_present(zone);
  if (!found) return found.error();
  if (!is_zone_name(cut.name))
    return core::Error{"bad cut", "the name of the new zone is not a name of a world without a dot"};
  ZoneMap map = *this;
  Region& kept = map.zones_[*found].region;
  Region other = kept;
  float& end = cut.across_x ? kept.x_max : kept.z_max;
  float& begin = cut.across_x ? other.x_min : other.z_min;
  if (!(std::isfinite(cut.at) && cut.at > begin && cut.at < end))
    return core::Error{"bad cut", core::format("{} {} is not within the zone, from {} to {}", cut.across_x ? 'x' : 'z',
                                               cut.at, shown_end(begin), shown_end(end))};
  begin = end = cut.at;
  if (const std::uint32_t former = find(cut.name); former == no_zone) {
    if (spare_zones_ == 0)
      return core::Error{"no spare zone", core::format("the map has its {} zones, as 'spare_zones' permits; use the "
                                                       "name of a zone that was merged",
                                                       zones_.size())};
    --map.spare_zones_;
    map.zones_.push_back({.name = cut.name, .region = other, .merged = false, .level = Region::nowhere()});
  } else if (zones_[former].merged) {
    map.zones_[former].region = other;
    map.zones_[former].merged = false;
  } else {
    return core::Error{"name taken", core::format("there is a zone '{}'", cut.name)};
  }
  return map;
}

core::Result<ZoneMap> ZoneMap::merge(std::string_view zone, std::string_view into) const {
  const core::Result<std::uint32_t> from = find_present(zone);
  if (!from) return from.error();
  const core::Result<std::uint32_t> to = find_present(into);
  if (!to) return to.error();
  ZoneMap map = *this;
  const Region& a = zones_[*from].region;
  const Region& b = zones_[*to].region;
  const bool beside = a.z_min == b.z_min && a.z_max == b.z_max && (a.x_max == b.x_min || b.x_max == a.x_min);
  const bool behind = a.x_min == b.x_min && a.x_max == b.x_max && (a.z_max == b.z_min || b.z_max == a.z_min);
  if (!beside && !behind)
    return core::Error{"no rectangle", core::format("the zones '{}' and '{}' have no whole side in common",
                                                    zones_[*from].name, zones_[*to].name)};
  map.zones_[*to].region = {std::min(a.x_min, b.x_min), std::min(a.z_min, b.z_min), std::max(a.x_max, b.x_max),
                            std::max(a.z_max, b.z_max)};
  map.zones_[*from].merged = true;
  return map;
}

bool ZoneMap::continues(const ZoneMap& former) const {
  if (zones_.size() < former.zones_.size() || entities_per_zone_ != former.entities_per_zone_) return false;
  return places() == former.places() &&
         std::ranges::equal(former.zones_, std::span(zones_).first(former.zones_.size()), {}, &Zone::name, &Zone::name);
}

std::uint32_t ZoneMap::find(std::string_view name) const {
  const auto found = std::ranges::find(zones_, name, &Zone::name);
  return found == zones_.end() ? no_zone : static_cast<std::uint32_t>(found - zones_.begin());
}

std::uint32_t ZoneMap::zone_at(const engine::Vec3& place) const {
  const auto found =
      std::ranges::find_if(zones_, [&](const Zone& zone) { return !zone.merged && zone.region.contains(place); });
  return found == zones_.end() ? no_zone : static_cast<std::uint32_t>(found - zones_.begin());
}

std::uint32_t ZoneMap::next_zone(std::uint32_t zone, const engine::Vec3& place) const {
  const float beyond = zones_[zone].region.distance_squared(place);
  if (!zones_[zone].merged && !(beyond > hysteresis_ * hysteresis_)) return zone;
  const std::uint32_t next = zone_at(place);
  return next == no_zone ? zone : next;
}

std::vector<std::uint32_t> ZoneMap::neighbours(std::uint32_t zone, float reach) const {
  const Region& own = zones_[zone].region;
  std::vector<std::uint32_t> found;
  for (std::uint32_t other = 0; other < zones_.size(); ++other) {
    const Region& region = zones_[other].region;
    const float x = gap_between(own.x_min, own.x_max, region.x_min, region.x_max);
    const float z = gap_between(own.z_min, own.z_max, region.z_min, region.z_max);
    if (other != zone && x * x + z * z <= reach * reach) found.push_back(other);
  }
  return found;
}

}  // namespace mobula::server
