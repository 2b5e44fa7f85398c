// Finds what has changed since the last checkpoint and copies it into a batch. Runs on the simulation thread.
//
//   structure   from the structural change log, read each tick before it is cleared
//   values      from the change ticks of blocks of 64 rows; the writer skips equal rows
//
// Ghosts are left out. An own entity that another world has is saved as its handle alone, which stays reserved.
//
// Allocates only until it has seen the largest batch.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/store/batch.hpp>

namespace mobula::store {

/// Gathers the changes of one registry, which must outlive it.
class Gatherer {
 public:
  Gatherer(const ecs::Registry& registry, const reflect::Schema& schema);

  /// Records the tick's structural changes. Call it once per tick, when the change log is complete.
  void note();
  /// Copies all changes since the last call into a cleared batch. The first call copies the full world.
  /// Call it at the end of a tick, after note(): no later change may carry that tick.
  void gather(Batch& batch);

 private:
  void mark(std::uint32_t index);
  void gather_pools(Batch& batch);
  void gather_entities(Batch& batch);
  [[nodiscard]] BatchEntity entity_at(std::uint32_t index, Batch& batch);
  void gather_rows(Batch& batch) const;
  void gather_ranges(Batch& batch);
  std::uint32_t composition(ecs::PrototypeId prototype, Batch& batch);
  void copy_rows(const ecs::Pool& pool, std::uint32_t first, std::uint32_t end, Batch& batch) const;

  const ecs::Registry& registry_;
  const reflect::Schema& schema_;
  bool may_have_ghosts_;
  bool first_ = true;
  ecs::Tick last_ = 0;                    // tick of the last batch
  std::vector<bool> is_saved_;            // by pool
  std::vector<std::uint64_t> marked_;     // a bit per index
  std::vector<std::uint32_t> dirty_;      // marked indices
  std::vector<ecs::EntityRange> ranges_;  // as of the last batch
  std::vector<ecs::EntitySlot> room_;     // scratch memory
  // Number of a prototype's composition in batch `seen`; stale in any other batch.
  struct Numbered {
    std::uint32_t seen = 0;
    std::uint32_t number = 0;
  };
  std::vector<Numbered> numbered_;  // by prototype
  std::uint32_t batches_ = 0;
};

}  // namespace mobula::store
