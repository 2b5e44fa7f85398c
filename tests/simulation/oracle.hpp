// What must hold, whatever happens; and the naive model by which it is known. It sees the server's published state at
// the end of each tick, and the whole memory of each client.
#pragma once

#include <map>
#include <mobula/client/connection.hpp>
#include <mobula/server/server.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mobula::sim {

class Oracle {
 public:
  explicit Oracle(std::vector<server::Layer> layers);

  // A server begins: of what was published by another nothing counts, but no handle of it may mean something else. What
  // has been restored is there.
  void begin(server::Server& server);
  // After each of its ticks. The first thing that is wrong, or nothing.
  std::optional<std::string> look_at(server::Server& server);
  // After that: a client that plays with this server, as the player of that number. States that it has shown before are
  // looked at again only now and then.
  std::optional<std::string> look_at(client::Connection& client, std::uint32_t player);
  // The same when all is quiet: it has everything that its player may see, as it is now.
  std::optional<std::string> look_at_last(server::Server& server, client::Connection& client, std::uint32_t player);

  // Sum of what there is to save of each entity.
  [[nodiscard]] static std::uint64_t state_of(server::Server& server);
  // How many states of entities were compared.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  using Words = std::vector<std::uint32_t>;
  struct State {
    ecs::Tick since = 0;
    Words words;
  };
  // What is known of a player and an index.
  struct Seen {
    std::vector<ecs::Entity> may_have;  // all that it might have been told of, the latest last
    ecs::Entity compared;
    ecs::Tick tick = 0;  // of the state that was compared
  };

  std::optional<std::string> note_handles(const server::Published& published);
  void note_words(server::Published& published);
  void note_rights(server::Server& server);
  [[nodiscard]] std::optional<std::string> look_at_published(server::Server& server) const;
  [[nodiscard]] std::optional<std::string> look_at(client::Mirror& mirror, ecs::Entity entity, std::vector<Seen>& seen,
                                                   std::uint32_t player);
  // Who has the level's file has all of it, wherever it is.
  [[nodiscard]] bool is_of_file(std::uint32_t player, ecs::Entity entity) const;
  [[nodiscard]] const Words* words_at(ecs::Entity entity, ecs::Tick tick) const;
  std::optional<std::string> compare(client::Mirror& mirror, ecs::Entity entity);

  std::vector<server::Layer> layers_;
  ecs::Tick now_ = 0;
  std::unordered_map<std::uint64_t, std::vector<State>> states_;  // by handle; rising
  std::unordered_set<std::uint64_t> used_handles_;                // of all runs
  std::vector<ecs::Entity> there_;                                // by index: published at the end of the last tick
  std::map<std::uint32_t, std::vector<Seen>> seen_by_;            // by player, by index
  std::map<std::uint32_t, ecs::EntityRange> files_;               // by player: of the level that its client keeps
  std::uint64_t compared_ = 0;
};

}  // namespace mobula::sim
