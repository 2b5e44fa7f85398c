#include <array>
#include <cmath>
#include <cstddef>
#include <examples/demo/line.hpp>
#include <examples/demo/patrol_compiler.hpp>
#include <examples/demo/rules/rules.hpp>
#include <mobula/core/from_chars.hpp>
#include <mobula/schema/components.hpp>
#include <string_view>
#include <vector>

namespace demo {
namespace {

using mobula::engine::Vec3;
using mobula::resource::ComponentContext;
using mobula::resource::ComponentSource;
using mobula::resource::JsonValue;

constexpr std::string_view points_member = "points";
constexpr std::size_t points_min = 2;
constexpr std::size_t points_max = 1000;

bool read_coordinate(const JsonValue& value, float& into) {
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto read = mobula::core::from_chars(value.text.data(), end, number);
  into = static_cast<float>(number);
  return value.kind == JsonValue::Kind::number && read.ec == std::errc() && read.ptr == end &&
         std::fabs(number) <= static_cast<double>(world_edge);
}

// Returns the points. Reports an error and returns nothing unless all are points of the world.
std::vector<Vec3> read_points(const JsonValue& points, ComponentContext& context) {
  std::vector<Vec3> read;
  if (points.items.size() < points_min || points.items.size() > points_max) {
    context.error(points.place, "a patrol goes through 2 to 1000 points; expected [[x, y, z], …]");
    return {};
  }
  for (const JsonValue& item : points.items) {
    Vec3& point = read.emplace_back();
    if (item.items.size() == 3 && read_coordinate(item.items[0], point.x) && read_coordinate(item.items[1], point.y) &&
        read_coordinate(item.items[2], point.z))
      continue;
    context.error(item.place, "expected a point [x, y, z], each from -500 to 500");
    return {};
  }
  return read;
}

// Returns the points of the last layer that has any, null if none has.
const JsonValue* find_points(const ComponentSource& source) {
  const JsonValue* found = nullptr;
  for (const JsonValue* layer : source.layers)
    if (const JsonValue* points = layer->find(points_member)) found = points;
  return found;
}

void compile_patrol(const ComponentSource& source, ComponentContext& context, mobula::core::Bytes& out) {
  static constexpr std::array own{points_member};
  const std::size_t start = out.size();
  compile_fields(source, context, out, own);
  const JsonValue* points = find_points(source);
  if (points == nullptr)
    return context.error(source.place, "a Patrol without points; expected \"points\": [[x, y, z], …]");
  const std::vector<Vec3> through = read_points(*points, context);
  if (through.empty()) return;
  const std::uint64_t line = context.add_static("Line", Line::make(through), points->place);
  mobula::core::store(out.data() + start + offsetof(Patrol, line), line);
}

}  // namespace

void add_patrol_compiler(mobula::resource::CompilerTable& table) {
  table.add(Patrol::component_name, {.spawn_order = 0, .server_only = true, .compile = compile_patrol});
}

}  // namespace demo
