// Functions of PredictedWorld by pools. Rules in C++ do without them, so modules of rules do not contain this file.
#include <algorithm>
#include <mobula/prediction/predicted_world.hpp>

namespace mobula::prediction {

const ecs::Pool& PredictedWorld::smallest(std::span<const ecs::PoolId> pools) const {
  MOBULA_CHECK(!pools.empty(), "an iteration names its components");
  const auto size = [&](ecs::PoolId pool) { return context_.registry->pool(pool).size(); };
  return context_.registry->pool(*std::ranges::min_element(pools, {}, size));
}

void PredictedWorld::find_stepped(std::span<const ecs::PoolId> pools, std::vector<ecs::Entity>& found) const {
  found.clear();
  Gathered gathered(*context_.scratch);
  gather(smallest(pools), gathered);
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    const auto has = [&](ecs::PoolId pool) { return context_.registry->pool(pool).contains(gathered.at(i).index); };
    if (std::ranges::all_of(pools, has)) found.push_back(gathered.at(i));
  }
}

void PredictedWorld::find_visible(std::span<const ecs::PoolId> pools, std::vector<ecs::Entity>& found) const {
  found.clear();
  Gathered gathered(*context_.scratch);
  const ecs::Pool& least = smallest(pools);
  gather(least, gathered);
  if (const ecs::PoolId mirrored = mirrored_pool(least); mirrored != ecs::no_pool)
    gather_visible(context_.visible->pool(mirrored), gathered);
  gathered.close();
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    const auto has = [&](ecs::PoolId pool) { return try_read(gathered.at(i), pool) != nullptr; };
    if (std::ranges::all_of(pools, has)) found.push_back(gathered.at(i));
  }
}

const std::byte* PredictedWorld::try_read(ecs::Entity entity, ecs::PoolId pool) const {
  if (steps(entity)) return context_.registry->try_read(entity, pool);
  if (!is_mirrored(entity)) return nullptr;
  const ecs::PoolId mirrored = mirrored_pool(context_.registry->pool(pool));
  return mirrored == ecs::no_pool ? nullptr : context_.visible->try_read(entity, mirrored);
}

std::byte* PredictedWorld::try_write(ecs::Entity entity, ecs::PoolId pool) {
  return steps(entity) ? context_.registry->try_write(entity, pool) : nullptr;
}

ecs::Entity PredictedWorld::spawn_default(const Command& command, std::span<const ecs::PoolId> pools) {
  const engine::SpawnKey key{
      .tick = tick_, .player = command.player, .command = command.number, .ordinal = next_ordinal(command)};
  const ecs::Entity entity = context_.stepped != nullptr ? create_local() : context_.registry->create();
  if (!entity) return entity;
  for (const ecs::PoolId pool : pools) context_.registry->add_bytes(entity, pool);
  context_.registry->add(entity, key);
  note_spawned(command, entity, key.ordinal);
  return entity;
}

}  // namespace mobula::prediction
