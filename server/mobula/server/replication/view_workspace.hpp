// Where a client's view lays out what it is about to send. Views take turns: what is in it is one's own from its
// choosing until another chooses. So it stays in the cache, and a client that waits takes no memory for it.
#pragma once

#include <mobula/server/replication/encoded_delta_cache.hpp>
#include <span>
#include <vector>

namespace mobula::server {

struct ViewWorkspace {
  struct Candidate {
    std::uint32_t id;
    std::uint32_t moving_before;  // how many ids before it are moving on
    bool moving;
    float priority = 0;
  };
  struct Item {
    std::uint32_t id;
    std::uint32_t moving_before;
    EncodedDeltaCache::Bits bits;
  };
  struct List {
    std::vector<Item> items;
    std::size_t next = 0;
    [[nodiscard]] std::span<const Item> rest() const { return std::span(items).subspan(next); }
  };

  std::vector<std::uint32_t> seen;
  std::vector<Candidate> candidates;
  List moving;
  List changed;
  List appeared;
  List gone;
  const void* user = nullptr;  // the view that chose last
};

}  // namespace mobula::server
