// Who may have been told of what, tick by tick: looked up by the reference rules of interest.
#pragma once

#include <map>
#include <mobula/server/session/server.hpp>
#include <set>
#include <vector>

namespace mobula::sim {

class Rights {
 public:
  // Clients take turns to look around: so long what may not be seen any more is told all the same.
  static constexpr ecs::Tick ticks_late_max = 3;

  explicit Rights(std::vector<server::Layer> layers) : layers_(std::move(layers)) {}

  // Of a server that begins nobody has been told anything. `rule`: its game's, or null.
  void begin(const server::InterestRule* rule);
  // After each of its ticks.
  void note(server::Server& server, ecs::Tick now);

  // Whether the player may have been told of the entity as it was in that tick.
  [[nodiscard]] bool may_have(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;
  // And of what is its owner's alone.
  [[nodiscard]] bool may_own(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;
  // Who has the level's file has all of it, wherever it is, as it is in the file.
  [[nodiscard]] bool is_of_file(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;
  // Whether it was within reach so long that the player must have been told of it as it was in that tick.
  [[nodiscard]] bool must_have(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;
  // Whether it was ever to be seen, also at a server before this one.
  [[nodiscard]] bool ever_had(std::uint32_t player, ecs::Entity entity) const;
  // Since when without a break it was in view, up to that tick; 0: it was not.
  [[nodiscard]] ecs::Tick in_view_since(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;

 private:
  // So long without a break, both ticks included.
  struct Stay {
    ecs::Entity entity;
    ecs::Tick from = 0;
    ecs::Tick to = 0;
  };
  // Of the entities of one index.
  struct Stays {
    Stay last;
    std::vector<Stay> before;
  };
  struct OfIndex {
    // Who enters is within the radius; who is in view, or was as on the client's disk, stays within the leave radius.
    Stays relevant;
    Stays near;  // within the radius
    Stays owned;
    ecs::Tick unmodified = 0;  // in which it was as on the client's disk, the last
  };
  // A level that the client keeps.
  struct File {
    ecs::EntityRange range;
    ecs::Tick tick = 0;  // of its values
  };
  struct Known {
    std::vector<OfIndex> all;  // by index
    ecs::Tick looked = 0;      // when the server has last looked around for it: who was in view then may stay
    File file;

    [[nodiscard]] bool has_on_disk(ecs::Entity entity) const;
  };

  static void extend(Stays& stays, ecs::Entity entity, ecs::Tick now);
  // Of the stay that the tick is in, or so late after; 0: there is none.
  [[nodiscard]] ecs::Tick since(std::uint32_t player, Stays OfIndex::* which, ecs::Entity entity, ecs::Tick tick,
                                ecs::Tick late) const;

  std::vector<server::Layer> layers_;
  const server::InterestRule* rule_ = nullptr;
  std::map<std::uint32_t, Known> known_;  // by player
  std::set<std::pair<std::uint32_t, ecs::Entity>> ever_had_;
};

}  // namespace mobula::sim
