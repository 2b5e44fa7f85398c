// The border of a zone: finds entities that leave it, and notes guests that have ended in it.
#pragma once

#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/server/zones/zone_map.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace mobula::server {

/// An entity without parent that goes to another zone, with all below it.
struct Leaving {
  ecs::Entity root;
  std::uint32_t zone = 0;
};

/// Entities of other zones that have ended here. Their home reserves their indices until it is notified.
struct EndedGuests {
  std::uint32_t home = 0;  // zone
  std::vector<ecs::Entity> entities{};
};

class Border {
 public:
  static constexpr std::size_t ended_max = 4096;

  /// Map and registry must outlive its use. The map may be replaced by one that continues it: see on_new_map().
  Border(ecs::Registry& registry, const ZoneMap& map, std::uint32_t zone);

  /// Looks at the places of all entities anew.
  void on_new_map() { seen_ = 0; }

  /// Returns the entities that go to another zone by their places. Valid until the next call. Between ticks, with
  /// current WorldTransforms.
  std::span<const Leaving> leaving();
  /// Returns the other zone whose region is nearest to an entity, if it is within `most` metres; else no_zone.
  [[nodiscard]] std::uint32_t nearest_zone(ecs::Entity entity, float most) const;
  /// Returns and clears the guests that have ended since the last call, by home: at most ended_max in each element.
  [[nodiscard]] std::vector<EndedGuests> take_ended();
  /// Adds guests to those that have ended.
  void end_again(std::span<const ecs::Entity> entities) {
    ended_->insert(ended_->end(), entities.begin(), entities.end());
  }
  /// Forgets that guests have ended.
  void forget_ended(std::span<const ecs::Entity> entities);

 private:
  void note_beyond();
  [[nodiscard]] std::uint32_t next_zone(ecs::Entity entity) const;

  ecs::Registry& registry_;
  const ZoneMap& map_;
  std::uint32_t zone_;
  ecs::Tick seen_ = 0;            // all changes of places up to it are noted
  std::set<ecs::Entity> beyond_;  // entities beyond the region, as they were seen; those that stay are forgotten
  std::vector<Leaving> leaving_;
  std::shared_ptr<std::vector<ecs::Entity>> ended_ = std::make_shared<std::vector<ecs::Entity>>();  // a listener's too
};

}  // namespace mobula::server
