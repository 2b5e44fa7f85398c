// One world: entities and components, the tick, the level, random numbers. Passed to every hook of a Game. Owned by the
// server; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/audit.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/index/name_table.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/game/entity_messages.hpp>
#include <mobula/server/game/events.hpp>
#include <mobula/server/game/level.hpp>
#include <mobula/server/game/zone_pack.hpp>
#include <mobula/server/interest/ghost.hpp>
#include <mobula/server/interest/viewer.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mobula::store {
class Store;
struct Facts;
struct SavedLevel;
}  // namespace mobula::store

namespace mobula::server {

class Rewind;

/// Settings of a world.
struct WorldConfig {
  std::shared_ptr<const reflect::Schema> schema;
  std::shared_ptr<const resource::Resource> level;  // null for an empty world
  resource::SpawnerTable spawners{};                // for the level's columns
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
  std::uint32_t entities_max = 1u << 20;  // entities at a time; the memory of a mirror grows with it
  ecs::OwnIndices own{};                  // indices of the entities that this world creates
  std::optional<ZoneRegion> zone{};       // a zone spawns only what the level has in its region
  std::optional<Region> level_region{};   // where a zone spawns the level; null if that is its region
  std::uint32_t incarnation = 0;          // 12 bits, part of all handles; differs between two runs of a saved world
};

/// Entities, components, tick and level of one world.
class World {
 public:
  /// Makes a world without spawning its level. Errors: those of registering the schema's components; "name collision"
  /// if two names of schema and level have the same hash.
  static core::Result<std::unique_ptr<World>> make(WorldConfig config);

  /// Spawns the level. Called by the server, before the first tick.
  core::Status spawn_level();
  /// Restores a saved world instead of spawning the level, which must be the saved world's. Entities keep their
  /// handles; the next tick is the one after the checkpoint. Returns one sentence per difference caused by a newer
  /// schema. Errors: those of Store::restore and Level::adopt.
  core::Result<std::vector<std::string>> restore(store::Store& store);
  /// Returns the world's part of a checkpoint, at the end of a tick. The server and the game add theirs.
  [[nodiscard]] store::Facts facts();
  /// Replaces the level by another version of it, completely or not at all. Unchanged entities keep the state that the
  /// game has given them. References to a removed entity follow to its successor, or become null without one:
  /// - fields of schema components, viewpoints of viewers, and entities of players;
  /// - children that the game has attached to it; without a successor they become roots and keep their place.
  ///
  /// A successor without a Relevance inherits it. Then calls `changed`, if given; removed entities exist until it
  /// returns. Static resources of the former version are removed. Errors: those of Level::bind and Level::replace,
  /// "name collision", "no level".
  core::Result<LevelChange> reload_level(std::shared_ptr<const resource::Resource> resource,
                                         const std::function<void(const LevelChange&)>& changed = {});
  /// Spawns a prefab that the level marks as spawnable. Returns its root, which is dead if a listener destroyed it.
  /// Errors: "unknown prefab", "too many entities".
  core::Result<ecs::Entity> spawn(std::string_view prefab, const resource::Placement* placement = nullptr);
  /// Packs a living entity and all its descendants for another world, in this process or elsewhere. They stay here.
  /// Components that a save leaves out are left out, and so are static resources; handles of other entities become
  /// null. Error: "too large" (resource/pack.hpp).
  core::Result<core::Bytes> pack(ecs::Entity root);
  /// Creates packed entities, which get new handles. Returns the root, whose parent was not packed. The game's spawners
  /// apply as for a level. The bytes are not trusted. A pack of an older schema is migrated as a level is.
  /// Errors create no entity: "invalid" for bytes without one, "too large" for more than 256 kinds of components. Also
  /// "too many entities", "name collision", and those of Resource::from_bytes and Spawner::bind. Pools stay open for
  /// component names that this world did not know.
  core::Result<ecs::Entity> unpack(core::ByteView packed);
  /// Packs entities with all below them as pack() does, for a zone beside this one: handles of other entities stay.
  core::Result<ZonePack> pack_for_zone(std::span<const ecs::Entity> roots);
  /// Creates packed entities of a zone beside this one, which keep their handles. Ghosts of them are replaced. Errors,
  /// which change nothing, are those of unpack(), "invalid" for another number of entities, and "handle in use".
  core::Status receive(const ZonePack& packed);
  /// Removes packed entities that a zone beside this one has. It may show them as ghosts. Their handles stay reserved.
  void give_up(std::span<const ecs::Entity> entities);
  /// Destroys a living entity and all its descendants. Does nothing for null.
  void destroy_tree(ecs::Entity root) {
    if (root) hierarchy_.destroy_tree(root);
  }

