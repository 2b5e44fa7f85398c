#include <algorithm>
#include <array>
#include <mobula/core/bytes.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/running_code.hpp>
#include <mobula/core/text.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/resource/entity_tree.hpp>
#include <mobula/resource/pack.hpp>
#include <mobula/server/game/entity_references.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/own_root.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <mobula/server/store/store.hpp>
#include <unordered_set>

namespace mobula::server {
namespace {

core::Status add_names(const reflect::Schema& schema, index::NameTable& names) {
  for (const reflect::Component& component : schema.components())
    if (const core::Result<core::StringId32> added = names.add(component.name); !added) return added.error();
  return core::Done{};
}

core::Status add_names(const resource::Resource& level, index::NameTable& names) {
  for (const std::string_view name : level.names())
    if (const core::Result<core::StringId32> added = names.add(name); !added) return added.error();
  return core::Done{};
}

void check_is_server(const char* function) {
  MOBULA_CHECK(core::running_code().empty(),
               core::format("World::{} is called by the server, after the code of the game", function));
}

}  // namespace

core::Result<std::unique_ptr<World>> World::make(WorldConfig config) {
  std::unique_ptr<World> world(new World(std::move(config)));
  const WorldConfig& made = world->config_;
  if (core::Status registered = reflect::register_components(world->registry_, *made.schema); !registered)
    return registered.error();
  if (core::Status named = add_names(*made.schema, world->names_); !named) return named.error();
  if (made.level == nullptr) return world;
  if (core::Status named = add_names(*made.level, world->names_); !named) return named.error();
  core::Result<Level> level = Level::bind(world->registry_, *made.schema, made.level, made.spawners);
  if (!level) return level.error();
  world->level_.emplace(std::move(*level));
  return world;
}

// The seed of this hash sets it apart from other hashes of the world's seed.
std::uint64_t World::hash_of_seed(std::uint64_t seed) {
  constexpr std::uint64_t prediction = 0x7072'6564'6963'7431;  // "predict1"
  std::array<std::byte, sizeof(seed)> bytes{};
  core::store(bytes.data(), seed);
  return core::hash64(bytes, prediction);
}

core::Status World::spawn_level() {
  check_is_server("spawn_level");
  if (!level_) return core::Done{};
  if (core::Status spawned = level_->spawn(); !spawned) return spawned;
  hierarchy_.update();
  if (config_.zone) destroy_outside(config_.level_region.value_or(config_.zone->region));
  return core::Done{};
}

// Each zone spawns the level. An entity stays in the zone that has the place of its root.
void World::destroy_outside(const Region& region) {
  std::vector<ecs::Entity> outside;
  registry_.view<const hierarchy::WorldTransform>().each([&](ecs::Entity entity, const auto& at) {
    if (!region.contains(at.position) && is_own_root(entity)) outside.push_back(entity);
  });
  for (const ecs::Entity root : outside) hierarchy_.destroy_tree(root);
  hierarchy_.update();
}

void World::cut(ecs::Entity entity) {
  engine::Cuts* cuts = registry_.try_get<engine::Cuts>(entity);
  if (cuts == nullptr) cuts = &registry_.add<engine::Cuts>(entity);
  ++cuts->count;
}

core::Result<std::vector<std::string>> World::restore(store::Store& store) {
  const store::Facts& facts = store.saved_facts();
  MOBULA_ASSERT((facts.level != nullptr) == level_.has_value(),
                "a world is made with the level that it was saved with");
  if (level_)
    if (core::Status adopted = level_->adopt(facts.level->range, facts.level->entities); !adopted)
      return adopted.error();
  core::Result<std::vector<std::string>> notes = store.restore(registry_);
  if (!notes) return notes;
  saved_level_ = facts.level;
  random_ = core::Random(facts.random);
  hierarchy_.update();
  return notes;
}

store::Facts World::facts() {
  if (level_ && saved_level_ == nullptr) saved_level_ = level_to_save();
  store::Facts facts;
  facts.tick = tick();
  facts.random = random_.state();
  facts.level = saved_level_;
  return facts;
}

std::shared_ptr<const store::SavedLevel> World::level_to_save() const {
  if (!level_) return nullptr;
  const resource::Resource& resource = level_->resource();
  const resource::EntityTree tree(resource.level(), resource, false);
  auto saved = std::make_shared<store::SavedLevel>();
  saved->file.assign(resource.bytes().begin(), resource.bytes().end());
  saved->range = level_->range();
  saved->entities.assign(level_->entities().begin(), level_->entities().end());
  for (std::uint32_t i = 0; i < resource.level().num_entities; ++i) saved->paths.push_back(tree.path(0, i));
  saved->names.assign(resource.names().begin(), resource.names().end());
  return saved;
}

core::Result<LevelChange> World::reload_level(std::shared_ptr<const resource::Resource> resource,
                                              const std::function<void(const LevelChange&)>& changed) {
  if (!level_) return core::Error{"no level", "the world was started without a level; restart the server with --level"};
  if (resource == nullptr) return core::Error{"no level", "no resource was given; a level is replaced by another one"};
  if (core::Status fit = names_fit(*resource); !fit) return fit.error();
  core::Result<Level> next = Level::bind(registry_, schema(), std::move(resource), config_.spawners);
  if (!next) return next.error();
  core::Result<LevelChange> change = next->replace(*level_);
  if (!change) return change;
  level_.emplace(std::move(*next));
  keep_names(level_->resource());
  saved_level_ = nullptr;
  level_first_tick_ = tick();
  ++level_version_;
  follow(*change);
  if (changed) changed(*change);
  destroy_removed(*change);
  hierarchy_.update();
  return change;
}

core::Status World::names_fit(const resource::Resource& resource) const {
  index::NameTable names = names_;
  return add_names(resource, names);
}

// Adds names that fitted before the spawn. Listeners of the spawn may have added others since. Former names stay:
// entities of the game may have them.
void World::keep_names(const resource::Resource& resource) {
  for (const std::string_view name : resource.names()) static_cast<void>(names_.add(name));
}

// Repoints all that refers to removed entities, but for the Parents of their children.
void World::follow(const LevelChange& change) {
  follow_references(registry_, schema(), change);
  for (const auto& [entity, successor] : change.removed) {
    const auto* const relevance = std::as_const(registry_).try_get<const Relevance>(entity);
    if (relevance == nullptr || !successor || registry_.has<Relevance>(successor)) continue;
    registry_.add<Relevance>(successor, Relevance(*relevance));
  }
  for (auto& [player, viewer] : viewers_) viewer.follow([&](ecs::Entity entity) { return change.follow(entity); });
}

// Children that the game has attached to a removed entity move to its successor, or stay where they are without one.
// The game may have destroyed any entity since, and its listeners may do so on the way.
void World::destroy_removed(const LevelChange& change) {
  std::vector<ecs::Entity> all;
  for (const auto& [entity, successor] : change.removed)
    if (registry_.valid(entity)) all.push_back(entity);
  for (const ecs::Entity child : hierarchy_.children(all)) {
    if (std::ranges::binary_search(all, child)) continue;
    const auto* const parent = registry_.try_get<const engine::Parent>(child);
    if (parent == nullptr) continue;
    const ecs::Entity successor = change.follow(parent->entity);
    const bool inherited = successor && hierarchy_.set_parent(child, successor).ok();
    if (!inherited) static_cast<void>(hierarchy_.set_parent_in_place(child, ecs::null_entity));
  }
  std::erase_if(all, [this](ecs::Entity entity) { return !registry_.valid(entity); });
  registry_.destroy(all);
}

bool World::is_own_root(ecs::Entity entity) const { return server::is_own_root(registry_, entity); }

ecs::Tick World::ghost_age(ecs::Entity ghost) const {
  const auto* const content = registry_.try_get<const Ghost>(ghost);
  MOBULA_CHECK(content != nullptr, "entity " + to_string(ghost) + " is no ghost");
  const auto heard = heard_.find(content->neighbour);
  return tick() - (heard != heard_.end() ? heard->second : 0);
}

core::Result<core::Bytes> World::pack(ecs::Entity root) { return resource::pack(registry_, schema(), own_tree(root)); }

// Another zone has the ghosts.
std::vector<ecs::Entity> World::own_tree(ecs::Entity root) {
  std::vector<ecs::Entity> tree = hierarchy_.subtree(root);
  std::erase_if(tree, [this](ecs::Entity entity) { return is_ghost(entity); });
  return tree;
}

core::Result<ZonePack> World::pack_for_zone(std::span<const ecs::Entity> roots) {
  ZonePack pack;
  for (const ecs::Entity root : roots) {
    const std::vector<ecs::Entity> tree = own_tree(root);
    pack.entities.insert(pack.entities.end(), tree.begin(), tree.end());
  }
  core::Result<core::Bytes> bytes = resource::pack(registry_, schema(), pack.entities, &pack.others);
  if (!bytes) return bytes.error();
  pack.bytes = std::move(*bytes);
  return pack;
}

core::Result<resource::Spawner> World::bind_pack(core::ByteView packed) {
  core::Result<std::shared_ptr<const resource::Resource>> loaded = resource::Resource::from_bytes(packed);
  if (!loaded) return loaded.error();
  const resource::EntityResource& packs = (*loaded)->level();
  if (packs.num_entities == 0) return core::Error{"invalid", "the pack has no entity"};
  if (!(*loaded)->prefab_names().empty()) return core::Error{"invalid", "the pack has prefabs, as levels have"};
  // A pool stays open, and a registry has 4096: bytes that are not trusted may not open them all.
  if (packs.columns.size() > resource::pack_columns_max)
    return core::Error{"too large", core::format("the pack has {} kinds of components; the maximum is {}",
                                                 packs.columns.size(), resource::pack_columns_max)};
  if (core::Status fit = names_fit(**loaded); !fit) return fit.error();
  return resource::Spawner::bind(registry_, schema(), std::move(*loaded), config_.spawners);
}

core::Result<ecs::Entity> World::unpack(core::ByteView packed) {
  core::Result<resource::Spawner> spawner = bind_pack(packed);
  if (!spawner) return spawner.error();
  // One by one: a range of a size that never comes again would use up indices.
  std::vector<ecs::Entity> entities(spawner->resource().level().num_entities);
  const std::vector<resource::SpawnChoice> all(entities.size(), resource::SpawnChoice::spawn);
  if (core::Status spawned = spawner->spawn_part(entities, all); !spawned) return spawned.error();
  keep_names(spawner->resource());
  return entities.front();
}

// Returns the ghosts in whose place entities of another zone can be created. One of them may be of an entity that had
// the index before.
core::Result<std::vector<ecs::Entity>> World::ghosts_of(std::span<const ecs::Entity> entities) const {
  const ecs::EntityPool& pool = registry_.entities();
  std::vector<ecs::Entity> ghosts;
  std::unordered_set<std::uint32_t> indices;
  for (const ecs::Entity entity : entities) {
    const ecs::Entity present = pool.at(entity.index);
    const bool replaces = pool.is_ghost(present) && (present == entity || (entity && !pool.is_own(entity.index)));
    if (replaces) ghosts.push_back(present);
    if (!indices.insert(entity.index).second || !(replaces || pool.can_receive(entity)))
      return core::Error{"handle in use", "entity " + to_string(entity) + " cannot exist in this world"};
  }
  return ghosts;
}

core::Status World::receive(const ZonePack& packed) {
  core::Result<resource::Spawner> spawner = bind_pack(packed.bytes);
  if (!spawner) return spawner.error();
  std::vector<ecs::Entity> named = packed.entities;
  named.insert(named.end(), packed.others.begin(), packed.others.end());
  if (const std::uint32_t packs = spawner->resource().level().num_entities; packs != named.size())
    return core::Error{"invalid", core::format("the pack has {} entities, and {} handles", packs, named.size())};
  const core::Result<std::vector<ecs::Entity>> ghosts = ghosts_of(packed.entities);
  if (!ghosts) return ghosts.error();
  registry_.destroy(*ghosts);
  if (core::Status received = spawner->receive(named, packed.entities.size()); !received) return received;
  keep_names(spawner->resource());
  return core::Done{};
}

// All are ghosts before the first one ends: its listeners may destroy others, which live on elsewhere.
void World::give_up(std::span<const ecs::Entity> entities) {
  ecs::Guests guests(registry_);
  for (const ecs::Entity entity : entities)
    if (registry_.valid(entity)) guests.set_ghost(entity, true);
  for (const ecs::Entity entity : entities) guests.note_abroad(entity);
  for (const ecs::Entity entity : entities)
    if (registry_.valid(entity)) registry_.destroy(entity);
}

core::Error World::full() const {
  return {
      "too many entities",
      core::format("the world is full: all of its {} entities exist; start the server with a greater --entities-max",
                   registry_.entities().config().entities_max)};
}

core::Result<ecs::Entity> World::spawn(std::string_view prefab, const resource::Placement* placement) {
  if (!level_)
    return core::Error{"unknown prefab", "the world has no level, and so no prefabs; restart the server with --level"};
  const core::Result<ecs::EntityRange> spawned = level_->spawner().spawn_prefab(prefab, placement);
  if (!spawned && std::string_view(spawned.error().reason) == "unknown prefab")
    return core::Error{"unknown prefab",
                       core::format("the level has no spawnable prefab '{}'", core::shown(prefab, 100))};
  if (!spawned) return spawned.error();
  return spawned->at(0);
}

std::span<const std::string> World::level_notes() const {
  if (!level_) return {};
  return level_->spawner().notes();
}

void World::add_viewer(std::uint32_t player, ecs::Entity entity, bool spectator) {
  check_is_server("add_viewer");
  viewers_.insert_or_assign(player, Viewer(player, entity, spectator));
}

void World::remove_viewer(std::uint32_t player) {
  check_is_server("remove_viewer");
  viewers_.erase(player);
}

Viewer& World::viewer(std::uint32_t player) {
  Viewer* const found = try_viewer(player);
  MOBULA_CHECK(found != nullptr, "number " + std::to_string(player) + " is no player or spectator: it has no viewer");
  return *found;
}

Viewer* World::try_viewer(std::uint32_t player) {
  const auto found = viewers_.find(player);
  return found == viewers_.end() ? nullptr : &found->second;
}

ecs::Entity World::player_entity(std::uint32_t player) const {
  const auto found = viewers_.find(player);
  const bool alive = found != viewers_.end() && registry_.valid(found->second.entity());
  return alive ? found->second.entity() : ecs::null_entity;
}

void World::set_player_entity(std::uint32_t player, ecs::Entity entity) {
  Viewer* const found = try_viewer(player);
  MOBULA_CHECK(found != nullptr && !found->is_spectator(),
               "number " + std::to_string(player) + " is no player in the game");
  MOBULA_CHECK(!entity || registry_.valid(entity), "the new entity " + to_string(entity) + " of a player is dead");
  found->set_entity(entity);
}

// Kicks requested by hooks while other kicks are handled wait for the next tick.
void World::end_tick() {
  check_is_server("end_tick");
  events_.clear();
#ifdef MOBULA_ASSERTS
  for (const ecs::UnmarkedBlock& block : audit_.run())
    MOBULA_ASSERT(false, "a kept reference was written through: " + to_string(block, registry_));
#endif
  registry_.clear_journal();
  registry_.set_tick(registry_.tick() + 1);
}

}  // namespace mobula::server
