// Compares mirrors with what the server published.
#pragma once

#include <deque>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/server/replication/published.hpp>
#include <mobula/wire/row_codec.hpp>
#include <vector>

#include "replication/walkers.hpp"

namespace mobula::bench {

class Verifier {
 public:
  explicit Verifier(const reflect::Schema& schema);

  // Called after each tick with that tick.
  void note(const Walkers& walkers, server::Published& published, ecs::Tick tick);
  // Returns how many of the mirror's visible entities have wrong values. Entities whose state is older than the history
  // count too.
  std::uint64_t mismatches(const Walkers& walkers, const client::Mirror& mirror);
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  static constexpr std::size_t states_kept = 128;

  // Published states of a walker, the newest last.
  struct State {
    ecs::Tick tick = 0;
    std::vector<std::uint32_t> words;
  };
  [[nodiscard]] const State* state_at(std::size_t walker, ecs::Tick tick) const;

  wire::RowCodec codec_;
  std::vector<std::deque<State>> states_;  // by walker
  std::uint64_t compared_ = 0;
};

}  // namespace mobula::bench
