// The order of the WorldTransform pool: by depth, roots first, so that one walk meets every parent before its children.
//
//   rows:     by position in the pool: whose component it is, the position of its parent's and of its Transform
//   depths:   the same, as bytes that are searched at a byte per step
//   touched:  who must be computed anew whatever its Transform's stamp says
//
// A change moves only who stands wrong: each to the front of what is wrong in the part of its depth (an American flag
// sort), so one entity that changes its depth by n moves n + 1, and an order that holds is merely read.
// Invariant, after sort() and aim(): depths ascend; rows say what the pool, the Transforms' pool and Members say.
#pragma once

#include <array>
#include <mobula/hierarchy/members.hpp>
#include <mobula/hierarchy/world_transform.hpp>

namespace mobula::hierarchy {

class DepthOrder {
 public:
  static constexpr std::uint32_t none = Links::none;

  struct Row {
    std::uint32_t index = none;
    std::uint32_t parent = none;  // position of its WorldTransform; none: a root
    std::uint32_t source = none;  // position of its Transform
  };

  // Becomes the owner of the pool's order until it ends.
  explicit DepthOrder(ecs::Pool& worlds);
  ~DepthOrder() { worlds_.release_order(); }
  DepthOrder(const DepthOrder&) = delete;
  DepthOrder& operator=(const DepthOrder&) = delete;

  [[nodiscard]] bool is_current() const { return version_ == worlds_.version(); }
  // function(index) for each that had a row and has no WorldTransform any more; what it had is forgotten.
  template <class Function>
  void drop_lost(Function function) {
    for (std::uint32_t position = 0; position < rows_.size(); ++position) {
      const std::uint32_t index = rows_[position].index;
      if (holds(position, index) || worlds_.contains(index)) continue;
      rows_[position].index = none;
      function(index);
    }
  }
  // function(index) for each that lies where another lay or nobody.
  template <class Function>
  void each_moved(Function function) const {
    for (std::uint32_t position = 0; position < worlds_.size(); ++position)
      if (position >= rows_.size() || rows_[position].index != worlds_.indices()[position])
        function(worlds_.indices()[position]);
  }
  // Rows for whatever the pool has come to: all in it are members of `members` with a Transform.
  void follow(const Members& members, const ecs::Pool& transforms);
  // Its Transform has another position.
  void set_source(std::uint32_t index, std::uint32_t source) { rows_[worlds_.find(index)].source = source; }
  // It is computed by the next update, and goes where its depth says by the next sort().
  void touch(std::uint32_t index, std::uint8_t depth);
  void sort();
  // After sort(): rows find the parents of who was touched, or moved, and of the children of who moved.
  void aim(const Members& members, const Links& links, std::span<const std::uint32_t> touched);
  void clear();

  [[nodiscard]] std::span<const Row> rows() const { return rows_; }
  [[nodiscard]] std::uint32_t roots() const { return counts_[1]; }
  // 1 where an update must compute; the update notes 1 where the value changed, and then forgets all.
  [[nodiscard]] std::uint8_t* touched() { return touched_.data(); }
  [[nodiscard]] bool any_touched() const { return any_touched_; }
  void forget_touched();

  // Asserts the invariant by walking everything.
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
  std::vector<std::uint32_t> moved_;                   // since aim(), some of them twice
  std::uint64_t version_ = 0;                          // of the pool, when rows were right
  bool sorted_ = true;
  bool any_touched_ = false;
};

}  // namespace mobula::hierarchy