  /// Creates an entity that has these components, in one step. Error: "too many entities".
  template <class... Components>
  core::Result<ecs::Entity> create(Components... components) {
    const ecs::Entity entity = registry_.create(std::move(components)...);
    if (!entity) return full();
    return entity;
  }
  /// Destroys a living entity. Does nothing for null. Entities that have it as their Parent become roots: the server
  /// writes null into their Parents at the end of the tick. destroy_tree() destroys them too.
  void destroy(ecs::Entity entity) {
    if (entity) registry_.destroy(entity);
  }
  /// Marks the changes of this tick to a living entity as a jump: clients show the values before and after it, and
  /// nothing between. For teleports. Counts in the entity's Cuts, which the first call adds.
  void cut(ecs::Entity entity);
  /// Calls `function` for each entity that has all of these components: each<A, const B>([](A&, const B&) {}). Access
  /// through `A` counts as a write. If the first parameter is an ecs::Entity, it gets the handle. The function may
  /// create and destroy entities, and add and remove components, its own entity's and others'. Each entity that matches
  /// from begin to end is visited once. References that the function was given are valid until it changes a pool.
  template <class... Components, class Function>
  void each(Function&& function) {
    registry_.view<Components...>().each(std::forward<Function>(function));
  }
  /// Ends a tick: clears the structural change log and begins the next change tick. With asserts on, it asserts that no
  /// component was written without its change tick. Called by the server. Fails a check in code of the game.
  void end_tick();

