// Compares mirrors with the world at the tick of each of their entities' values.
#pragma once

#include <array>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/wire/row_codec.hpp>

#include "replication/walkers.hpp"

namespace mobula::bench {

class Verifier {
 public:
  explicit Verifier(const reflect::Schema& schema);

  // Called after each tick with that tick.
  void note(const Walkers& walkers, const ecs::Registry& world, ecs::Tick tick);
  // Returns how many of the mirror's visible entities have wrong values. Moving entities older than the history count
  // too.
  std::uint64_t mismatches(const Walkers& walkers, const client::Mirror& mirror);
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  static constexpr std::size_t ticks_kept = 128;

  struct Moment {
    ecs::Tick tick = 0;
    std::vector<std::uint32_t> words;  // all walkers, one after the other
  };

  wire::RowCodec codec_;
  std::array<Moment, ticks_kept> moments_;  // by tick
  ecs::Tick newest_ = 0;
  std::vector<std::uint32_t> words_;
  std::uint64_t compared_ = 0;
};

}  // namespace mobula::bench
