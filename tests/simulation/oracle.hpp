// Oracle: checks the invariants of replication against a reference model. It reads the server's published state at the
// end of each tick, and each client's full memory.
#pragma once

#include <functional>
#include <map>
#include <mobula/client/connection/connection.hpp>
#include <mobula/server/session/server.hpp>
#include <optional>
#include <simulation/course_oracle.hpp>
#include <simulation/picture_oracle.hpp>
#include <simulation/plan.hpp>
#include <simulation/rights.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mobula::sim {

class Oracle {
 public:
  // Receives the history of entities, for a trace; null if nobody needs it.
  using Trace = std::function<void(ecs::Entity entity, const std::string& what)>;

  Oracle(std::vector<server::Layer> layers, const Plan& plan, Trace trace);

  // Called when a server starts. States published by an earlier server do not count, but its handles must not be
  // reused. Restored entities exist already. `rule`: its game's, or null.
  void begin(server::Server& server, const server::InterestRule* rule);
  // Called after each tick of the server. Returns the first violation.
  std::optional<std::string> check(server::Server& server);
  // Checks, after check(server), a client that plays as player `player`. States checked before are checked again only
  // now and then.
  std::optional<std::string> check(client::Connection& client, std::uint32_t player, const std::string& name);
  // Checks, after check(server), the entities in a client's view if the server has just queried its visibility.
  [[nodiscard]] std::optional<std::string> check_view(const server::ClientSession& session) const;
  // Checks, in a quiet world, that the client has everything its player may see, as it is now.
  std::optional<std::string> check_at_last(server::Server& server, client::Connection& client, std::uint32_t player);

  // Returns whether the player may have received the entity's state of that tick.
  [[nodiscard]] bool may_receive(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
    return rights_.may_have(player, entity, tick);
  }

  // Returns a hash of everything to be saved.
  [[nodiscard]] static std::uint64_t state_of(server::Server& server);
  // Returns the number of entity states compared so far.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  using Words = std::vector<std::uint32_t>;
  // State of an entity: a hash of its components with instance names, and their words.
  struct Value {
    std::uint64_t components = 0;
    Words words{};
    bool operator==(const Value&) const = default;
  };
  struct State {
    ecs::Tick since = 0;
    bool is_there = false;  // false if despawned
    Value value{};
  };
  // States that a player's mirror has shown.
  struct Shown {
    struct State {
      ecs::Entity entity;
      ecs::Tick tick = 0;
    };
    std::vector<State> last;  // by index

    bool is_new(ecs::Entity entity, ecs::Tick tick);
  };

  std::optional<std::string> note_handles(const server::Published& published);
  void note_values(server::Server& server);
  [[nodiscard]] std::optional<std::string> check_published(server::Server& server) const;
  [[nodiscard]] std::optional<std::string> check_published_values(server::Server& server, std::uint32_t index) const;
  // Checks the entities in the mirror's list of changes.
  std::optional<std::string> check_changes(client::Mirror& mirror, std::uint32_t player, const std::string& name);
  // Checks all entities.
  std::optional<std::string> check_all(client::Mirror& mirror, std::uint32_t player);
  [[nodiscard]] std::optional<std::string> check_state(client::Mirror& mirror, ecs::Entity entity, ecs::Tick tick,
                                                       std::uint32_t player);
  // Returns null if the entity was not in the world.
  [[nodiscard]] const Value* value_at(ecs::Entity entity, ecs::Tick tick) const;
  [[nodiscard]] static Value published_value(server::Server& server, std::uint32_t index);
  [[nodiscard]] static Value mirrored_value(client::Mirror& mirror, ecs::Entity entity);
  // Compares an entity with its state in that tick.
  std::optional<std::string> compare(client::Mirror& mirror, ecs::Entity entity, ecs::Tick tick);
  // Checks a mirror that is complete for its newest tick.
  [[nodiscard]] std::optional<std::string> check_complete(client::Mirror& mirror, std::uint32_t player);
  // Checks that a stale entity has a state since it was last seen.
  [[nodiscard]] std::optional<std::string> check_stale(client::Mirror& mirror, ecs::Entity entity,
                                                       std::uint32_t player);
  // Returns whether a stale entity was visible when it was despawned.
  [[nodiscard]] bool was_seen_to_the_end(ecs::Entity entity, std::uint32_t player) const;

  void trace(ecs::Entity entity, const std::string& what) const {
    if (trace_) trace_(entity, what);
  }

  std::vector<server::Layer> layers_;
  bool predicts_;
  bool rewinds_;
  Trace trace_;
  const server::InterestRule* rule_ = nullptr;
  ecs::Tick now_ = 0;
  std::unordered_map<std::uint64_t, std::vector<State>> states_;  // by handle, ascending by tick
  std::unordered_set<std::uint64_t> used_handles_;                // by all servers so far
  std::vector<ecs::Entity> there_;                                // by index: published at the end of the last tick
  std::map<std::uint32_t, Shown> shown_to_;                       // by player
  Rights rights_;
  PictureOracle pictures_;
  CourseOracle courses_;
  std::uint64_t compared_ = 0;
};

}  // namespace mobula::sim
