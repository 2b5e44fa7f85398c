// Interest management: which entities are visible to a viewer, and how important each of them is. Independent of
// sessions, deltas and bytes.
//
// An entity is relevant to a viewer if it is published, in interest group 0 or one of the viewer's groups, and
//   - the viewer's player owns it, or it is one of the viewpoints, or
//   - it is in a layer without radius, or has no position (no WorldTransform), or
//   - it is within its layer's radius of a viewpoint; or within the leave radius, if it is visible already;
// and if the game's own rule, if there is one, does not refuse it.
//
// A viewer may be that of another zone: see Viewer::set_zone.
//
// A child is visible with all its parents or not at all. Parents of an entity that is relevant are relevant too, at any
// distance. An entity below one of another interest group, or below one that the rule refuses, is not relevant, not
// even to its owner. So a viewer has what each Parent names, and learns no handle of what it may not see.
//
// Positions, Relevance and Parents of entities are those of the last update(); viewpoints are read at each query. An
// index stands for whichever entity has it. Callers for whom another entity at the same index matters compare handles.
//
// Memory: some 50 bytes for each index up to the highest ever published, and 20 to 80 for each entity. Bound to one
// registry, which must outlive it; used by the registry's thread.
#pragma once

#include <array>
#include <mobula/ecs/registry.hpp>
#include <mobula/hierarchy/last_seen.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/server/interest/interest_grid.hpp>
#include <mobula/server/interest/interest_marks.hpp>
#include <mobula/server/interest/interest_owners.hpp>
#include <mobula/server/interest/interest_parents.hpp>
#include <mobula/server/interest/interest_rule.hpp>
#include <mobula/server/interest/viewer.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::server {

/// Visibility of entities for viewers.
class Interest {
 public:
  /// Without layers there is one, whose entities are relevant at any distance. Checks that there are at most
  /// Layer::count_max and that their radii are valid.
  explicit Interest(ecs::Registry& registry, std::span<const Layer> layers = {});
  /// Returns the greatest distance from a viewpoint at which an entity may be seen, in metres. Infinite if distance
  /// does not count in some layer.
  [[nodiscard]] float reach() const;
  Interest(const Interest&) = delete;
  Interest& operator=(const Interest&) = delete;

  /// Sets the game's rule, which must outlive the interest. Null disables it and costs nothing.
  void set_rule(const InterestRule* rule) { rule_ = rule; }

  /// Notes that an index has a new entity. Repeated calls have no effect.
  void add(std::uint32_t index);
  /// Notes that the entity of an index despawned. Repeated calls have no effect.
  void remove(std::uint32_t index);
  /// Updates positions and Relevance of entities with new change ticks. To be called at the end of a tick, after the
  /// last update of the hierarchy. Afterwards the registry is moved to a later tick before anything is written.
  void update();
  /// Returns a counter. While it is unchanged, a repeated query of the same viewer has no result, unless there is a
  /// rule.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Returns a counter that rises whenever an entity gets another owner.
  [[nodiscard]] std::uint64_t owners_version() const { return owners_version_; }

  /// Compares what is relevant to a viewer with what is visible to it. `visible` holds indices without duplicates, even
  /// of destroyed entities. Appends to `gained` the indices that become visible, rising, and to `lost` those of
  /// `visible` that are no longer relevant, in its order.
  ///
  /// Takes time for the visible entities, those in the cells around the viewpoints, and those relevant at any distance.
  void query_visibility(const Viewer& viewer, std::span<const std::uint32_t> visible,
                        std::vector<std::uint32_t>& gained, std::vector<std::uint32_t>& lost);

  /// Returns the parents. A query makes those of whatever it makes visible visible, too.
  [[nodiscard]] const InterestParents& parents() const { return parents_; }
  /// Returns whether a visibility query would make this index visible for its own sake, not for an entity below it.
  [[nodiscard]] bool may_enter(const Viewer& viewer, std::uint32_t index) const {
    return may_see(viewer, index, false);
  }
  /// Returns whether a visibility query would keep this index visible for its own sake.
  [[nodiscard]] bool may_stay(const Viewer& viewer, std::uint32_t index) const { return may_see(viewer, index, true); }
  /// Returns whether a visibility query would keep an entity visible for the sake of one below it, when `visible` are
  /// visible. Takes time for all of these.
  [[nodiscard]] bool may_stay_for_others(const Viewer& viewer, ecs::Entity entity,
                                         std::span<const std::uint32_t> visible) const;
  /// Returns whether an entity removed in this tick would have stayed visible, in its state of the tick before. It may
  /// stay for its own sake or for one below it. `visible` are visible now. The game's rule is not asked about destroyed
  /// entities.
  [[nodiscard]] bool would_have_stayed(const Viewer& viewer, ecs::Entity entity,
                                       std::span<const std::uint32_t> visible) const;

