#include <mobula/core/bytes.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/prediction/predicted_world.hpp>

namespace mobula::prediction {
namespace {

// Kinds of keys of random numbers, so that a handle and a number of the game are different keys.
enum class KeyKind : std::uint32_t { given, handle, spawn_key };

core::Random keyed_random(std::uint64_t seed, ecs::Tick tick, KeyKind kind, std::uint64_t high, std::uint64_t low) {
  const std::array<std::uint64_t, 3> words{std::uint64_t{tick} << 32 | static_cast<std::uint32_t>(kind), high, low};
  std::array<std::byte, sizeof(words)> bytes{};
  for (std::size_t i = 0; i < words.size(); ++i) core::store(bytes.data() + i * sizeof(std::uint64_t), words[i]);
  return core::Random(core::hash64(bytes, seed));
}

// A pool of less than this share of the stepped entities is small: each entity of it costs a binary search.
constexpr std::size_t small_pool_share = 8;

bool index_before(ecs::Entity a, ecs::Entity b) { return a.index < b.index; }

}  // namespace

void PredictedWorld::Gathered::close() {
  sort_by_index(std::span(list_).subspan(first_));
  end_ = list_.size();
}

ecs::PoolId PredictedWorld::mirrored_pool(const ecs::Pool& pool) const {
  return context_.visible == nullptr ? ecs::no_pool : context_.visible->find_pool(pool.type().id, pool.instance());
}

// Looks through the pool if it is small, as iterations may be nested. Else through the stepped entities, which ascend.
void PredictedWorld::gather(const ecs::Pool& pool, Gathered& gathered) const {
  const bool steps_all = context_.stepped == nullptr && context_.visible == nullptr;
  if (context_.stepped == nullptr || pool.size() < context_.stepped->alive.size() / small_pool_share) {
    for (const std::uint32_t index : pool.indices()) {
      const ecs::Entity entity = context_.registry->entities().at(index);
      if (steps_all || steps(entity)) gathered.add(entity);
    }
  } else {
    for (const ecs::Entity entity : context_.stepped->alive)
      if (pool.contains(entity.index)) gathered.add(entity);
  }
  gathered.close();
}

void PredictedWorld::gather_visible(const ecs::Pool& pool, Gathered& gathered) const {
  for (const std::uint32_t index : pool.indices()) {
    const ecs::Entity entity = context_.visible->entities().at(index);
    if (is_mirrored(entity)) gathered.add(entity);
  }
}

bool PredictedWorld::is_stepped(ecs::Entity entity) const {
  const std::vector<ecs::Entity>& alive = context_.stepped->alive;
  const auto found = std::ranges::lower_bound(alive, entity, index_before);
  return found != alive.end() && *found == entity;
}

core::Random PredictedWorld::random(std::uint64_t key) const {
  return keyed_random(context_.seed, tick_, KeyKind::given, 0, key);
}

core::Random PredictedWorld::random(ecs::Entity entity) const {
  const ecs::Registry& registry = *context_.registry;
  if (const engine::SpawnKey* const key = registry.try_get<const engine::SpawnKey>(entity))
    return keyed_random(context_.seed, tick_, KeyKind::spawn_key, std::uint64_t{key->tick} << 32 | key->command,
                        std::uint64_t{key->player} << 32 | key->ordinal);
  return keyed_random(context_.seed, tick_, KeyKind::handle, entity.generation, entity.index);
}

// Commands run one after the other, so the last entry of a command is near the end.
std::size_t PredictedWorld::spawned_by(const Command& command) const {
  const std::vector<Spawned>& all = *context_.spawned;
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Spawned& each) {
    return each.player == command.player && each.command == command.number;
  });
  return last == all.rend() ? 0 : last->ordinal + std::size_t{1};
}

std::uint8_t PredictedWorld::next_ordinal(const Command& command) const {
  const std::size_t count = spawned_by(command);
  MOBULA_CHECK(count < spawns_max, core::format("command {} spawns more than {} entities", command.number, spawns_max));
  return static_cast<std::uint8_t>(count);
}

void PredictedWorld::note_spawned(const Command& command, ecs::Entity entity, std::uint8_t ordinal) {
  context_.spawned->push_back({entity, command.player, command.number, ordinal});
  if (context_.stepped != nullptr) context_.stepped->alive.push_back(entity);
}

ecs::Entity PredictedWorld::create_local() {
  SteppedEntities& stepped = *context_.stepped;
  MOBULA_ASSERT(stepped.alive.empty() || stepped.alive.back().index < stepped.next_local.index,
                "handles of spawned entities are greater than those of all others");
  const ecs::Entity entity = stepped.next_local;
  if (!context_.registry->create_given(entity)) return ecs::null_entity;
  ++stepped.next_local.index;
  return entity;
}

void PredictedWorld::destroy(ecs::Entity entity) {
  if (!steps(entity)) return;
  if (context_.stepped == nullptr) return context_.registry->destroy(entity);
  std::vector<ecs::Entity>& alive = context_.stepped->alive;
  alive.erase(std::ranges::lower_bound(alive, entity, index_before));
}

}  // namespace mobula::prediction
