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
  end = value.is_number() ? value.get<float>() : infinity;
  return std::isfinite(end);
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

core::Result<Zone> read_zone(const Json& json, std::size_t place) {
  constexpr std::array<std::string_view, 3> known{"name", "x", "z"};
  if (!json.is_object()) return bad(core::format("zone {} is no object", place));
  if (const std::string unknown = unknown_member(json, known); !unknown.empty())
    return bad(core::format("zone {} has the unknown member '{}'", place, unknown));
  const auto name = json.find("name");
  if (name == json.end() || !name->is_string() || !core::is_good_name(name->get_ref<const std::string&>()) ||
      name->get_ref<const std::string&>().find('.') != std::string::npos)
    return bad(core::format("the name of zone {} is missing or not a name of a world without a dot", place));
  Zone zone{.name = name->get<std::string>(), .region = {}};
  Region& region = zone.region;
  if (core::Status x = read_side(json, "x", zone.name, region.x_min, region.x_max); !x) return x.error();
  if (core::Status z = read_side(json, "z", zone.name, region.z_min, region.z_max); !z) return z.error();
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
  constexpr std::array<std::string_view, 3> known{"zones", "entities_per_zone", "hysteresis"};
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
  const std::uint32_t most = wire::entities_max_limit / static_cast<std::uint32_t>(map.zones_.size());
  std::uint32_t& entities = map.entities_per_zone_ = std::min(1u << 16, most);
  if (core::Status read = read_number(parsed, "entities_per_zone", entities_min, most, entities); !read)
    return read.error();
  if (core::Status read = read_number(parsed, "hysteresis", 0.0f, hysteresis_max, map.hysteresis_); !read)
    return read.error();
  if (core::Status covered = check_cover(map.zones_); !covered) return covered.error();
  return map;
}

std::string ZoneMap::to_json() const {
  const auto end = [](float metres) { return std::isinf(metres) ? Json() : Json(metres); };
  Json zones = Json::array();
  for (const auto& [name, region] : zones_)
    zones.push_back(
        {{"name", name}, {"x", {end(region.x_min), end(region.x_max)}}, {"z", {end(region.z_min), end(region.z_max)}}});
  return Json{{"zones", zones}, {"entities_per_zone", entities_per_zone_}, {"hysteresis", hysteresis_}}.dump();
}

std::uint32_t ZoneMap::find(std::string_view name) const {
  const auto found = std::ranges::find(zones_, name, &Zone::name);
  return found == zones_.end() ? no_zone : static_cast<std::uint32_t>(found - zones_.begin());
}

std::uint32_t ZoneMap::zone_at(const engine::Vec3& place) const {
  const auto found = std::ranges::find_if(zones_, [&](const Zone& zone) { return zone.region.contains(place); });
  return found == zones_.end() ? no_zone : static_cast<std::uint32_t>(found - zones_.begin());
}

std::uint32_t ZoneMap::next_zone(std::uint32_t zone, const engine::Vec3& place) const {
  const float beyond = zones_[zone].region.distance_squared(place);
  if (!(beyond > hysteresis_ * hysteresis_)) return zone;
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