  /// Positions of a viewer's viewpoints, and its region.
  struct Observer {
    std::array<engine::Vec3, Viewer::viewpoints_max> at;
    std::uint32_t count = 0;
    std::optional<Region> region;

    [[nodiscard]] std::span<const engine::Vec3> all() const { return {at.data(), count}; }
  };
  [[nodiscard]] Observer observer(const Viewer& viewer) const;
  /// Returns the entity's counted priority, reduced by its distance to the nearest viewpoint. It is half the priority
  /// at half the layer's radius, a fifth at the radius, and never less than at the leave radius. Where distance does
  /// not count, or nothing is published, it is the priority itself.
  [[nodiscard]] float importance(const Observer& observer, std::uint32_t index) const;
  /// Returns the owner's player id. 0 if there is none.
  [[nodiscard]] std::uint32_t owner(std::uint32_t index) const {
    return index < members_.size() ? members_[index].relevance.owner : 0;
  }

  /// Returns whether clients continue the courses of the index's entity when it goes out of view.
  [[nodiscard]] bool continues_out_of_view(std::uint32_t index) const {
    return index < members_.size() && continues_[members_[index].layer];
  }

  /// Asserts the invariants by visiting everything.
  void check() const;

 private:
  struct RuleQuery;
  // Data of an index's entity besides its position: 20 bytes.
  struct Member {
    Relevance relevance;
    bool published = false;
    bool positioned = false;
    bool ghost = false;
    std::uint8_t layer = 0;  // that of the relevance, or 0 if the game has not declared it

    bool operator==(const Member&) const = default;
  };
  struct Removed {
    std::uint32_t index = 0;
    Member member;
    engine::Vec3 position;
  };
  // Falloff of a layer with a radius.
  struct Falloff {
    float half_squared = 0;  // half the radius, squared; 0 disables the falloff
    float leave_squared = 0;
  };

  [[nodiscard]] bool is_published(std::uint32_t index) const {
    return index < members_.size() && members_[index].published;
  }
  [[nodiscard]] std::uint8_t section_layer(const Member& member) const;
  [[nodiscard]] bool may_see(const Viewer& viewer, std::uint32_t index, bool in_view) const;
  [[nodiscard]] bool is_within_reach(const Viewer& viewer, ecs::Entity entity, const Member& member,
                                     const engine::Vec3& position, bool in_view) const;
  [[nodiscard]] Relevance counted(std::uint32_t index, const Relevance& written);
  void decide_parents(const Viewer& viewer, std::span<const std::uint32_t> visible, std::size_t first_gained,
                      std::vector<std::uint32_t>& gained);
  void decide_chain(const Viewer& viewer, std::uint32_t index, std::vector<std::uint32_t>& gained);
  // Interest group, rule and region.
  [[nodiscard]] bool permits(const Viewer& viewer, std::uint32_t index) const;
  [[nodiscard]] bool may_have(const Viewer& viewer, std::uint32_t index) const;
  [[nodiscard]] bool permits_parents(const Viewer& viewer, std::uint32_t index) const;
  std::uint8_t usable_layer(std::uint32_t index, std::uint8_t named);
  void read(std::uint32_t index);
  void update_member(std::uint32_t index, const Member& now, const engine::Vec3& position);
  bool follow_departures(const ecs::Pool& pool, hierarchy::LastSeen& last_seen);
  void follow_ghosts();
  void follow_relevances();
  void follow_positions();

  ecs::Registry& registry_;
  const ecs::Pool& worlds_;
  const ecs::Pool& relevances_;
  std::uint32_t layer_count_;
  std::array<Falloff, Layer::count_max> falloffs_{};  // by layer
  std::array<bool, Layer::count_max> continues_{};    // by layer: out of view
  const InterestRule* rule_ = nullptr;
  InterestGrid grid_;
  InterestOwners owners_;
  InterestMarks<> marks_;
  InterestParents parents_;
  std::vector<std::uint32_t> chain_;  // scratch: an entity and those above it
  std::vector<Member> members_;       // by entity index
  std::vector<Removed> removed_;      // removed in tick removed_in_
  ecs::Tick removed_in_ = 0;
  hierarchy::LastSeen seen_worlds_;
  hierarchy::LastSeen seen_relevances_;
  ecs::Tick last_tick_ = 0;
  std::uint64_t version_ = 1;
  std::uint64_t owners_version_ = 0;
  bool logged_priority_ = false;  // a priority outside of its range
  bool logged_layer_ = false;     // a layer that the game has not declared
};

}  // namespace mobula::server
