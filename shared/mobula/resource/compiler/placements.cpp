#include <array>
#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/core/random.hpp>
#include <mobula/resource/compiler/placements.hpp>
#include <mobula/resource/compiler/sources.hpp>
#include <mobula/resource/limits.hpp>
#include <optional>

namespace mobula::resource {
namespace {

using Kind = JsonValue::Kind;

JsonValue object(Place place, std::vector<JsonMember> members) {
  return {
      .kind = Kind::object, .boolean = false, .place = place, .text = {}, .items = {}, .members = std::move(members)};
}

// Position and rotation of one instance.
struct Spot {
  std::array<double, 3> position{};
  std::optional<double> yaw;
  Place place;
};

using Spots = std::vector<Spot>;

constexpr std::string_view area_shape = "[min x, min z, max x, max z]";

Spots expand_at(const JsonValue& at, Diagnostics& diagnostics) {
  Spots spots;
  if (!expect(at, Kind::array, "at", diagnostics)) return spots;
  for (const JsonValue& item : at.items) {
    std::array<double, 4> numbers{};
    const bool turned = item.kind == Kind::array && item.items.size() == 4;
    const std::span<double> wanted(numbers.data(), turned ? 4 : 3);
    if (!read_numbers(item, wanted, "[x, y, z] or [x, y, z, yaw]", diagnostics)) continue;
    spots.push_back(
        {{numbers[0], numbers[1], numbers[2]}, turned ? std::optional(numbers[3]) : std::nullopt, item.place});
  }
  return spots;
}

// Checks the corners of an area, whose points are computed as floats.
bool check_corners(const JsonValue& area, std::span<const double> corners, Diagnostics& diagnostics) {
  constexpr double corner_max = 1e9;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (std::fabs(corners[i]) <= corner_max) continue;
    diagnostics.error(area.items[i].place,
                      core::format("{} is out of range; expected -1000000000 to 1000000000", area.items[i].text));
    return false;
  }
  if (corners[0] <= corners[2] && corners[1] <= corners[3]) return true;
  diagnostics.error(area.place, core::format("the area is empty; expected {}", area_shape));
  return false;
}

// Reads an optional member. Returns false if it is wrong.
bool read_optional(const JsonValue& from, std::string_view name, std::optional<double>& into,
                   Diagnostics& diagnostics) {
  const JsonValue* value = from.find(name);
  if (value == nullptr) return true;
  into = read_number(*value, diagnostics);
  return into.has_value();
}

// Returns a required member. Reports an error and returns null if it is missing.
const JsonValue* require(const JsonValue& from, std::string_view name, std::string_view what,
                         Diagnostics& diagnostics) {
  const JsonValue* value = from.find(name);
  if (value == nullptr) diagnostics.error(from.place, core::format("'{}' is missing; expected {}", name, what));
  return value;
}

Spots expand_grid(const JsonValue& grid, Diagnostics& diagnostics) {
  static constexpr std::array<std::string_view, 4> known{"origin", "count", "step", "yaw"};
  if (!expect(grid, Kind::object, "grid", diagnostics)) return {};
  refuse_unknown_members(grid, known, diagnostics);
  const JsonValue* origin_json = require(grid, "origin", "[x, y, z]", diagnostics);
  const JsonValue* count_json = require(grid, "count", "[along x, along y, along z]", diagnostics);
  const JsonValue* step_json = require(grid, "step", "[x, y, z]", diagnostics);
  std::array<double, 3> origin{};
  std::array<double, 3> step{};
  std::array<double, 3> written{};
  std::optional<double> yaw;
  if (origin_json == nullptr || count_json == nullptr || step_json == nullptr ||
      !read_numbers(*origin_json, origin, "[x, y, z]", diagnostics) ||
      !read_numbers(*step_json, step, "[x, y, z]", diagnostics) ||
      !read_numbers(*count_json, written, "[along x, along y, along z]", diagnostics) ||
      !read_optional(grid, "yaw", yaw, diagnostics))
    return {};
  std::array<std::uint32_t, 3> count{};
  std::uint64_t total = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<std::uint32_t> number = read_count(count_json->items[i], 1, limits::entities, diagnostics);
    if (!number) return {};
    count[i] = *number;
    total *= *number;
    if (total > limits::entities) {
      diagnostics.error(count_json->place, core::format("too many entities; at most {}", limits::entities));
      return {};
    }
  }
  Spots spots;
  for (std::uint32_t z = 0; z < count[2]; ++z)
    for (std::uint32_t y = 0; y < count[1]; ++y)
      for (std::uint32_t x = 0; x < count[0]; ++x)
        spots.push_back({{origin[0] + step[0] * x, origin[1] + step[1] * y, origin[2] + step[2] * z}, yaw, grid.place});
  return spots;
}

