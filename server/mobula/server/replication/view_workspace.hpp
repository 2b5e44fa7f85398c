// The lists in which a ClientView lays out what it is about to send. All views share one workspace and take turns: its
// contents belong to the view that called choose() last. So it stays in the CPU's cache, and an idle client takes no
// memory for it.
#pragma once

#include <array>
#include <mobula/server/interest/interest_parents.hpp>
#include <mobula/server/replication/encoded_delta_cache.hpp>
#include <span>
#include <vector>

namespace mobula::server {

/// Workspace shared by the views of one cache.
struct ViewWorkspace {
  struct Candidate {
    std::uint32_t id;
    std::uint32_t moving_before;  // number of moving ids before it
    bool moving;
    float priority = 0;
  };
  // A parent of a candidate, and the candidate's priority.
  struct Above {
    std::uint32_t index;
    float priority;
  };
  struct Item {
    std::uint32_t id;
    std::uint32_t moving_before;
    EncodedDeltaCache::EncodedDelta bits;
  };
  struct List {
    std::vector<Item> items;
    std::size_t next = 0;
    [[nodiscard]] std::span<const Item> rest() const { return std::span(items).subspan(next); }
  };

  std::vector<std::uint32_t> visible;
  std::vector<Candidate> candidates;
  std::vector<Above> above;
  List moving;
  List changed;
  List gained;
  List lost;
  [[nodiscard]] std::array<List*, 4> lists() { return {&moving, &changed, &gained, &lost}; }
  std::vector<Item> large;                   // full states that do not fit a delta
  core::Bytes body;                          // scratch: one of them, as the body of a delta
  const InterestParents* parents = nullptr;  // null if no entity has a parent
  const void* user = nullptr;                // the view that called choose() last
};

}  // namespace mobula::server
