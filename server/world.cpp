#include <mobula/server/world.hpp>

namespace mobula::server {
namespace {

// Component types of the schema, and all that the level names.
core::Result<index::NameTable> collect_names(const reflect::Schema& schema, const resource::Resource* level) {
  index::NameTable names;
  std::vector<std::string_view> all;
  for (const reflect::Component& component : schema.components()) all.push_back(component.name);
  if (level != nullptr) all.insert(all.end(), level->names().begin(), level->names().end());
  for (const std::string_view name : all)
    if (const core::Result<core::StringId32> added = names.add(name); !added) return added.error();
  return names;
}

}  // namespace

core::Result<std::unique_ptr<World>> World::make(WorldConfig config) {
  std::unique_ptr<World> world(new World(std::move(config)));
  const WorldConfig& made = world->config_;
  if (core::Status registered = reflect::register_components(world->registry_, *made.schema); !registered)
    return registered.error();
  core::Result<index::NameTable> names = collect_names(*made.schema, made.level.get());
  if (!names) return names.error();
  world->names_ = std::move(*names);
  if (made.level == nullptr) return world;
  core::Result<Level> level = Level::bind(world->registry_, *made.schema, made.level);
  if (!level) return level.error();
  world->level_.emplace(std::move(*level));
  return world;
}

core::Status World::spawn_level() {
  if (!level_) return core::Done{};
  if (core::Status spawned = level_->spawn(); !spawned) return spawned;
  hierarchy_.update();
  return core::Done{};
}

core::Result<LevelChange> World::reload_level(std::shared_ptr<const resource::Resource> resource) {
  MOBULA_ASSERT(level_.has_value(), "a world that began without a level has none to reload");
  core::Result<index::NameTable> names = collect_names(schema(), resource.get());
  if (!names) return names.error();
  core::Result<Level> next = Level::bind(registry_, schema(), std::move(resource));
  if (!next) return next.error();
  core::Result<LevelChange> change = next->replace(*level_);
  if (!change) return change;
  level_.emplace(std::move(*next));
  names_ = std::move(*names);
  hierarchy_.update();
  return change;
}

core::Result<ecs::Entity> World::spawn(std::string_view prefab, const resource::Placement* placement) {
  if (!level_) return core::Error{"unknown prefab", "without a level there are no prefabs"};
  const core::Result<ecs::EntityRange> spawned = level_->spawner().spawn_prefab(prefab, placement);
  if (!spawned) return spawned.error();
  return spawned->at(0);
}

std::span<const std::string> World::level_notes() const {
  if (!level_) return {};
  return level_->spawner().notes();
}

void World::end_tick() {
#ifdef MOBULA_ASSERTS
  for (const ecs::UnstampedBlock& block : audit_.run())
    MOBULA_ASSERT(false, "a kept reference was written through: " + to_string(block, registry_));
#endif
  registry_.clear_journal();
  registry_.set_tick(registry_.tick() + 1);
}

}  // namespace mobula::server
