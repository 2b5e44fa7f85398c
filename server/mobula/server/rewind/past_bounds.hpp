// Bounds of where clients may have drawn each entity in the last ticks: the broad phase of rays and radii. One box per
// entity for all clients, in arrays of floats.
//
// The kept time is cut into blocks. Each has a box per entity with all states that were published in it. Queries test
// the union of the blocks. An entity that ended stays as long as a client may show it.
//
// A client that lacks the next state of a course draws the old one on. So a state counts with all values of its course
// until drawn_ticks after the block.
//
// Entities below a Parent have no bounds: what is drawn between two poses of a turning parent is in no box of places.
// They are tested one by one.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/server/replication/published.hpp>
#include <mobula/server/rewind/hit_shape.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class PastBounds {
 public:
  static constexpr std::uint32_t none = ~0u;

  /// The bounds reach back at least `ticks` ticks. `published` outlives it.
  PastBounds(Published& published, ecs::Tick ticks);

  /// Notes the entities that changed in a publication. Once per tick.
  void update(std::span<const std::uint32_t> changed, ecs::Tick tick);

  /// Returns the first tick all of whose states are within the bounds.
  [[nodiscard]] ecs::Tick since() const { return block_begins_[oldest_block()]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(entities_.size()); }
  [[nodiscard]] ecs::Entity entity(std::uint32_t slot) const { return entities_[slot]; }
  /// Returns the slot of the living entity at an index; none if it has no Transform.
  [[nodiscard]] std::uint32_t slot(std::uint32_t index) const {
    const std::uint32_t slot = index < slots_.size() ? slots_[index] : none;
    return slot != none && ended_[slot] == 0 ? slot : none;
  }
  /// Sets found[slot] to 1 for each box that a ray, or a sphere, comes nearer than `reach`; to 0 for others.
  void find(const Ray& ray, float reach, std::vector<std::uint8_t>& found) const;
  void find(const engine::Vec3& centre, float reach, std::vector<std::uint8_t>& found) const;
  /// Returns whether a place is within the bounds of a slot. For checks.
  [[nodiscard]] bool contains(std::uint32_t slot, const engine::Vec3& place) const;

  static constexpr std::size_t blocks = 3;

 private:
  // Coordinates with a fourth, unused one: the compiler computes four at once.
  using Lanes = std::array<float, 4>;
  struct Box {
    Lanes low{};
    Lanes high{};

    void extend(const Box& box);
  };
  // Where a published state is at a tick: at + speed a + bend a (a + 1) / 2, at age a.
  struct Path {
    Lanes at{};
    Lanes speed{};
    Lanes bend{};
    float slack = 0;      // around it; infinite if it is not known
    ecs::Tick since = 0;  // age 0
  };

 public:
  /// Memory of one entity, in bytes.
  static constexpr std::size_t entity_bytes =
      blocks * sizeof(Box) + sizeof(Path) + 6 * sizeof(float) + sizeof(ecs::Entity) + 2 * sizeof(std::uint32_t);

 private:
  [[nodiscard]] std::size_t oldest_block() const { return (block_ + 1) % blocks; }
  [[nodiscard]] ecs::Tick drawn_until() const { return block_begins_[block_] + block_ticks_ + drawn_ticks_; }
  void note(std::uint32_t index, ecs::Tick tick);
  void add(ecs::Entity entity, const Path& path, const Box& box);
  void end(std::uint32_t slot, ecs::Tick tick);
  void remove(std::uint32_t slot);
  void begin_block(ecs::Tick tick);
  void set_codec(const wire::RowCodec& codec);
  [[nodiscard]] Path path_of(ecs::Entity entity, const PublishedRow& row, ecs::Tick tick) const;
  [[nodiscard]] Path course_path(const std::uint32_t* row, ecs::Tick tick) const;
  [[nodiscard]] Box box_of(const Path& path, ecs::Tick first, ecs::Tick last) const;

  Published& published_;
  ecs::PoolId transforms_ = ecs::no_pool;
  ecs::PoolId parents_ = ecs::no_pool;
  ecs::Tick block_ticks_;
  ecs::Tick drawn_ticks_;
  std::size_t block_ = 0;  // the present one
  std::array<ecs::Tick, blocks> block_begins_{};
  std::array<std::vector<Box>, blocks> boxes_;  // by block, then by slot
  std::array<std::vector<float>, 3> low_;       // union of the blocks, by coordinate, then by slot
  std::array<std::vector<float>, 3> high_;
  std::vector<Path> paths_;                   // by slot
  Box range_;                                 // limits of what is published
  const wire::RowCodec* codec_ = nullptr;     // codec of Transforms; null before the first
  const wire::CourseUnit* course_ = nullptr;  // course of positions; null if they have none
  std::array<float, 3> speed_unit_{};
  std::vector<ecs::Entity> entities_;  // by slot
  std::vector<ecs::Tick> ended_;       // by slot: tick in which it ended; 0 if it lives
  std::vector<std::uint32_t> slots_;   // by index; that of the last entity there
  std::uint32_t ended_count_ = 0;
};

}  // namespace mobula::server
