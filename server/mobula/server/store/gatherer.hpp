// The simulation thread's half of a checkpoint: finds what has changed since the last one, and copies it.
//
//   structure   from the structural change log, noted each tick before it is cleared
//   values      from the change ticks: full blocks of 64, as the writer skips equal values
//
// Of one registry, which outlives it. Allocates only until it has seen the largest batch.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/store/batch.hpp>

namespace mobula::store {

class Gatherer {
 public:
  Gatherer(const ecs::Registry& registry, const reflect::Schema& schema);

  // Notes structural changes. Called once per tick, when all of them are in the log.
  void note();
  // Fills an empty batch. Called at the end of a tick, after note(): later writes must not have that change tick. The
  // first batch contains everything.
  void gather(Batch& batch);

 private:
  void mark(std::uint32_t index);
  void gather_pools(Batch& batch);
  void gather_entities(Batch& batch);
  void gather_rows(Batch& batch) const;
  void gather_ranges(Batch& batch);
  std::uint32_t composition(ecs::PrototypeId prototype, Batch& batch);
  void copy_rows(const ecs::Pool& pool, std::uint32_t first, std::uint32_t end, Batch& batch) const;

  const ecs::Registry& registry_;
  const reflect::Schema& schema_;
  bool first_ = true;
  ecs::Tick last_ = 0;                    // of the last batch
  std::vector<bool> is_saved_;            // by pool
  std::vector<std::uint64_t> marked_;     // a bit per index
  std::vector<std::uint32_t> dirty_;      // those whose bit is set
  std::vector<ecs::EntityRange> ranges_;  // of the last batch
  std::vector<ecs::EntitySlot> room_;
  // By prototype: its number in the batch, where `seen` is the batch's.
  struct Numbered {
    std::uint32_t seen = 0;
    std::uint32_t number = 0;
  };
  std::vector<Numbered> numbered_;
  std::uint32_t batches_ = 0;
};

}  // namespace mobula::store