  [[nodiscard]] ecs::Registry& registry() { return registry_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }
  /// Returns the zone that this world is. Null if it is a world of its own. Entities of other zones near its region are
  /// ghosts here, which the systems of the schedule leave out.
  [[nodiscard]] const std::optional<ZoneRegion>& zone() const { return config_.zone; }
  /// Replaces the region of the zone. Called by the server.
  void set_region(const Region& region) {
    if (config_.zone) config_.zone->region = region;
  }
  /// Returns whether an entity is one of another zone, so that only that zone may change it.
  [[nodiscard]] bool is_ghost(ecs::Entity entity) const { return registry_.entities().is_ghost(entity); }
  /// Returns whether an entity is this world's own and has no living parent. Then it crosses to other zones by itself.
  [[nodiscard]] bool is_own_root(ecs::Entity entity) const;
  /// Returns for how many ticks nothing came from the zone of a ghost, which stands still meanwhile. The usual result
  /// is below 5. Fails a check for an entity that is no ghost.
  [[nodiscard]] ecs::Tick ghost_age(ecs::Entity ghost) const;
  /// Notes that a tick of another zone has come. Called by the server.
  void note_heard(std::uint32_t zone) { heard_[zone] = tick(); }
  /// Returns parents, children and WorldTransforms. The server updates them after spawning the level and after each
  /// tick of the game. A game that needs WorldTransforms of the current tick calls update() itself.
  [[nodiscard]] hierarchy::Hierarchy& hierarchy() { return hierarchy_; }
  [[nodiscard]] const reflect::Schema& schema() const { return *config_.schema; }
  [[nodiscard]] const std::shared_ptr<const reflect::Schema>& shared_schema() const { return config_.schema; }
  /// Returns the resource of the level; null without a level. Valid until a reload.
  [[nodiscard]] const resource::Resource* level() const { return level_ ? &level_->resource() : nullptr; }
  /// Returns the first tick whose step reads the present level. 0 for the world's first level.
  [[nodiscard]] ecs::Tick level_first_tick() const { return level_first_tick_; }
  /// Returns a number that changes with each reload of the level.
  [[nodiscard]] std::uint32_t level_version() const { return level_version_; }
  /// Returns one handle per entity of the level's file (Level::entities).
  [[nodiscard]] std::span<const ecs::Entity> level_entities() const {
    return level_ ? level_->entities() : std::span<const ecs::Entity>();
  }
  /// Returns the range of the level (Level::range); empty without a level.
  [[nodiscard]] ecs::EntityRange level_range() const { return level_ ? level_->range() : ecs::EntityRange{}; }
  /// Returns one sentence per difference between the schema that the level was compiled with and the current one.
  [[nodiscard]] std::span<const std::string> level_notes() const;
  /// Returns the texts of name hashes: component types of the schema, and all names of the level.
  [[nodiscard]] const index::NameTable& names() const { return names_; }
  /// Returns the events that are sent to clients at the end of the current tick.
  [[nodiscard]] Events& events() { return events_; }
  /// Returns the messages to entities. Game::receive gets them where the entity is: here, or in another zone.
  [[nodiscard]] EntityMessages& messages() { return messages_; }
  /// Returns the viewer of a player or spectator, from the call of Game::join until after Game::leave. Checks that
  /// there is such a player.
  [[nodiscard]] Viewer& viewer(std::uint32_t player);
  /// Returns the same, or null if there is no such player.
  [[nodiscard]] Viewer* try_viewer(std::uint32_t player);
  /// Adds the viewer of a player with its entity, or of a spectator. Replaces an earlier one. Called by the server.
  void add_viewer(std::uint32_t player, ecs::Entity entity = ecs::null_entity, bool spectator = false);
  /// Removes a viewer, if there is one. Called by the server.
  void remove_viewer(std::uint32_t player);
  /// Returns the living entity of a player. Null if it was destroyed, if the player has none, or if there is no such
  /// player.
  [[nodiscard]] ecs::Entity player_entity(std::uint32_t player) const;
  /// Gives a player another entity instead of the one from join(), such as a new avatar after a death. Null leaves the
  /// player without one. Takes effect at once, also for a disconnected player:
  /// - hooks and commands receive it as Player::entity; a rejoin, a second log-in and a restart continue with it;
  /// - the client is sent it at the end of the tick;
  /// - viewpoints that name the former entity name the new one.
  ///
  /// The former entity is not destroyed, and its Relevance is not copied. Checks that the player is in the game and
  /// the entity is alive.
  void set_player_entity(std::uint32_t player, ecs::Entity entity);
  /// Disconnects a player or spectator at the end of the tick. The client receives the reason, and its rejoin tokens
  /// are void. Ignored if there is no such player.
  void kick(std::uint32_t player, std::string reason) { kicks_.push_back({player, std::move(reason), {}}); }
  /// Kicks a player and bans their account for `seconds`; 0 bans it for ever. A player without an account is kicked
  /// only.
  void ban(std::uint32_t player, std::string reason, std::uint64_t seconds) {
    kicks_.push_back({player, std::move(reason), seconds});
  }
  /// Sends a player to another world of the cluster, at the end of the tick. Game::may_leave may refuse it, and
  /// Game::pack adds data of the game. The player leaves this world with its entity and all below it. Reasons against
  /// it are logged, such as an unknown world, or a server that is no node of a cluster.
  void send_player(std::uint32_t player, std::string world) { departures_.push_back({player, std::move(world)}); }
  struct Departure {
    std::uint32_t player = 0;
    std::string world;
  };
  /// Returns and clears the requested departures. Called by the server.
  [[nodiscard]] std::vector<Departure> take_departures() { return std::exchange(departures_, {}); }
  struct Kick {
    std::uint32_t player = 0;
    std::string reason;
    std::optional<std::uint64_t> ban_seconds;
  };
  /// Returns and clears the requested kicks. Called by the server.
  [[nodiscard]] std::vector<Kick> take_kicks() { return std::exchange(kicks_, {}); }
  /// Returns the past as clients saw it. Checks that Game::rewind() turned it on. To use it, include
  /// mobula/server/rewind/rewind.hpp.
  [[nodiscard]] Rewind& rewind() {
    MOBULA_CHECK(rewind_ != nullptr, "the past is not kept: Game::rewind() returns nothing");
    return *rewind_;
  }
  /// Called by the server.
  void set_rewind(Rewind* rewind) { rewind_ = rewind; }
  /// Returns the current tick, counted from 1. Tick 1 contains the level as it was spawned.
  [[nodiscard]] ecs::Tick tick() const { return registry_.tick(); }
  /// Returns the tick that is `ticks` after the current one, at most 2^32 - 1. That tick is beyond the world's last
  /// one, ecs::ticks_max, and never comes. A plain sum could wrap to a tick of the past.
  [[nodiscard]] ecs::Tick tick_after(ecs::Tick ticks) const {
    constexpr ecs::Tick never = std::numeric_limits<ecs::Tick>::max();
    return ticks < never - tick() ? tick() + ticks : never;
  }
  [[nodiscard]] std::uint32_t ticks_per_second() const { return config_.ticks_per_second; }
  [[nodiscard]] float seconds_per_tick() const { return 1.0f / static_cast<float>(config_.ticks_per_second); }
  /// Returns the random numbers of the game, whose state is saved with the world.
  [[nodiscard]] core::Random& random() { return random_; }
  /// Returns the seed of the random numbers of steps, which clients are sent. It does not reveal random().
  [[nodiscard]] std::uint64_t prediction_seed() const { return prediction_seed_; }
  /// Returns a random number from `low` up to, but not including, `high`.
  [[nodiscard]] float random(float low, float high) { return random_.uniform(low, high); }

