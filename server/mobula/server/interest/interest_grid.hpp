// Spatial index: entities by interest group and layer, and by cell in layers with a radius.
//
// The entities of one interest group and one layer are a section. A section of a layer with a radius is a grid of
// square cells over x and z (y is up). The lists of its cells lie in a table of at least as many places as the section
// has entities. The world therefore has no bounds, and memory is bounded by the number of entities. Distances are
// three-dimensional.
//
//   place of a cell:  (cell x + cell z * row_step) mod size of the table
//
// Neighbours along x are therefore neighbours in memory, and rows are scattered. Two cells may share a place. That
// costs time and changes no result, because each distance is checked. Entities that are relevant at any distance are in
// the group's section `everywhere`, one list.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <mobula/server/interest/interest_lines.hpp>
#include <mobula/server/interest/region.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <span>
#include <vector>

namespace mobula::server {

/// Ends the process with a message unless the layers can be used.
void check_layers(std::span<const Layer> layers);

/// Grid of published entities.
class InterestGrid {
 public:
  // In place of a layer.
  static constexpr std::uint8_t everywhere = 255;  // in the place of a layer

  /// `layers` with a radius; the others are not used.
  explicit InterestGrid(std::span<const Layer> layers);

  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  static constexpr engine::Vec3 nowhere{.x = nan, .y = nan, .z = nan};

  /// Inserts an entity that is not in the grid. The position does not matter in `everywhere`, but is kept.
  void insert(std::uint32_t index, std::uint32_t group, std::uint8_t layer, const engine::Vec3& position);
  void erase(std::uint32_t index);
  /// Moves an entity within its section.
  void move(std::uint32_t index, const engine::Vec3& position);

  [[nodiscard]] bool contains(std::uint32_t index) const {
    return index < places_.size() && places_[index].section != none;
  }
  /// Returns the position of an entity in the grid.
  [[nodiscard]] const engine::Vec3& position(std::uint32_t index) const { return places_[index].position; }
  /// Returns whether the entity of an index, in the grid or not, is at the position. `nowhere` is equal to no position.
  [[nodiscard]] bool is_at(std::uint32_t index, const engine::Vec3& position) const {
    if (index >= places_.size()) return false;
    const engine::Vec3& at = places_[index].position;
    return (at.x == position.x) & (at.y == position.y) & (at.z == position.z);
  }

  /// Returns the number of entities in layers with a radius.
  [[nodiscard]] std::uint32_t near_count() const { return near_count_; }
  /// Returns the number of entities.
  [[nodiscard]] std::uint32_t size() const { return size_; }

  /// Returns the highest number of sections that existed at a time.
  [[nodiscard]] std::size_t section_count_max() const { return sections_.size(); }

  /// Calls visit(index, may enter) for all entities of the group that need not leave: those of `everywhere`, and those
  /// near a viewpoint. Some are visited more than once, in no particular order.
  template <class Visit>
  void search(std::uint32_t group, std::span<const engine::Vec3> viewpoints, Visit visit) const;

  /// Calls visit(index, may enter) once for all entities, of all groups, that need not leave: those of `everywhere`,
  /// and those near a region.
  template <class Visit>
  void search(const Region& region, Visit visit) const;

  /// Asserts the invariants by visiting everything.
  void check() const;

 private:
  static constexpr std::uint32_t none = InterestLines::none;
  static constexpr std::uint32_t row_step = 0x9e3779b1u;  // odd: consecutive rows do not collide
  static constexpr std::uint32_t least_cells = 16;

  struct Reach {
    float enter_squared = 0;
    float leave_squared = 0;
    float leave_radius = 0;
    float cells_per_metre = 0;
  };
  struct Section {
    std::uint32_t group = 0;
    std::uint32_t size = 0;  // entities; 0 if it is in free_sections_
    std::uint8_t layer = everywhere;
    std::vector<InterestLines::List> cells;  // a power of two; one in `everywhere`
  };
  struct SectionOf {
    std::uint64_t key;  // interest group << 8 | layer
    std::uint32_t section;

    bool operator<(const SectionOf& other) const { return key < other.key; }
  };
  // 20 bytes.
  struct Place {
    engine::Vec3 position = nowhere;
    std::uint32_t section = none;  // none if it is not in the grid
    std::uint32_t slot = none;
  };
  struct Span {
    std::int32_t first;
    std::int32_t last;
  };

  static std::uint32_t place_of(std::int32_t x, std::int32_t z) {
    return static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(z) * row_step;
  }
  static std::int32_t cell_at(float metres, const Reach& reach);
  static Span cells_around(float least, float most, const Reach& reach);
  InterestLines::List& list_at(Section& section, const engine::Vec3& position);
  std::uint32_t open_section(std::uint32_t group, std::uint8_t layer);
  void close_section(std::uint32_t section);
  void push(std::uint32_t section, std::uint32_t index, const engine::Vec3& position);
  void erase_from(InterestLines::List& list, std::uint32_t slot);
  void grow(std::uint32_t section);
  template <class Visit>
  void search(const Section& section, const engine::Vec3& viewpoint, Visit visit) const;
  template <class Visit>
  static void each_list(const Section& section, const Span& x, const Span& z, Visit visit);

