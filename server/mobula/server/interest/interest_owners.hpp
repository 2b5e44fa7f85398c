// Entities by owner: a list for each player, linked through the entities' indices.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace mobula::server {

/// Entities of each player.
class InterestOwners {
 public:
  /// Moves an entity from one owner to another; 0 means no owner.
  void change(std::uint32_t index, std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    if (from != 0) leave(index, from);
    if (to != 0) enter(index, to);
  }
  /// Calls function(index) for each entity of a player, the latest first.
  template <class Function>
  void each(std::uint32_t owner, Function function) const {
    const auto found = first_.find(owner);
    if (found == first_.end()) return;
    for (std::uint32_t index = found->second; index != none; index = links_[index].next) function(index);
  }

 private:
  static constexpr std::uint32_t none = ~0u;
  struct Link {
    std::uint32_t next = none;
    std::uint32_t previous = none;
  };

  void enter(std::uint32_t index, std::uint32_t owner) {
    if (index >= links_.size()) links_.resize(index + 1);
    const auto [first, is_first] = first_.try_emplace(owner, index);
    links_[index] = {};
    if (is_first) return;
    links_[index].next = first->second;
    links_[first->second].previous = index;
    first->second = index;
  }
  void leave(std::uint32_t index, std::uint32_t owner) {
    const Link link = links_[index];
    if (link.next != none) links_[link.next].previous = link.previous;
    if (link.previous != none) {
      links_[link.previous].next = link.next;
    } else if (link.next != none) {
      first_[owner] = link.next;
    } else {
      first_.erase(owner);
    }
  }

  std::unordered_map<std::uint32_t, std::uint32_t> first_;  // by owner; never iterated
  std::vector<Link> links_;                                 // by entity index
};

}  // namespace mobula::server
