// Order of the WorldTransform pool: by depth, roots first, so that one iteration visits every parent before its
// children.
//
//   rows:     by position in the pool: entity index, position of its parent's component and of its Transform
//   depths:   by position: the depth, as bytes for fast search
//   touched:  by position: to be recomputed whatever the change tick of its Transform
//
// A change moves only misplaced entities, each to the front of the misplaced ones in the part of its depth (American
// flag sort). An entity whose depth changes by n causes n + 1 moves, and a valid order is only read.
// Invariant, after sort() and aim(): depths ascend; rows agree with the pool, the Transform pool and Members.
#pragma once

#include <array>
#include <mobula/hierarchy/members.hpp>
#include <mobula/hierarchy/world_transform.hpp>

namespace mobula::hierarchy {

/// Order of the WorldTransform pool by depth.
class DepthOrder {
 public:
  static constexpr std::uint32_t none = Links::none;

  struct Row {
    std::uint32_t index = none;
    std::uint32_t parent = none;  // position of its WorldTransform; none for a root
    std::uint32_t source = none;  // position of its Transform
  };

  /// Claims the order of the pool for the lifetime of this object.
  explicit DepthOrder(ecs::Pool& worlds);
  ~DepthOrder() { worlds_.release_order(); }
  DepthOrder(const DepthOrder&) = delete;
  DepthOrder& operator=(const DepthOrder&) = delete;

  [[nodiscard]] bool is_current() const { return version_ == worlds_.version(); }
  /// Calls function(index) for each row whose entity lost its WorldTransform, and clears the row.
  template <class Function>
  void drop_lost(Function function) {
    for (std::uint32_t position = 0; position < rows_.size(); ++position) {
      const std::uint32_t index = rows_[position].index;
      if (index == none || holds(position, index) || worlds_.contains(index)) continue;
      rows_[position].index = none;
      function(index);
    }
  }
  /// Calls function(index) for each entity at a position where its row is not.
  template <class Function>
  void each_moved(Function function) const {
    for (std::uint32_t position = 0; position < worlds_.size(); ++position)
      if (position >= rows_.size() || rows_[position].index != worlds_.indices()[position])
        function(worlds_.indices()[position]);
  }
  /// Updates the rows to the pool. All its entities must be members of `members` with a Transform.
  void follow(const Members& members, const ecs::Pool& transforms);
  /// Records the new position of an entity's Transform.
  void set_source(std::uint32_t index, std::uint32_t source) { rows_[worlds_.find(index)].source = source; }
  /// Marks an entity for the next update, and for sort() if its depth changed.
  void touch(std::uint32_t index, std::uint8_t depth);
  void sort();
  /// Updates the parents' positions after sort(): in rows of touched and moved entities, and of children of moved ones.
  void aim(const Members& members, const Links& links, std::span<const std::uint32_t> touched);
  void clear();

  [[nodiscard]] std::span<const Row> rows() const { return rows_; }
  [[nodiscard]] std::uint32_t roots() const { return counts_[1]; }
  /// Returns flags by position: 1 if an update must compute. The update sets 1 where the value changed, then clears
  /// all.
  [[nodiscard]] std::uint8_t* touched() { return touched_.data(); }
  [[nodiscard]] bool any_touched() const { return any_touched_; }
  void forget_touched();

  /// Asserts the invariant by checking every row.
  void check(const Members& members, const ecs::Pool& transforms) const;

 private:
  [[nodiscard]] bool holds(std::uint32_t position, std::uint32_t index) const {
    return position < worlds_.size() && worlds_.indices()[position] == index;
  }
  void swap(std::uint32_t a, std::uint32_t b);
  void aim(const Members& members, std::uint32_t index);

  ecs::Pool& worlds_;
  std::vector<Row> rows_;
  std::vector<std::uint8_t> depths_;
  std::vector<std::uint8_t> touched_;
  std::array<std::uint32_t, max_depth + 1> counts_{};  // by depth
  std::vector<std::uint32_t> moved_;                   // since aim(), with duplicates
  std::uint64_t version_ = 0;                          // version of the pool when rows were right
  bool sorted_ = true;
  bool any_touched_ = false;
};

}  // namespace mobula::hierarchy
