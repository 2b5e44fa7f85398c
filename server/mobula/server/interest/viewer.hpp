// The viewpoint of a client on the world: its player and the player's entity, the entities around which others are
// visible, and its interest groups.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/server/interest/region.hpp>
#include <optional>
#include <span>

namespace mobula::server {

/// A client's viewer.
class Viewer {
 public:
  static constexpr std::size_t viewpoints_max = 8;
  static constexpr std::size_t groups_max = 16;  // besides group 0, which contains everyone

  Viewer() = default;
  Viewer(std::uint32_t player, ecs::Entity entity, bool spectator = false)
      : player_(player), spectator_(spectator), entity_(entity), viewpoint_count_(1) {
    viewpoints_[0] = entity;
  }

  [[nodiscard]] std::uint32_t player() const { return player_; }
  [[nodiscard]] bool is_spectator() const { return spectator_; }

  /// Returns the player's entity as the game gave it: it may have been destroyed since. Null if there is none.
  [[nodiscard]] ecs::Entity entity() const { return entity_; }
  /// Replaces the player's entity. Viewpoints that name the former one name the new one. World::set_player_entity
  /// checks the entity before.
  void set_entity(ecs::Entity entity) {
    follow([former = entity_, entity](ecs::Entity each) { return each == former ? entity : each; });
  }
  /// Replaces the player's entity and each viewpoint by successor(entity).
  template <class Successor>
  void follow(const Successor& successor) {
    bool changed = false;
    const auto replace = [&](ecs::Entity& each) {
      const ecs::Entity next = successor(each);
      changed = changed || next != each;
      each = next;
    };
    replace(entity_);
    for (ecs::Entity& viewpoint : std::span(viewpoints_).first(viewpoint_count_)) replace(viewpoint);
    if (changed) ++version_;
  }

  /// Returns the viewpoints, at first the player's entity alone. Destroyed ones and those without position are kept,
  /// and make nothing visible.
  [[nodiscard]] std::span<const ecs::Entity> viewpoints() const { return {viewpoints_.data(), viewpoint_count_}; }
  /// Replaces the viewpoints. Checks that there are at most viewpoints_max.
  void set_viewpoints(std::span<const ecs::Entity> entities) {
    MOBULA_CHECK(entities.size() <= viewpoints_max, "too many viewpoints of one viewer");
    viewpoint_count_ = std::min(entities.size(), viewpoints_max);
    std::copy_n(entities.begin(), viewpoint_count_, viewpoints_.begin());
    ++version_;
  }

  /// Returns the groups in the order of joining, without group 0, in which every viewer is. Valid until they change.
  [[nodiscard]] std::span<const std::uint32_t> interest_groups() const { return {groups_.data(), group_count_}; }
  /// Returns whether the viewer is in an interest group. A zone's is in all.
  [[nodiscard]] bool is_in(std::uint32_t group) const {
    if (zone_) return true;
    const std::span<const std::uint32_t> all = interest_groups();
    return group == 0 || std::find(all.begin(), all.end(), group) != all.end();
  }
  /// Adds an interest group. Returns false if the viewer is in groups_max groups already.
  bool join_group(std::uint32_t group) {
    if (is_in(group)) return true;
    if (group_count_ == groups_max) return false;
    groups_[group_count_++] = group;
    ++version_;
    return true;
  }
  /// Leaves an interest group, if the viewer is in it.
  void leave_group(std::uint32_t group) {
    const auto end = groups_.begin() + static_cast<std::ptrdiff_t>(group_count_);
    group_count_ = static_cast<std::size_t>(std::remove(groups_.begin(), end, group) - groups_.begin());
    ++version_;
  }
  /// Makes this the viewer of another zone. Entities within their layer's radius of its region are visible, whatever
  /// the game's rule. Ghosts are not.
  void set_zone(const ZoneRegion& zone) {
    zone_ = zone;
    ++version_;
  }
  [[nodiscard]] const std::optional<ZoneRegion>& zone() const { return zone_; }
  /// Returns a counter that rises with every change of viewpoints, groups or zone.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  std::uint64_t version_ = 1;
  std::uint32_t player_ = 0;
  bool spectator_ = false;
  ecs::Entity entity_{};
  std::size_t viewpoint_count_ = 0;
  std::size_t group_count_ = 0;
  std::array<ecs::Entity, viewpoints_max> viewpoints_{};
  std::array<std::uint32_t, groups_max> groups_{};
  std::optional<ZoneRegion> zone_{};
};

}  // namespace mobula::server
