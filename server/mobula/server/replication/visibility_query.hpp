// Decides which entities a client gains and loses sight of, by queries of Interest.
//
// A query is expensive, so clients take turns. It is due at once for a client whose viewer has changed, or that has not
// been sent anything for a while. A client that sees an entity with a new parent does not wait either: parents are sent
// with their children. Entities that have just spawned are checked for every client in every tick.
#pragma once

#include <mobula/server/interest/interest.hpp>
#include <mobula/server/replication/client_replication.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <vector>

namespace mobula::server {

class VisibilityQuery {
 public:
  /// All outlive this. `has_rule`: the game has an interest rule, whose answers may change at any time.
  VisibilityQuery(const ecs::Registry& registry, const Publisher& publisher, Interest& interest, bool has_rule)
      : registry_(registry), publisher_(publisher), interest_(interest), has_rule_(has_rule) {}

  /// Updates the client's view: runs a query if one is due, else checks only the entities that have spawned. Once per
  /// tick, after the publication.
  void update(ClientReplication& client);

 private:
  void run(ClientReplication& client);
  void check_spawned(ClientReplication& client);
  void add_with_parents(ClientReplication& client, std::uint32_t index);
  [[nodiscard]] bool sees_new_parents(const ClientReplication& client, ecs::Tick since) const;

  const ecs::Registry& registry_;
  const Publisher& publisher_;
  Interest& interest_;
  bool has_rule_;
  std::vector<std::uint32_t> entering_;
  std::vector<std::uint32_t> leaving_;
  std::vector<std::uint32_t> continuing_;  // those of leaving_ whose courses clients continue
};

}  // namespace mobula::server
