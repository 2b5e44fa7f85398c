#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/wire/entity_hash.hpp>
#include <tuple>
#include <vectors/mirror_json.hpp>

namespace mobula::test {
namespace {

struct ViewedEntity {
  ecs::Entity entity;
  ecs::PrototypeId prototype;
  bool owner;
  ecs::Tick tick;
  std::vector<std::uint32_t> words;
};

void add_known(const client::MirrorState& state, std::vector<ViewedEntity>& all) {
  for (const client::MirroredEntity& known : state.known) {
    if (!known.entity || known.lost) continue;
    const client::EntityVersions::Version newest = known.versions.newest();
    const std::uint32_t count = state.codecs.entity(known.prototype).words;
    all.push_back({known.entity, known.prototype, known.owner, newest.tick, {newest.words, newest.words + count}});
  }
}

void add_unmodified(const client::MirrorState& state, std::vector<ViewedEntity>& all) {
  for (std::uint32_t i = 0; i < state.level.here.size(); ++i) {
    if (!state.level.here[i]) continue;
    const ecs::Entity entity = state.level.copy->range().at(i);
    const ecs::PrototypeId prototype = state.level.prototypes[i];
    std::vector<std::uint32_t> words(state.codecs.entity(prototype).words);
    state.level.copy->words(entity.index, words.data());
    all.push_back({entity, prototype, false, state.level.tick, std::move(words)});
  }
}

Json row_json(const client::MirrorState& state, const ViewedEntity& viewed, ecs::PoolId pool,
              const std::uint32_t* words) {
  const wire::RowCodec& codec = *state.codecs.row(pool);
  const ecs::Pool& components = state.registry.pool(pool);
  const std::uint64_t seed = wire::row_seed(viewed.entity, wire::pool_key(components));
  const std::uint32_t count = viewed.owner ? codec.words() : codec.public_words();
  Json row{{"type", components.type().name},
           {"name", components.instance_name()},
           {"words", std::vector<std::uint32_t>(words, words + count)},
           {"hash", hash_text(wire::public_hash(codec, words, seed))}};
  if (count > codec.public_words()) row["owner_hash"] = hash_text(wire::owner_hash(codec, words, seed));
  return row;
}

// Returns the hash of all ships' values, by ascending index. Nothing if there is no ship.
std::optional<std::uint64_t> shown_hash(const client::Mirror& mirror) {
  core::Bytes values;
  const ecs::Registry& registry = mirror.registry();
  const ecs::PoolId ships = registry.find_pool(core::StringId32("Ship"), core::StringId32("Ship"));
  if (ships == ecs::Registry::no_pool) return {};
  const std::span<const std::uint32_t> there = registry.pool(ships).indices();
  std::vector<std::uint32_t> indices(there.begin(), there.end());
  std::ranges::sort(indices);
  for (const std::uint32_t index : indices) {
    const std::byte* const ship = registry.try_read(registry.entities().at(index), ships);
    values.insert(values.end(), ship, ship + registry.pool(ships).type().size);
  }
  if (values.empty()) return {};
  return core::hash64(values);
}

Json entity_json(const client::MirrorState& state, const ViewedEntity& viewed) {
  Json rows = Json::array();
  const std::uint32_t* words = viewed.words.data();
  for (const ecs::PoolId pool : state.registry.prototypes().pools(viewed.prototype)) {
    rows.push_back(row_json(state, viewed, pool, words));
    words += state.codecs.row(pool)->words();
  }
  const std::uint64_t hash = state.codecs.hash(viewed.entity, viewed.prototype, viewed.words.data(), viewed.owner);
  return {{"entity", {viewed.entity.index, viewed.entity.generation}},
          {"tick", viewed.tick},
          {"owner", viewed.owner},
          {"prototype", hash_text(state.codecs.prototype_hash(viewed.prototype))},
          {"hash", hash_text(hash)},
          {"rows", std::move(rows)}};
}

}  // namespace

std::string hash_text(std::uint64_t hash) { return core::format("{:016x}", hash); }

Json state_json(const client::Connection& connection) {
  const client::Mirror& mirror = *connection.mirror();
  Json state{{"tick", mirror.tick()},
             {"complete", connection.complete()},
             {"entities", mirror.size()},
             {"hash", hash_text(mirror.hash())}};
  if (const std::optional<std::uint64_t> shown = shown_hash(mirror)) state["shown"] = hash_text(*shown);
  return state;
}

Json entities_json(const client::Mirror& mirror) {
  std::vector<ViewedEntity> all;
  add_known(mirror.state(), all);
  add_unmodified(mirror.state(), all);
  std::ranges::sort(all, {},
                    [](const ViewedEntity& each) { return std::tuple(each.entity.index, each.entity.generation); });
  Json list = Json::array();
  for (const ViewedEntity& each : all) list.push_back(entity_json(mirror.state(), each));
  return list;
}

Json commands_json(const client::CommandLog& commands) {
  Json list = Json::array();
  for (std::uint32_t number = 1; number < commands.next(); ++number) {
    const client::CommandLog::Outcome outcome = commands.ran_in(number);
    const client::CommandLog::Entry* const command = commands.find(number);
    if (command != nullptr) list.push_back({number, command->tick, outcome.tick});
  }
  return list;
}

Json levels_json(const client::OfferedLevels& levels) {
  Json list = Json::array();
  for (const client::OfferedLevels::Offer& offer : levels.offers())
    list.push_back({offer.first_tick, offer.identity ? to_string(*offer.identity) : "", offer.level != nullptr});
  return list;
}

}  // namespace mobula::test
