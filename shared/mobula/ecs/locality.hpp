// How far the order of components in memory is from the order in which they are walked, and mending it
// bit by bit. (IceFall Games, "Entity Component System architecture": churn shuffles memory order, and the text's
// picture of that.)
//
// Pools that are walked together are walked at memory speed where they hold the same entities at the same positions.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/ecs/registry.hpp>
#include <vector>

namespace mobula::ecs {

// Where in `pool` a walk along `lead` finds its components: the positions in walking order, of entities that both have.
std::vector<std::uint32_t> iteration_order(const SparseSet& lead, const Pool& pool);

// The share of that walk's steps that go on to the next position: 1 is straight on, random order is about 0.
double locality(const SparseSet& lead, const Pool& pool);

// A picture of a walking order, as a binary PGM file: walking steps from left to right, memory positions from bottom to
// top. Fresh, it is a diagonal; churned, it is noise. The more of the walk is in a dot, the darker it is.
core::Bytes draw_iteration(std::span<const std::uint32_t> order, std::uint32_t width, std::uint32_t height);

// Brings pools that are walked together back into one order, some moves per call: those entities of the lead that all
// followers have come first in each, at the same positions; after them each follower holds what else the lead has, in
// the lead's order, and then the rest.
//
// A cursor goes round over the lead and swaps to the cursor what belongs there. The registry may change in any way
// between calls: what that put out of order is mended when the cursor comes by again. Of the lead nothing but which
// entities come first is decided here; a lead whose order has an owner is followed as it is. A follower whose order has
// an owner is left alone; one that gets free waits until the cursor starts again.
class Defragmenter {
 public:
  // Entities looked at per call: at most so many times the budget.
  static constexpr std::uint32_t looks_per_move = 8;

  // The registry must outlive the defragmenter. The pools are different ones of it: that asserts.
  Defragmenter(Registry& registry, PoolId lead, const std::vector<PoolId>& followers);

  // Returns the moves made: at most `budget_moves`. One swap is 2 moves; they are stamped. A call ends with the budget,
  // with too many looks, or at the end of a round. No pool of the defragmenter may be walked meanwhile.
  std::uint32_t mend(std::uint32_t budget_moves);

  // How many rounds have ended: after one in which nothing changed otherwise, all is in order.
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

 private:
  struct Follower {
    PoolId pool;
    std::uint32_t next;   // the position that the lead's next entity gets; Pool::none: sits this round out
    std::uint32_t found;  // scratch: where the entity at the cursor is
  };
  // What is left of one call.
  struct Allowance {
    std::uint32_t moves;
    std::uint64_t looks;
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
