// What must hold, whatever happens; and the reference model by which it is known. It sees the server's published state
// at the end of each tick, and the whole memory of each client.
#pragma once

#include <functional>
#include <map>
#include <mobula/client/connection/connection.hpp>
#include <mobula/server/session/server.hpp>
#include <optional>
#include <simulation/rights.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mobula::sim {

class Oracle {
 public:
  // Told what becomes of an entity; null: nobody wants to know.
  using Tell = std::function<void(ecs::Entity entity, const std::string& what)>;

  Oracle(std::vector<server::Layer> layers, Tell tell);

  // A server begins: of what was published by another nothing counts, but no handle of it may mean something else. What
  // has been restored is there. `rule`: its game's, or null.
  void begin(server::Server& server, const server::InterestRule* rule);
  // After each of its ticks. The first thing that is wrong, or nothing.
  std::optional<std::string> check(server::Server& server);
  // After that: a client that plays with this server, as the player of that number. States that it has shown before are
  // looked at again only now and then.
  std::optional<std::string> check(client::Connection& client, std::uint32_t player, const std::string& name);
  // After that: what the server has in view for a client, whatever that says, when it has just looked around for it.
  [[nodiscard]] std::optional<std::string> check_view(const server::ClientSession& session) const;
  // The same when all is quiet: it has everything that its player may see, as it is now.
  std::optional<std::string> check_at_last(server::Server& server, client::Connection& client, std::uint32_t player);

  // Whether the player may have been told something about the entity in that tick.
  [[nodiscard]] bool may_hear_of(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
    return rights_.may_have(player, entity, tick);
  }

  // Sum of what there is to save of each entity.
  [[nodiscard]] static std::uint64_t state_of(server::Server& server);
  // How many states of entities were compared.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  using Words = std::vector<std::uint32_t>;
  // What an entity has: which components under which names, as a hash, and their words one after the other.
  struct Value {
    std::uint64_t components = 0;
    Words words{};
    bool operator==(const Value&) const = default;
  };
  struct State {
    ecs::Tick since = 0;
    bool is_there = false;  // false: it is in the world no more
    Value value{};
  };
  // What a player's mirror has shown.
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
  // What the mirror says has changed since the last time.
  std::optional<std::string> check_changes(client::Mirror& mirror, std::uint32_t player, const std::string& name);
  // Everything, and that nothing else has changed.
  std::optional<std::string> check_all(client::Mirror& mirror, std::uint32_t player);
  [[nodiscard]] std::optional<std::string> check_state(client::Mirror& mirror, ecs::Entity entity, ecs::Tick tick,
                                                       std::uint32_t player);
  // Null: it was not in the world.
  [[nodiscard]] const Value* value_at(ecs::Entity entity, ecs::Tick tick) const;
  [[nodiscard]] static Value published_value(server::Server& server, std::uint32_t index);
  [[nodiscard]] static Value mirrored_value(client::Mirror& mirror, ecs::Entity entity);
  // With what it was in that tick.
  std::optional<std::string> compare(client::Mirror& mirror, ecs::Entity entity, ecs::Tick tick);
  // A mirror that has all of its newest tick.
  [[nodiscard]] std::optional<std::string> check_complete(client::Mirror& mirror, std::uint32_t player);
  // One out of view is as it was in some tick since it was last seen.
  [[nodiscard]] std::optional<std::string> check_stale(client::Mirror& mirror, ecs::Entity entity,
                                                       std::uint32_t player);
  // Of one that the mirror takes for out of view: whether it was when the world lost it.
  [[nodiscard]] bool was_seen_to_the_end(ecs::Entity entity, std::uint32_t player) const;

  void tell(ecs::Entity entity, const std::string& what) const {
    if (tell_) tell_(entity, what);
  }

  std::vector<server::Layer> layers_;
  Tell tell_;
  const server::InterestRule* rule_ = nullptr;
  ecs::Tick now_ = 0;
  std::unordered_map<std::uint64_t, std::vector<State>> states_;  // by handle; rising
  std::unordered_set<std::uint64_t> used_handles_;                // of all runs
  std::vector<ecs::Entity> there_;                                // by index: published at the end of the last tick
  std::map<std::uint32_t, Shown> shown_to_;                       // by player
  Rights rights_;
  std::uint64_t compared_ = 0;
};

}  // namespace mobula::sim
