#include "join/field.hpp"

#include <mobula/core/format.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <mobula/schema/components.hpp>
#include <numeric>

namespace mobula::bench {

core::Result<std::shared_ptr<const resource::Resource>> compile_field(std::uint32_t objects) {
  const std::string text = core::format(
      R"({{"prefabs": {{"crate": {{"spawnable": true, "components": {{"Transform": {{}}, "Health": {{}},
          "Body": {{"$type": "RenderData", "mesh": "props/crate"}}}}}}}},
          "placements": [{{"name": "field", "prefab": "crate",
            "grid": {{"origin": [-250, 0, -250], "count": [100, 1, {}], "step": [5, 0, 5]}}}}]}})",
      objects / 100);
  resource::CompileOptions options;
  options.read = [&](const std::string&) { return core::Result<std::string>(text); };
  const auto schema = reflect::Schema::load(demo::schema_bytes());
  if (!schema) return schema.error();
  const resource::Compiled compiled = resource::compile("field.json", **schema, options);
  if (compiled.bytes.empty()) return core::Error{"bad level", to_string(compiled.errors.at(0))};
  return resource::Resource::from_bytes(compiled.bytes);
}

core::ByteView Field::schema() const { return demo::schema_bytes(); }

core::Result<ecs::Entity> Field::join(server::World& world, const server::Player& player) {
  const ecs::Entity entity = world.registry().create();
  world.registry().add<engine::Transform>(entity);
  world.registry().add<demo::Health>(entity);
  world.registry().add<demo::Avatar>(entity).player = player.id;
  return entity;
}

void Field::leave(server::World& world, const server::Player& player) { world.registry().destroy(player.entity); }

void disturb(server::World& world, const JoinCase& join, std::uint64_t seed) {
  core::Random random(seed);
  const ecs::EntityRange range = world.level_range();
  std::vector<std::uint32_t> order(range.count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = range.count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const std::uint32_t moved = range.count * join.moved_permille / 1000;
  const std::uint32_t destroyed = range.count * join.destroyed_permille / 1000;
  for (std::uint32_t i = 0; i < moved; ++i) {
    engine::Vec3& position = world.registry().get<engine::Transform>(range.at(order[i])).position;
    position.x += random.uniform(-10, 10);
    position.z += random.uniform(-10, 10);
  }
  for (std::uint32_t i = moved; i < moved + destroyed; ++i) world.registry().destroy(range.at(order[i]));
}

}  // namespace mobula::bench