 private:
  [[nodiscard]] core::Error full() const;
  [[nodiscard]] std::shared_ptr<const store::SavedLevel> level_to_save() const;
  core::Result<resource::Spawner> bind_pack(core::ByteView packed);
  std::vector<ecs::Entity> own_tree(ecs::Entity root);
  [[nodiscard]] core::Result<std::vector<ecs::Entity>> ghosts_of(std::span<const ecs::Entity> entities) const;
  [[nodiscard]] core::Status names_fit(const resource::Resource& resource) const;
  void keep_names(const resource::Resource& resource);
  void destroy_outside(const Region& region);
  void follow(const LevelChange& change);
  void destroy_removed(const LevelChange& change);
  static std::uint64_t hash_of_seed(std::uint64_t seed);
  explicit World(WorldConfig config)
      : config_(std::move(config)),
        random_(config_.seed),
        prediction_seed_(hash_of_seed(config_.seed)),
        registry_(
            {.entities = {.incarnation = config_.incarnation, .entities_max = config_.entities_max, .own = config_.own},
             .pools = {}}) {}

  WorldConfig config_;
  core::Random random_;
  std::uint64_t prediction_seed_;
  ecs::Registry registry_;
  hierarchy::Hierarchy hierarchy_{registry_};
  ecs::ChangeTickAudit audit_{registry_};
  index::NameTable names_;
  std::optional<Level> level_;
  std::shared_ptr<const store::SavedLevel> saved_level_;  // the level in its saved form; null until first needed
  Events events_;
  EntityMessages messages_;
  std::map<std::uint32_t, Viewer> viewers_;   // by player
  std::map<std::uint32_t, ecs::Tick> heard_;  // other zones, and when the last tick of each has come
  std::uint32_t level_version_ = 0;
  ecs::Tick level_first_tick_ = 0;
  std::vector<Kick> kicks_;
  std::vector<Departure> departures_;
  Rewind* rewind_ = nullptr;  // null unless the past is kept
};

}  // namespace mobula::server