  std::array<Reach, Layer::count_max> reaches_{};  // by layer
  InterestLines lines_;
  std::vector<Section> sections_;
  std::vector<std::uint32_t> free_sections_;
  std::vector<SectionOf> sections_by_group_;  // sorted
  std::vector<Place> places_;                 // by entity index
  std::uint32_t size_ = 0;
  std::uint32_t near_count_ = 0;
};

/// Rounds down, as otherwise the cells at 0 would be twice as large. At distances where floats are coarser than cells,
/// everything is one cell.
inline std::int32_t InterestGrid::cell_at(float metres, const Reach& reach) {
  constexpr float farthest = 1 << 30;
  const float exact = metres * reach.cells_per_metre;
  if (!(exact > -farthest)) return -(1 << 30);  // nor is it a number, perhaps
  if (exact >= farthest) return 1 << 30;
  const auto towards_zero = static_cast<std::int32_t>(exact);
  return static_cast<float>(towards_zero) > exact ? towards_zero - 1 : towards_zero;
}

/// Uses slightly more than the radius, because distances are rounded. (The sums are too, but never beyond a float.)
inline InterestGrid::Span InterestGrid::cells_around(float least, float most, const Reach& reach) {
  const float distance = reach.leave_radius * 1.001f;
  return {cell_at(least - distance, reach), cell_at(most + distance, reach)};
}

template <class Visit>
inline void InterestGrid::search(std::uint32_t group, std::span<const engine::Vec3> viewpoints, Visit visit) const {
  const std::uint64_t key = std::uint64_t{group} << 8;
  for (auto at = std::lower_bound(sections_by_group_.begin(), sections_by_group_.end(), SectionOf{key, 0});
       at != sections_by_group_.end() && at->key >> 8 == group; ++at) {
    const Section& section = sections_[at->section];
    if (section.layer == everywhere) {
      lines_.each(section.cells[0], [&](std::uint32_t index, std::uint32_t /*slot*/) { visit(index, true); });
    } else {
      for (const engine::Vec3& viewpoint : viewpoints) search(section, viewpoint, visit);
    }
  }
}

template <class Visit>
inline void InterestGrid::search(const Section& section, const engine::Vec3& viewpoint, Visit visit) const {
  const Reach& reach = reaches_[section.layer];
  InterestLines::Hits hits;
  const auto flush = [&](InterestLines::Hits& full) {
    for (std::uint32_t i = 0; i < full.count; ++i) visit(full.index[i], full.squared[i] <= reach.enter_squared);
    full.count = 0;
  };
  each_list(
      section, cells_around(viewpoint.x, viewpoint.x, reach), cells_around(viewpoint.z, viewpoint.z, reach),
      [&](const InterestLines::List& list) { lines_.find_near(list, viewpoint, reach.leave_squared, hits, flush); });
  flush(hits);
}

template <class Visit>
inline void InterestGrid::search(const Region& region, Visit visit) const {
  for (const Section& section : sections_) {
    if (section.size == 0) continue;
    if (section.layer == everywhere) {
      lines_.each(section.cells[0], [&](std::uint32_t index, std::uint32_t /*slot*/) { visit(index, true); });
      continue;
    }
    const Reach& reach = reaches_[section.layer];
    each_list(section, cells_around(region.x_min, region.x_max, reach), cells_around(region.z_min, region.z_max, reach),
              [&](const InterestLines::List& list) {
                lines_.each(list, [&](std::uint32_t index, std::uint32_t slot) {
                  const float squared = region.distance_squared(lines_.position(slot));
                  if (squared <= reach.leave_squared) visit(index, squared <= reach.enter_squared);
                });
              });
  }
}

// Visits the lists of cells; all lists if that is less.
template <class Visit>
inline void InterestGrid::each_list(const Section& section, const Span& x, const Span& z, Visit visit) {
  const auto wide = static_cast<std::uint64_t>(std::int64_t{x.last} - x.first + 1);
  const auto deep = static_cast<std::uint64_t>(std::int64_t{z.last} - z.first + 1);
  const std::size_t mask = section.cells.size() - 1;
  if (wide > mask || wide * deep > mask) {
    for (const InterestLines::List& list : section.cells) visit(list);
  } else {
    for (std::int32_t row = z.first; row <= z.last; ++row)
      for (std::int32_t column = x.first; column <= x.last; ++column)
        visit(section.cells[place_of(column, row) & mask]);
  }
}

}  // namespace mobula::server
