#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/resource/level_diff.hpp>
#include <mobula/server/game/level.hpp>

namespace mobula::server {
namespace {

using resource::SpawnChoice;

}  // namespace

core::Result<Level> Level::bind(ecs::Registry& registry, const reflect::Schema& schema,
                                std::shared_ptr<const resource::Resource> resource,
                                const resource::SpawnerTable& spawners) {
  if (!resource->complete())
    return core::Error{
        "incomplete",
        "the level is a client's copy without the server-only parts; load the file that mobula-compile wrote"};
  core::Result<resource::Spawner> spawner = resource::Spawner::bind(registry, schema, std::move(resource), spawners);
  if (!spawner) return spawner.error();
  return Level(registry, std::move(*spawner));
}

core::Status Level::spawn() {
  const core::Result<ecs::EntityRange> spawned = spawner_.spawn_level();
  if (!spawned) return spawned.error();
  range_ = *spawned;
  for (std::uint32_t i = 0; i < spawned->count; ++i) entities_.push_back(spawned->at(i));
  return core::Done{};
}

core::Status Level::adopt(const ecs::EntityRange& range, std::span<const ecs::Entity> entities) {
  const std::uint32_t count = resource().level().num_entities;
  if (entities.size() != count || (range.count != 0 && range.count != count))
    return core::Error{"other level",
                       core::format("{} entities were spawned of a level that has {}", entities.size(), count)};
  range_ = range;
  entities_.assign(entities.begin(), entities.end());
  return core::Done{};
}

core::Status Level::spawn_changed(std::vector<ecs::Entity>& entities, std::span<const SpawnChoice> choices) {
  const bool all = std::ranges::count(choices, SpawnChoice::leave) == 0;
  if (!all) return spawner_.spawn_part(entities, choices);
  const core::Result<ecs::EntityRange> range = spawner_.spawn_level();  // freed ranges are reused by ranges
  if (!range) return range.error();
  for (std::uint32_t i = 0; i < range->count; ++i) entities[i] = range->at(i);
  return core::Done{};
}

ecs::Entity LevelChange::follow(ecs::Entity entity) const {
  const auto found = std::ranges::lower_bound(removed, entity, {}, &Removed::entity);
  return found != removed.end() && found->entity == entity ? found->successor : entity;
}

core::Result<LevelChange> Level::replace(const Level& before) {
  const std::vector<resource::LevelMatch> matches = resource::match_levels(before.resource(), resource());
  const std::span<const std::uint32_t> parents = resource().level().parent_index;
  std::vector<ecs::Entity> successors(before.entities_.size());
  std::vector<bool> stays(before.entities_.size());
  std::vector<ecs::Entity> old(matches.size());
  std::vector<ecs::Entity> entities(matches.size());
  std::vector<SpawnChoice> choices(matches.size(), SpawnChoice::spawn);
  LevelChange change;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const bool orphan =
        parents[i] != resource::no_parent && choices[parents[i]] == SpawnChoice::leave && !entities[parents[i]];
    if (orphan) choices[i] = SpawnChoice::leave;
    if (matches[i].old == resource::no_parent) continue;
    old[i] = before.entities_[matches[i].old];
    if (!matches[i].unchanged) continue;
    choices[i] = SpawnChoice::leave;
    stays[matches[i].old] = true;
    if (!registry_->valid(old[i])) continue;
    entities[i] = old[i];
    ++change.kept;
  }
  // Everything that can fail comes first.
  if (core::Status spawned = spawn_changed(entities, choices); !spawned) return spawned.error();
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i].old != resource::no_parent) successors[matches[i].old] = entities[i];
  for (std::size_t i = 0; i < stays.size(); ++i)
    if (!stays[i] && registry_->valid(before.entities_[i]))
      change.removed.push_back({before.entities_[i], successors[i]});
  std::ranges::sort(change.removed, {}, &LevelChange::Removed::entity);
  spawner_.repoint(entities, old, choices);
  entities_ = std::move(entities);
  change.spawned = static_cast<std::uint32_t>(std::ranges::count(choices, SpawnChoice::spawn));
  return change;
}

}  // namespace mobula::server
