// Finds what was written past the stamps: a reference that is kept over ticks writes without a stamp, and whoever
// looks for stamps never hears of it. For tests, and for worlds that run with asserts.
//
// Remembers a hash of each block of 64 positions of all pools of schema components, of entities and components both.
// Local components are not audited: their bytes may change as they like.
// It belongs to one registry, which must outlive it.
#pragma once

#include <cstdint>
#include <mobula/ecs/registry.hpp>
#include <string>
#include <vector>

namespace mobula::ecs {

// A block of a pool that is not as it was, though its stamp says so.
struct UnmarkedBlock {
  PoolId pool = 0;
  std::uint32_t block = 0;
  Entity first;  // at the block's first position

  bool operator==(const UnmarkedBlock&) const = default;
};

class ChangeTickAudit {
 public:
  explicit ChangeTickAudit(const Registry& registry) : registry_(registry) {}

  // What has changed since the last call without a stamp of a later tick than that call's, by pool and block. The first
  // call remembers only.
  //
  // It looks where a publisher looks: at the end of each tick. What is written after it, but in the same tick, a
  // publisher would miss as well, and it is reported. A block that has only lost positions at its end, which needs no
  // stamp, cannot be compared until the next call.
  std::vector<UnmarkedBlock> run();

 private:
  struct Remembered {
    std::vector<std::uint64_t> hashes;  // by block
    std::uint32_t size = 0;             // of the pool
  };

  void audit(const Pool& pool, Remembered& before, std::vector<UnmarkedBlock>& found) const;

  const Registry& registry_;
  std::vector<Remembered> remembered_;  // by pool
  Tick last_ = 0;                       // of the last call
};

// For logs: which pool and entities, in words.
std::string to_string(const UnmarkedBlock& block, const Registry& registry);

}  // namespace mobula::ecs
