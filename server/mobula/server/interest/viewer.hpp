// Through whose observer a client sees: the player, the entities around which it looks, and the rooms it is in.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/ecs/entity.hpp>
#include <span>

namespace mobula::server {

class Viewer {
 public:
  static constexpr std::size_t viewpoints_max = 8;
  static constexpr std::size_t rooms_max = 16;  // besides room 0, in which everyone is

  Viewer() = default;
  Viewer(std::uint32_t player, ecs::Entity entity) : player_(player), viewpoint_count_(1) { viewpoints_[0] = entity; }

  [[nodiscard]] std::uint32_t player() const { return player_; }

  // At first the player's entity alone. Such that do not live, or stand nowhere, see nothing; the viewer keeps them.
  [[nodiscard]] std::span<const ecs::Entity> viewpoints() const { return {viewpoints_.data(), viewpoint_count_}; }
  void set_viewpoints(std::span<const ecs::Entity> entities) {
    MOBULA_ASSERT(entities.size() <= viewpoints_max, "too many viewpoints of one viewer");
    viewpoint_count_ = std::min(entities.size(), viewpoints_max);
    std::copy_n(entities.begin(), viewpoint_count_, viewpoints_.begin());
    ++version_;
  }

  [[nodiscard]] std::span<const std::uint32_t> rooms() const { return {rooms_.data(), room_count_}; }
  [[nodiscard]] bool is_in(std::uint32_t room) const {
    const std::span<const std::uint32_t> all = rooms();
    return room == 0 || std::find(all.begin(), all.end(), room) != all.end();
  }
  // False: the viewer is in as many rooms as can be.
  bool enter_room(std::uint32_t room) {
    if (is_in(room)) return true;
    if (room_count_ == rooms_max) return false;
    rooms_[room_count_++] = room;
    ++version_;
    return true;
  }
  void leave_room(std::uint32_t room) {
    const auto end = rooms_.begin() + static_cast<std::ptrdiff_t>(room_count_);
    room_count_ = static_cast<std::size_t>(std::remove(rooms_.begin(), end, room) - rooms_.begin());
    ++version_;
  }
  // Rises whenever the viewer is told to look elsewhere.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  std::uint64_t version_ = 1;
  std::uint32_t player_ = 0;
  std::size_t viewpoint_count_ = 0;
  std::size_t room_count_ = 0;
  std::array<ecs::Entity, viewpoints_max> viewpoints_{};
  std::array<std::uint32_t, rooms_max> rooms_{};
};

}  // namespace mobula::server
