// Finds writes that bypass change ticks. A reference kept over ticks writes without marking its block as changed, so
// readers of change ticks miss the write. For tests, and for worlds that run with asserts.
//
// Keeps a hash of each block of 64 positions for every pool of a schema component: entity indices and component bytes.
// Server-only components are not audited: they are never published. Belongs to one registry, which must outlive it.
#pragma once

#include <cstdint>
#include <mobula/ecs/registry.hpp>
#include <string>
#include <vector>

namespace mobula::ecs {

/// A block whose content differs although its change tick is not newer.
struct UnmarkedBlock {
  PoolId pool = 0;
  std::uint32_t block = 0;
  Entity first;  // at the block's first position

  bool operator==(const UnmarkedBlock&) const = default;
};

/// Finds writes that bypass change ticks.
class ChangeTickAudit {
 public:
  explicit ChangeTickAudit(const Registry& registry) : registry_(registry) {}

  /// Returns the blocks that changed since the last call without a change tick later than that call's tick. Sorted by
  /// pool and block. The first call only takes hashes.
  ///
  /// Call it where a publisher reads: at the end of each tick. A later write in the same tick is reported, as a
  /// publisher would miss it too. A block that only lost positions at its end has no new change tick and is skipped
  /// until the next call.
  std::vector<UnmarkedBlock> run();

 private:
  struct Remembered {
    std::vector<std::uint64_t> hashes;  // by block
    std::uint32_t size = 0;             // size of the pool
  };

  void audit(const Pool& pool, Remembered& before, std::vector<UnmarkedBlock>& found) const;

  const Registry& registry_;
  std::vector<Remembered> remembered_;  // by pool
  Tick last_ = 0;                       // tick of the last call
};

/// Describes the pool and the first entity of a block, for logs.
std::string to_string(const UnmarkedBlock& block, const Registry& registry);

}  // namespace mobula::ecs
