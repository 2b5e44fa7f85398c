#include <algorithm>
#include <mobula/client/prediction/predicted_spawns.hpp>

namespace mobula::client {
namespace {

bool is_same_local(const PredictedSpawns::Local& a, const PredictedSpawns::Local& b) {
  return a.entity == b.entity && is_same_spawn(a.key, b.key);
}

bool contains(std::span<const PredictedSpawns::Local> all, const PredictedSpawns::Local& one) {
  return std::ranges::any_of(all, [&](const PredictedSpawns::Local& each) { return is_same_local(each, one); });
}

}  // namespace

void PredictedSpawns::on_matched(std::span<const MatchedSpawn> matched) {
  for (const MatchedSpawn& each : matched) {
    const auto known =
        std::ranges::find_if(locals_, [&](const Local& local) { return is_same_spawn(local.key, each.key); });
    if (known == locals_.end()) continue;
    notices_.push_back({SpawnNotice::Kind::matched, known->entity, each.real, each.key});
    locals_.erase(known);
  }
}

void PredictedSpawns::update(const PredictedSet& set) {
  std::swap(locals_, before_);
  locals_.clear();
  const std::vector<ecs::Entity>& alive = set.stepped().alive;
  for (auto each = alive.rbegin(); each != alive.rend() && set.is_local(*each); ++each)
    if (const auto* const key = set.registry().try_get<const engine::SpawnKey>(*each)) locals_.push_back({*each, *key});
  std::ranges::reverse(locals_);
  for (const Local& each : before_)
    if (!contains(locals_, each)) notices_.push_back({SpawnNotice::Kind::vanished, each.entity, {}, each.key});
  for (const Local& each : locals_)
    if (!contains(before_, each)) notices_.push_back({SpawnNotice::Kind::spawned, each.entity, {}, each.key});
}

void PredictedSpawns::clear() {
  for (const Local& each : locals_) notices_.push_back({SpawnNotice::Kind::vanished, each.entity, {}, each.key});
  locals_.clear();
}

}  // namespace mobula::client
