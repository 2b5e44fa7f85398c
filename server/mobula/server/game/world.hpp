// One world: entities and components, the tick, the level it was made from, and chance.
// Handed to every hook of a Game. Owned by the server; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/audit.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/index/name_table.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/game/events.hpp>
#include <mobula/server/game/level.hpp>
#include <mobula/server/interest/viewer.hpp>
#include <mobula/server/store/store.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mobula::server {

struct WorldConfig {
  std::shared_ptr<const reflect::Schema> schema;
  std::shared_ptr<const resource::Resource> level;  // null: the world starts empty
  resource::SpawnerTable spawners{};                // of the level's columns
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
  std::uint32_t entities_max = 1u << 20;  // at most this many entities, and a mirror's memory by it
  std::uint32_t incarnation = 0;          // of 12 bits, in all handles: never the same for two runs of a saved world
};

class World {
 public:
  // Fails if the schema's components cannot be registered. Also "name collision": the level names something whose hash
  // is that of another name.
  static core::Result<std::unique_ptr<World>> make(WorldConfig config);

  // Spawns the level. Before the first tick.
  core::Status spawn_level();
  // Instead of spawning the level, which must be the one that the saved world had: all is as it was saved, with the
  // handles of then, in the tick after. Gives what is not as it was, as the schema has moved on, in sentences. Reasons:
  // those of Store::restore and of Level::adopt.
  core::Result<std::vector<std::string>> restore(store::Store& store);
  // Of the world itself, at the end of a tick: the rest is the server's and the game's.
  [[nodiscard]] store::Facts facts();
  // Replaces the level by another version of it, whole or not at all: what is the same stays as it is, with all that
  // the game has done to it; what the game has put below something that is replaced goes over to what replaces it.
  // Static resources of the former version are gone. Reasons: those of Level::bind and Level::replace, "name
  // collision", "no level".
  core::Result<LevelChange> reload_level(std::shared_ptr<const resource::Resource> resource);
  // Spawns a prefab that the level marks as spawnable; gives its root. Reasons: "unknown prefab", "too many entities".
  core::Result<ecs::Entity> spawn(std::string_view prefab, const resource::Placement* placement = nullptr);
  // Destroys an entity and all that has it, directly or not, as its Parent.
  void destroy_tree(ecs::Entity root) { hierarchy_.destroy_tree(root); }

  /// Creates an entity that has these components. Reason: "too many entities".
  template <class... Components>
  core::Result<ecs::Entity> create(Components... components) {
    const ecs::Entity entity = registry_.create();
    if (!entity) return core::Error{"too many entities", "the world has no room for another entity"};
    (registry_.add<Components>(entity, std::move(components)), ...);
    return entity;
  }
  /// Destroys a living entity. Entities that have it as their Parent become roots; destroy_tree() destroys them too.
  void destroy(ecs::Entity entity) { registry_.destroy(entity); }
  /// Calls `function` for each entity that has all of these components: each<A, const B>([](A&, const B&) {}). Access
  /// through `A` counts as a write. If the first parameter is an ecs::Entity, it gets the handle. The function may
  /// destroy the entity it is given, and create others.
  template <class... Components, class Function>
  void each(Function&& function) {
    registry_.view<Components...>().each(std::forward<Function>(function));
  }
  // Ends a tick: structural changes so far are old news, writes from now on belong to the next. With asserts on it
  // asserts that nothing was written past the change marks.
  void end_tick();

  [[nodiscard]] ecs::Registry& registry() { return registry_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }
  // Parents, children and WorldTransforms. The server updates it when the level has been spawned and after each tick of
  // the game; a game that needs WorldTransforms of this very tick updates it in between.
  [[nodiscard]] hierarchy::Hierarchy& hierarchy() { return hierarchy_; }
  [[nodiscard]] const reflect::Schema& schema() const { return *config_.schema; }
  [[nodiscard]] const std::shared_ptr<const reflect::Schema>& shared_schema() const { return config_.schema; }
  [[nodiscard]] const resource::Resource* level() const { return level_ ? &level_->resource() : nullptr; }
  // What the level was spawned as, when the world began; nothing if a reload has changed which entities it has.
  // Another one after each reload.
  [[nodiscard]] std::uint32_t level_version() const { return level_version_; }
  // By entity of the level's file, as Level::entities.
  [[nodiscard]] std::span<const ecs::Entity> level_entities() const {
    return level_ ? level_->entities() : std::span<const ecs::Entity>();
  }
  [[nodiscard]] ecs::EntityRange level_range() const { return level_ ? level_->range() : ecs::EntityRange{}; }
  // How an older schema, with which the level was compiled, differs from this one: sentences.
  [[nodiscard]] std::span<const std::string> level_notes() const;
  // Texts of hashes: component types of the schema, and all that the level names.
  [[nodiscard]] const index::NameTable& names() const { return names_; }
  // What clients are told besides components, with the tick that runs.
  [[nodiscard]] Events& events() { return events_; }
  // Through whose eyes a player's client sees: from when the game is asked to let it join until it has left. Null for
  // nobody's id.
  [[nodiscard]] Viewer* viewer(std::uint32_t player);
  void add_viewer(std::uint32_t player) { viewers_.insert_or_assign(player, Viewer(player, ecs::null_entity)); }
  void remove_viewer(std::uint32_t player) { viewers_.erase(player); }
  // Sends a player or spectator away at the end of the tick: their client is told the reason, and does not come back by
  // a rejoin token. Who is not there any more is passed over.
  void kick(std::uint32_t player, std::string reason) { kicks_.push_back({player, std::move(reason), {}}); }
  // The same, and the player's account is not let in for so many seconds; 0: for ever.
  void ban(std::uint32_t player, std::string reason, std::uint64_t seconds) {
    kicks_.push_back({player, std::move(reason), seconds});
  }
  struct Kick {
    std::uint32_t player = 0;
    std::string reason;
    std::optional<std::uint64_t> ban_seconds;
  };
  // For the server.
  [[nodiscard]] std::vector<Kick> take_kicks() { return std::exchange(kicks_, {}); }
  // From 1; tick 1 contains the level as it was spawned.
  [[nodiscard]] ecs::Tick tick() const { return registry_.tick(); }
  [[nodiscard]] std::uint32_t ticks_per_second() const { return config_.ticks_per_second; }
  [[nodiscard]] float seconds_per_tick() const { return 1.0f / static_cast<float>(config_.ticks_per_second); }
  [[nodiscard]] core::Random& random() { return random_; }
  /// Returns a random number from `low` up to, but not including, `high`.
  [[nodiscard]] float random(float low, float high) { return random_.uniform(low, high); }

 private:
  [[nodiscard]] std::shared_ptr<const store::SavedLevel> level_to_save() const;
  void destroy_replaced(std::span<const LevelChange::Gone> gone);
  explicit World(WorldConfig config)
      : config_(std::move(config)),
        random_(config_.seed),
        registry_(
            {.entities = {.incarnation = config_.incarnation, .entities_max = config_.entities_max}, .pools = {}}) {}

  WorldConfig config_;
  core::Random random_;
  ecs::Registry registry_;
  hierarchy::Hierarchy hierarchy_{registry_};
  ecs::ChangeTickAudit audit_{registry_};
  index::NameTable names_;
  std::optional<Level> level_;
  std::shared_ptr<const store::SavedLevel> saved_level_;  // the level as saves have it; null: nobody has asked
  Events events_;
  std::map<std::uint32_t, Viewer> viewers_;  // by player
  std::uint32_t level_version_ = 0;
  std::vector<Kick> kicks_;
};

}  // namespace mobula::server
