// Compares mirrors with what the world was at the tick of each of their entities' values.
#pragma once

#include <array>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/wire/row_codec.hpp>

#include "replication/walkers.hpp"

namespace mobula::bench {

class Verifier {
 public:
  explicit Verifier(const reflect::Schema& schema);

  // After each tick, which was that one.
  void note(const Walkers& walkers, const ecs::Registry& world, ecs::Tick tick);
  // How many of the mirror's entities in view are not what they were then. What moves and is older than what is kept
  // is one of them.
  std::uint64_t mismatches(const Walkers& walkers, const client::Mirror& mirror);
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  static constexpr std::size_t ticks_kept = 128;

  struct Moment {
    ecs::Tick tick = 0;
    std::vector<std::uint32_t> words;  // of all walkers, one after the other
  };

  wire::RowCodec codec_;
  std::array<Moment, ticks_kept> moments_;  // by tick
  ecs::Tick newest_ = 0;
  std::vector<std::uint32_t> words_;
  std::uint64_t compared_ = 0;
};

}  // namespace mobula::bench
