#include <examples/demo/obstacle_compiler.hpp>
#include <examples/demo/rules/obstacles.hpp>
#include <mobula/schema/components.hpp>
#include <vector>

namespace demo {
namespace {

using mobula::core::ByteView;
using mobula::hierarchy::WorldTransform;
using mobula::resource::CompiledLevel;
using mobula::resource::ComponentContext;
using mobula::resource::ComponentSource;

// Returns an obstacle at a place, turned as its entity is about the vertical.
ObstacleShape shape_of(const Obstacle& obstacle, const WorldTransform& place) {
  const float w = place.rotation.w;
  const float y = place.rotation.y;
  const float scale = w * w + y * y;  // below 1 for an entity that is tilted
  return {.x = place.position.x,
          .z = place.position.z,
          .half_x = obstacle.half_x,
          .half_z = obstacle.half_z,
          .radius = obstacle.radius,
          .sine = scale > 0 ? 2 * w * y / scale : 0,
          .cosine = scale > 0 ? (w * w - y * y) / scale : 1,
          .bottom = place.position.y,
          .top = place.position.y + obstacle.height};
}

void compile_obstacle(const ComponentSource& source, ComponentContext& context, mobula::core::Bytes& out) {
  const std::size_t start = out.size();
  compile_fields(source, context, out);
  if (!is_obstacle(shape_of(mobula::core::load<Obstacle>(out.data() + start), {})))
    context.error(source.place,
                  "an Obstacle is neither a box nor a cylinder; expected half_x and half_z, or radius, each at most "
                  "100 m, and a height above 0");
}

void compile_obstacles(CompiledLevel& level) {
  std::vector<ObstacleShape> shapes;
  level.each(Obstacle::component_name, [&](const WorldTransform& place, ByteView component) {
    const ObstacleShape shape = shape_of(mobula::core::load<Obstacle>(component.data()), place);
    if (is_obstacle(shape)) shapes.push_back(shape);  // not of an entity beyond the world
  });
  if (!shapes.empty()) level.add_static("Obstacles", Obstacles::make(shapes));
}

}  // namespace

void add_obstacle_compiler(mobula::resource::CompilerTable& table) {
  table.add(Obstacle::component_name, {.spawn_order = 0, .server_only = true, .compile = compile_obstacle});
  table.add_level(compile_obstacles);
}

}  // namespace demo
