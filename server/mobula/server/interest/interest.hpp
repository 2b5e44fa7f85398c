// Which entities a viewer sees, and how much each of them matters to it. It knows nothing of sessions, deltas or bytes.
//
// An entity is relevant to a viewer if it is published, in room 0 or one of the viewer's rooms, and
//   - the viewer's player owns it, or it is one of the viewpoints, or
//   - it is in a layer without radius, or stands nowhere (has no WorldTransform), or
//   - it stands within its layer's radius of a viewpoint; or within the leave radius, if it is in view already;
// and if the game's own rule, where there is one, does not refuse it.
//
// Where entities stand, and their Relevance, are as of the last update(); viewpoints are looked up when asked for. An
// index stands for whichever entity has it: whoever must know that it is another one than before compares handles.
//
// Takes some 50 bytes for each index, up to the highest ever published, and 20 to 80 for each entity. Bound to one
// registry, which outlives it; used by its thread.
#pragma once

#include <array>
#include <mobula/ecs/registry.hpp>
#include <mobula/hierarchy/last_seen.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/server/interest/interest_grid.hpp>
#include <mobula/server/interest/interest_marks.hpp>
#include <mobula/server/interest/interest_owners.hpp>
#include <mobula/server/interest/viewer.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::server {

// The game's own: line of sight, stealth, fog of war.
class InterestRule {
 public:
  virtual ~InterestRule() = default;
  // Asked once in a look for each entity that would be seen, in no order that means anything. False: it is out of view.
  [[nodiscard]] virtual bool may_see(const Viewer& viewer, ecs::Entity entity) const = 0;
};

class Interest {
 public:
  // Without layers there is one, whose entities are relevant at any distance. At most Layer::count_max; asserts that
  // radii make sense.
  explicit Interest(ecs::Registry& registry, std::span<const Layer> layers = {});
  Interest(const Interest&) = delete;
  Interest& operator=(const Interest&) = delete;

  // Null: none, which costs nothing. It outlives the interest.
  void set_rule(const InterestRule* rule) { rule_ = rule; }

  // What is published: told of each index whose entity came, or is another one now; or went. To say it again does no
  // harm.
  void add(std::uint32_t index);
  void remove(std::uint32_t index);
  // At the end of a tick, after the last update of the hierarchy: finds from stamps who moved and whose Relevance
  // changed. The registry is then moved to a later tick before anything is written.
  void update();
  // While it stays the same no look of the same viewer at what it has in view would find anything, unless there is a
  // rule.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  // Rises whenever an entity gets another owner.
  [[nodiscard]] std::uint64_t owners_version() const { return owners_version_; }

  // `seen`: the indices that the viewer has in view, none twice; all of them may be dead. Appended are those that come
  // into view, rising, and those of `seen` that are relevant no more, in its order. Takes time for what is seen, what
  // is in the cells around the viewpoints, and what is relevant at any distance.
  void look(const Viewer& viewer, std::span<const std::uint32_t> seen, std::vector<std::uint32_t>& entering,
            std::vector<std::uint32_t>& leaving);

  // What a look would find of one: whether it would come into view; whether, if it is there, it would stay.
  [[nodiscard]] bool may_enter(const Viewer& viewer, std::uint32_t index) const {
    return may_see(viewer, index, false);
  }
  [[nodiscard]] bool may_stay(const Viewer& viewer, std::uint32_t index) const { return may_see(viewer, index, true); }
  // Of one that was removed in this tick: whether it would have stayed, as it was in the tick before. The game's rule
  // is not asked about the dead.
  [[nodiscard]] bool would_have_stayed(const Viewer& viewer, ecs::Entity entity) const;

  // Where a viewer's observer are now.
  struct Observer {
    std::array<engine::Vec3, Viewer::viewpoints_max> at;
    std::uint32_t count = 0;

    [[nodiscard]] std::span<const engine::Vec3> all() const { return {at.data(), count}; }
  };
  [[nodiscard]] Observer observer(const Viewer& viewer) const;
  // The entity's priority; the farther it is from the nearest eye, the less: half of it at half its layer's radius, a
  // fifth at the radius, and no less than at the leave radius. Where distance means nothing, or nothing is published,
  // the priority itself.
  [[nodiscard]] float importance(const Observer& observer, std::uint32_t index) const;
  // 0: nobody.
  [[nodiscard]] std::uint32_t owner(std::uint32_t index) const {
    return index < members_.size() ? members_[index].relevance.owner : 0;
  }

  // Asserts the invariants by walking everything.
  void check() const;

 private:
  // What is known of the entity of an index, besides its position: 20 bytes.
  struct Member {
    Relevance relevance;
    bool published = false;
    bool positioned = false;

    bool operator==(const Member&) const = default;
  };
  struct Removed {
    std::uint32_t index = 0;
    Member member;
    engine::Vec3 position;
  };
  // Of a layer with a radius.
  struct Falloff {
    float half_squared = 0;  // of the radius; 0: no falloff
    float leave_squared = 0;
  };

  [[nodiscard]] bool is_published(std::uint32_t index) const {
    return index < members_.size() && members_[index].published;
  }
  [[nodiscard]] std::uint8_t zone_layer(const Member& member) const;
  [[nodiscard]] bool may_see(const Viewer& viewer, std::uint32_t index, bool in_view) const;
  [[nodiscard]] bool is_within_reach(const Viewer& viewer, ecs::Entity entity, const Member& member,
                                     const engine::Vec3& position, bool in_view) const;
  void read(std::uint32_t index);
  void become(std::uint32_t index, const Member& now, const engine::Vec3& position);
  bool follow_departures(const ecs::Pool& pool, hierarchy::LastSeen& seen);
  void follow_relevances();
  void follow_positions();

  ecs::Registry& registry_;
  const ecs::Pool& worlds_;
  const ecs::Pool& relevances_;
  std::uint32_t layer_count_;
  std::array<Falloff, Layer::count_max> falloffs_{};  // by layer
  const InterestRule* rule_ = nullptr;
  InterestGrid grid_;
  InterestOwners owners_;
  InterestMarks<> marks_;
  std::vector<Member> members_;   // by entity index
  std::vector<Removed> removed_;  // in removed_in_
  ecs::Tick removed_in_ = 0;
  hierarchy::LastSeen seen_worlds_;
  hierarchy::LastSeen seen_relevances_;
  ecs::Tick last_tick_ = 0;
  std::uint64_t version_ = 1;
  std::uint64_t owners_version_ = 0;
};

}  // namespace mobula::server
