// Locality: how well the order of components in memory matches the order of iteration, and restoring it step by step.
// (IceFall Games, "Entity Component System architecture": churn shuffles memory order; draw_iteration() shows it as
// there.)
//
// Pools iterated together run at memory speed where they hold the same entities at the same positions.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/ecs/registry.hpp>
#include <vector>

namespace mobula::ecs {

/// Returns the positions in `pool` that an iteration along `lead` visits, in order, for entities in both.
std::vector<std::uint32_t> iteration_order(const SparseSet& lead, const Pool& pool);

/// Returns the share of iteration steps that move to the next position: 1 is sequential, random order is about 0.
double locality(const SparseSet& lead, const Pool& pool);

/// Draws an iteration order as a binary PGM file: steps from left to right, memory positions from bottom to top. A
/// fresh pool is a diagonal, a fragmented one is noise. The more steps a pixel covers, the darker it is.
core::Bytes draw_iteration(std::span<const std::uint32_t> order, std::uint32_t width, std::uint32_t height);

/// Brings pools that are iterated together back into one order, a limited number of moves per call. Entities of the
/// lead that all followers have come first in each pool, at the same positions. Then each follower holds the lead's
/// other entities in the lead's order, then the rest.
///
/// A cursor runs over the lead in rounds and swaps matching components to its position. The registry may change between
/// calls: the next round repairs that. In the lead only the split into shared and other entities is decided here. A
/// lead whose order has an owner is followed as it is. A follower whose order has an owner is left alone; once
/// released, it takes part from the next round on.
class Defragmenter {
 public:
  /// Entities examined per call, per move of the budget.
  static constexpr std::uint32_t examined_per_move = 8;

  /// The registry must outlive the defragmenter. Checks that the pools are different pools of it.
  Defragmenter(Registry& registry, PoolId lead, const std::vector<PoolId>& followers);

  /// Performs at most `budget_moves` moves and returns their number. A swap is 2 moves; both blocks are marked as
  /// changed. A call ends with the budget, after examined_per_move * budget_moves examined entities, or at the end of a
  /// round. None of the pools may be iterated meanwhile.
  std::uint32_t defragment(std::uint32_t budget_moves);

  /// Returns the number of finished rounds. After a round without other changes everything is in order.
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

 private:
  struct Follower {
    PoolId pool;
    std::uint32_t next;   // position of the lead's next entity; Pool::none: not in this round
    std::uint32_t found;  // scratch: position of the entity at the cursor
  };
  // Remaining budget of one call.
  struct Allowance {
    std::uint32_t moves;
    std::uint64_t examined;
  };

  void start_round();
  void leave_owned_alone();
  [[nodiscard]] bool in_all(std::uint32_t index) const;
  bool fetch_to_cursor(Pool& lead, Allowance& allowance);
  bool place(std::uint32_t index, Allowance& allowance);
  void prefetch(const Pool& lead) const;
  bool swap(Pool& pool, std::uint32_t a, std::uint32_t b, Allowance& allowance) const;

  Registry& registry_;
  PoolId lead_;
  std::vector<Follower> followers_;
  std::uint32_t cursor_ = 0;  // positions of the lead before it are done
  std::uint32_t back_ = 0;    // entities of the lead from here on are not in all followers
  std::uint64_t rounds_ = 0;
};

}  // namespace mobula::ecs
