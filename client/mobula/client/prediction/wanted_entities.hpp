// The entities that a client wants predicted: its own, those that its commands have spawned, and those that the program
// has chosen. The list is bounded. A chosen entity that has ended is forgotten. One that is out of view stays chosen.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <vector>

namespace mobula::client {

class WantedEntities {
 public:
  /// Most chosen entities that the mirror does not have. It does not know whether they have ended. The ones that were
  /// chosen last stay.
  static constexpr std::size_t absent_max = 4096;

  /// Chooses an entity of a mirror, or ceases to. Those of another mirror are forgotten.
  void choose(ecs::Entity entity, bool predicted, std::uint32_t mirror_number);
  /// Forgets what does not belong to this mirror.
  void begin_mirror(std::uint32_t mirror_number);
  /// Adds an entity that the server has spawned for a command.
  void add_spawned(ecs::Entity entity);
  /// Fills `wanted` in the order of precedence: `own`, unless it is null, spawned ones, chosen ones. Forgets those that
  /// have ended.
  void list(const Mirror& mirror, ecs::Entity own, std::vector<ecs::Entity>& wanted);
  /// Returns the number of chosen entities.
  [[nodiscard]] std::size_t chosen() const { return chosen_.size(); }

 private:
  void forget_ended(const Mirror& mirror);

  std::vector<ecs::Entity> chosen_;  // in the order of choice
  std::uint32_t chosen_of_ = 0;      // number of the mirror that they are of
  std::vector<ecs::Entity> spawned_;
};

}  // namespace mobula::client
