#include <mobula/core/format.hpp>
#include <mobula/server/world.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {

namespace {

// An entity whose components do not fit one datagram could never be mirrored.
core::Status check_sizes(const resource::Resource& level, const resource::EntityResource& entities) {
  for (const std::span<const resource::ComponentKey> prototype : entities.prototypes) {
    std::uint32_t bits = 0;
    for (const resource::ComponentKey& key : prototype) {
      const reflect::Component* component = level.schema().find(key.type);
      if (component != nullptr && !component->not_sent) bits += wire::ComponentCodec(*component).max_bits();
    }
    if (bits > wire::entity_bits_max || prototype.size() > wire::max_components_per_prototype)
      return core::Error{
          "too large", core::format("an entity of the level has {} components of {} bytes, which do not fit a datagram",
                                    prototype.size(), bits / 8)};
  }
  return core::Done{};
}

core::Status check_sizes(const resource::Resource& level) {
  if (core::Status fits = check_sizes(level, level.level()); !fits) return fits;
  for (const core::StringId32 name : level.prefab_names())
    if (core::Status fits = check_sizes(level, *level.find_prefab(name)); !fits) return fits;
  return core::Done{};
}

}  // namespace

core::Result<std::unique_ptr<World>> World::make(WorldConfig config) {
  std::unique_ptr<World> world(new World(std::move(config)));
  if (core::Status registered = reflect::register_components(world->registry_, *world->config_.schema); !registered)
    return registered.error();
  if (core::Status named = world->add_names(); !named) return named.error();
  if (world->config_.level != nullptr) {
    if (!world->config_.level->complete())
      return core::Error{"incomplete", "the level is a client's copy: what the server alone knows is missing"};
    core::Result<resource::Spawner> spawner =
        resource::Spawner::bind(world->registry_, *world->config_.schema, world->config_.level);
    if (!spawner) return spawner.error();
    if (core::Status fits = check_sizes(*world->config_.level); !fits) return fits.error();
    world->spawner_.emplace(std::move(*spawner));
  }
  return world;
}

core::Status World::add_names() {
  std::vector<std::string_view> all;
  for (const reflect::Component& component : config_.schema->components()) all.push_back(component.name);
  if (config_.level != nullptr) all.insert(all.end(), config_.level->names().begin(), config_.level->names().end());
  for (const std::string_view name : all)
    if (const core::Result<core::StringId32> added = names_.add(name); !added) return added.error();
  return core::Done{};
}

core::Status World::spawn_level() {
  if (!spawner_) return core::Done{};
  const core::Result<ecs::EntityRange> spawned = spawner_->spawn_level();
  if (!spawned) return spawned.error();
  hierarchy_.update();
  return core::Done{};
}

core::Result<ecs::Entity> World::spawn(std::string_view prefab) {
  if (!spawner_) return core::Error{"unknown prefab", "without a level there are no prefabs"};
  const core::Result<ecs::EntityRange> spawned = spawner_->spawn_prefab(prefab);
  if (!spawned) return spawned.error();
  return spawned->at(0);
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