Spots expand_scatter(const JsonValue& scatter, Diagnostics& diagnostics) {
  static constexpr std::array<std::string_view, 5> known{"count", "seed", "area", "height", "yaw"};
  if (!expect(scatter, Kind::object, "scatter", diagnostics)) return {};
  refuse_unknown_members(scatter, known, diagnostics);
  const JsonValue* count_json = require(scatter, "count", "how many", diagnostics);
  const JsonValue* seed_json = require(scatter, "seed", "a whole number", diagnostics);
  const JsonValue* area_json = require(scatter, "area", area_shape, diagnostics);
  std::array<double, 4> area{};
  std::optional<double> height;
  std::optional<double> yaw;
  if (count_json == nullptr || seed_json == nullptr || area_json == nullptr ||
      !read_numbers(*area_json, area, area_shape, diagnostics) ||
      !read_optional(scatter, "height", height, diagnostics) || !read_optional(scatter, "yaw", yaw, diagnostics))
    return {};
  const std::optional<std::uint32_t> count = read_count(*count_json, 1, limits::entities, diagnostics);
  const std::optional<std::uint32_t> seed = read_count(*seed_json, 0, 0xffffffffu, diagnostics);
  if (!count || !seed || !check_corners(*area_json, area, diagnostics)) return {};
  core::Random random(*seed);
  const auto within = [&random](double low, double high) {
    return static_cast<double>(random.uniform(static_cast<float>(low), static_cast<float>(high)));
  };
  Spots spots;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const double x = within(area[0], area[2]);
    const double z = within(area[1], area[3]);
    const double turned = within(0, 360);
    spots.push_back({{x, height.value_or(0), z}, yaw.value_or(turned), area_json->place});
  }
  return spots;
}

Spots expand_spots(const JsonValue& placement, Diagnostics& diagnostics) {
  const JsonValue* at = placement.find("at");
  const JsonValue* grid = placement.find("grid");
  const JsonValue* scatter = placement.find("scatter");
  if ((at != nullptr) + (grid != nullptr) + (scatter != nullptr) != 1) {
    diagnostics.error(placement.place, "expected exactly one of at, grid and scatter");
    return {};
  }
  if (at != nullptr) return expand_at(*at, diagnostics);
  return grid != nullptr ? expand_grid(*grid, diagnostics) : expand_scatter(*scatter, diagnostics);
}

// Returns fields that get the position too, as "Instance.field".
std::vector<const JsonValue*> read_position_to(const JsonValue& placement, Diagnostics& diagnostics) {
  std::vector<const JsonValue*> fields;
  const JsonValue* list = placement.find("position_to");
  if (list == nullptr || !expect(*list, Kind::array, "position_to", diagnostics)) return fields;
  for (const JsonValue& item : list->items) {
    const std::size_t dot = item.text.find('.');
    if (item.kind == Kind::string && dot > 0 && dot != std::string::npos) {
      fields.push_back(&item);
    } else {
      diagnostics.error(item.place, "expected a component and its field, such as \"Wander.home\"");
    }
  }
  return fields;
}

JsonValue components_at(const Spot& spot, std::span<const JsonValue* const> position_to) {
  const auto position = [&spot](Place place) {
    return json_numbers({spot.position[0], spot.position[1], spot.position[2]}, place);
  };
  std::vector<JsonMember> transform{{"position", spot.place, position(spot.place)}};
  if (spot.yaw)
    transform.push_back(
        {"rotation", spot.place, object(spot.place, {{"yaw", spot.place, json_number(*spot.yaw, spot.place)}})});
  std::vector<JsonMember> components{{"Transform", spot.place, object(spot.place, std::move(transform))}};
  for (const JsonValue* item : position_to) {
    const std::size_t dot = item->text.find('.');
    components.push_back({item->text.substr(0, dot), item->place,
                          object(item->place, {{item->text.substr(dot + 1), item->place, position(item->place)}})});
  }
  return object(spot.place, std::move(components));
}

}  // namespace

std::vector<JsonValue> expand_placement(const JsonValue& placement, Diagnostics& diagnostics) {
  const std::vector<const JsonValue*> position_to = read_position_to(placement, diagnostics);
  std::vector<JsonValue> instances;
  for (const Spot& spot : expand_spots(placement, diagnostics)) instances.push_back(components_at(spot, position_to));
  return instances;
}

}  // namespace mobula::resource
