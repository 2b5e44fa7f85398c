#include <algorithm>
#include <mobula/client/prediction/wanted_entities.hpp>
#include <ranges>
#include <utility>

namespace mobula::client {
namespace {

// Returns whether the mirror knows that an entity has ended: it was destroyed, or a later one has its index.
bool has_ended(const MirrorState& state, ecs::Entity entity) {
  if (state.registry.entities().at(entity.index).generation > entity.generation) return true;
  const std::uint32_t id = state.former.find(entity.index);
  if (id == wire::ShownIds::none) return false;
  const MirroredEntity& known = state.known[id];
  return known.former == entity ? known.destroyed : known.former.generation > entity.generation;
}

}  // namespace

void WantedEntities::choose(ecs::Entity entity, bool predicted, std::uint32_t mirror_number) {
  if (std::exchange(chosen_of_, mirror_number) != mirror_number) chosen_.clear();
  std::erase(chosen_, entity);
  std::erase(spawned_, entity);
  if (predicted) chosen_.push_back(entity);
}

void WantedEntities::begin_mirror(std::uint32_t mirror_number) {
  if (chosen_of_ != mirror_number) chosen_.clear();
  spawned_.clear();
}

void WantedEntities::add_spawned(ecs::Entity entity) {
  if (std::ranges::find(spawned_, entity) == spawned_.end()) spawned_.push_back(entity);
}

void WantedEntities::list(const Mirror& mirror, ecs::Entity own, std::vector<ecs::Entity>& wanted) {
  forget_ended(mirror);
  wanted.clear();
  if (own) wanted.push_back(own);
  for (const std::vector<ecs::Entity>* const each : {&spawned_, &chosen_})
    std::ranges::copy_if(*each, std::back_inserter(wanted), [&](ecs::Entity entity) { return entity != own; });
}

void WantedEntities::forget_ended(const Mirror& mirror) {
  std::erase_if(spawned_, [&](ecs::Entity each) { return !mirror.registry().valid(each); });
  std::size_t absent = 0;
  for (ecs::Entity& each : std::views::reverse(chosen_)) {
    if (mirror.registry().valid(each)) continue;
    if (has_ended(mirror.state(), each) || ++absent > absent_max) each = ecs::null_entity;
  }
  std::erase(chosen_, ecs::null_entity);
}

}  // namespace mobula::client
