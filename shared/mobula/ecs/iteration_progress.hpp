// Progress of iterations, of which the iterated sets report every change of positions. So each entity that stays is
// visited exactly once, whatever the function changes.
//
// An iteration goes over a set, its lead, from the last position to the first, in runs that may go forwards:
//
//   0 … unvisited … first … current … end … visited … size
//
// An entity that moves from a visited position to an unvisited one is skipped there. One that moves the other way is
// visited late, after all others. If the lead shrinks to a position, all that enters it later is behind that position,
// and is not visited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mobula/core/owned.hpp>
#include <mobula/ecs/sparse_set.hpp>
#include <vector>

namespace mobula::ecs {

/// Progress of one iteration.
class IterationProgress {
 public:
  explicit IterationProgress(const SparseSet& lead) : lead_(&lead), least_size_(lead.size()) {}

  /// Begins a run over positions first … end - 1. Those from `end` on are visited.
  void begin_run(std::uint32_t first, std::uint32_t end, bool forwards) {
    first_ = first;
    end_ = end;
    forwards_ = forwards;
    current_ = forwards ? first : end;
    disturbed_ = false;
    outdated_ = false;
  }
  [[nodiscard]] bool goes_forwards() const { return forwards_; }
  /// Returns the least size that the lead has had. Positions behind it are not visited.
  [[nodiscard]] std::uint32_t least_size() const { return least_size_; }
  /// Begins the visit of a position of the run.
  void visit(std::uint32_t position) { current_ = position; }
  /// Returns true if positions that are not visited yet have changed during the run.
  [[nodiscard]] bool disturbed() const { return disturbed_; }
  /// Returns true if positions or places of components that were found during the run may be wrong.
  [[nodiscard]] bool outdated() const { return outdated_; }

  [[nodiscard]] bool skips(std::uint32_t index) const { return skipped_.contains(index); }
  [[nodiscard]] bool skips_any() const { return skipped_.any(); }
  /// Takes the index of an entity to be visited late. Returns false if there is none.
  bool take_late(std::uint32_t& index) {
    if (!late_.any()) return false;
    index = late_.last();
    return late_.erase(index);
  }

  /// Receives the removal of an index from a position.
  void on_removed(const SparseSet& set, std::uint32_t position);
  /// Receives the move of an index between positions.
  void on_moved(const SparseSet& set, std::uint32_t index, std::uint32_t from, std::uint32_t to);
  /// Receives that a pool has other tables of its components.
  void on_grown() { outdated_ = true; }
  /// Sets whether what was found may be wrong.
  void set_outdated(bool outdated) { outdated_ = outdated; }

 private:
  // A set that has no memory before the first index. A function may destroy an entity and reuse its index, which is
  // then in the set already.
  class IndexSet {
   public:
    [[nodiscard]] bool any() const { return set_ && set_->size() != 0; }
    [[nodiscard]] bool contains(std::uint32_t index) const { return any() && set_->contains(index); }
    [[nodiscard]] std::uint32_t last() const { return set_->indices().back(); }
    void add(std::uint32_t index);
    bool erase(std::uint32_t index);  // false if it is not in the set

   private:
    core::Owned<SparseSet> set_;
  };

  [[nodiscard]] bool is_visited(std::uint32_t position) const;

  const SparseSet* lead_;
  std::uint32_t first_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t least_size_;
  std::uint32_t current_ = 0;
  bool forwards_ = false;
  bool disturbed_ = false;
  bool outdated_ = false;
  IndexSet skipped_;  // visited, at positions that are to be visited
  IndexSet late_;     // not visited, at positions that are
};

/// The iterations over one set that are in progress.
class Iterations {
 public:
  struct Link {
    IterationProgress* progress = nullptr;
    Link* next = nullptr;
  };

  [[nodiscard]] bool any() const { return first_ != nullptr; }
  void begin(Link& link) {
    link.next = first_;
    first_ = &link;
  }
  void end(Link& link);
  /// Reports a removal that is about to fill the gap with the last index.
  void report_removal(const SparseSet& set, std::uint32_t index);
  /// Reports that the indices at two positions are about to be swapped.
  void report_swap(const SparseSet& set, std::uint32_t a, std::uint32_t b);
  /// Reports that the set's pool has grown.
  void report_growth();

 private:
  Link* first_ = nullptr;
};

}  // namespace mobula::ecs
