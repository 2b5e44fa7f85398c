// Rights: which player may have received which entity, per tick, by the reference rules of interest.
#pragma once

#include <map>
#include <mobula/server/session/server.hpp>
#include <server/interest/reference_interest.hpp>
#include <set>
#include <vector>

namespace mobula::sim {

class Rights {
 public:
  // Visibility is queried for clients in turns: for this long the server may still send an entity that is no longer
  // visible.
  static constexpr ecs::Tick ticks_late_max = 3;

  explicit Rights(std::vector<server::Layer> layers) : layers_(std::move(layers)) {}

  // Called when a server starts: no client has received anything yet. `rule`: its game's, or null.
  void begin(const server::InterestRule* rule);
  // Called after each tick of the server.
  void note(server::Server& server, ecs::Tick now);

  // Returns whether the player may have the entity's state of that tick.
  [[nodiscard]] bool may_have(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;
  // Returns whether it may have the owner-only fields too.
  [[nodiscard]] bool may_own(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;
  // Returns whether the state is that of the level file on the client's disk, which it has in full.
  [[nodiscard]] bool is_of_file(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;
  // Returns whether the entity was within the radius long enough that the player must have its state of that tick.
  [[nodiscard]] bool must_have(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;
  // Returns whether it was ever visible, also at an earlier server.
  [[nodiscard]] bool ever_had(std::uint32_t player, ecs::Entity entity) const;
  // Returns the tick since which it was visible without a break up to `tick`; 0 if it was not visible.
  [[nodiscard]] ecs::Tick in_view_since(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const;

 private:
  // Interval of ticks, both included.
  struct Interval {
    ecs::Entity entity;
    ecs::Tick from = 0;
    ecs::Tick to = 0;
  };
  // Intervals of the entities of one index.
  struct Intervals {
    Interval last;
    std::vector<Interval> before;
  };
  struct OfIndex {
    // Entities enter within the radius. Visible ones, and unmodified ones on the client's disk, stay within the leave
    // radius.
    Intervals relevant;
    Intervals near;  // within the radius
    Intervals owned;
    ecs::Tick unmodified = 0;  // last tick in which it was as on the client's disk
  };
  // A level on the client's disk.
  struct File {
    ecs::EntityRange range;
    ecs::Tick tick = 0;  // tick of its values
  };
  struct Known {
    std::vector<OfIndex> all;  // by index
    ecs::Tick looked = 0;      // tick of the last visibility query: entities visible then may stay
    File file;

    [[nodiscard]] bool has_on_disk(ecs::Entity entity) const;
  };

  void note_sight(const server::test::ReferenceInterest& interest, const server::ClientSession& session, Known& known,
                  ecs::Tick now);
  static void extend(Intervals& stays, ecs::Entity entity, ecs::Tick now);
  // Returns the begin of the interval that contains `tick`, or ended at most `late` ticks before; 0 if there is none.
  [[nodiscard]] ecs::Tick since(std::uint32_t player, Intervals OfIndex::* which, ecs::Entity entity, ecs::Tick tick,
                                ecs::Tick late) const;

  std::vector<server::Layer> layers_;
  const server::InterestRule* rule_ = nullptr;
  std::map<std::uint32_t, Known> known_;  // by player
  std::set<std::pair<std::uint32_t, ecs::Entity>> ever_had_;
  std::vector<ecs::Entity> near_;  // relevant to one query, maybe more than once
  std::vector<ecs::Entity> relevant_;
};

}  // namespace mobula::sim
