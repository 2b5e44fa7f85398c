// The states that a mirror keeps of one entity, because the server may rest on them or a picture needs them.
//
//   state   tick, ack, lost << 1 | whole, then its words       by ascending tick
//
// `ack` is the first acknowledgement that told the server of it. A `lost` state is one of which the words are gone.
#pragma once

#include <cstdint>
#include <mobula/ecs/pool.hpp>
#include <mobula/wire/delta.hpp>
#include <span>
#include <vector>

namespace mobula::client {

class EntityVersions {
 public:
  struct Version {
    ecs::Tick tick = 0;  // 0: there is none
    std::uint32_t ack = 0;
    bool whole = false;
    const std::uint32_t* words = nullptr;  // null: lost
  };
  struct Baselines {
    Version b1;
    Version b2;
  };

  // No honest server lets a mirror keep more: it has at most ack_history deltas under way, the mirror knows a few late
  // that it need not rest on former ones, and pictures take some.
  static constexpr std::size_t states_max = 2 * wire::ack_history;

  [[nodiscard]] std::size_t size() const { return states_.size() / stride(); }
  // Of all states, with their heads.
  [[nodiscard]] std::size_t kept_words() const { return states_.size(); }
  // By ascending tick.
  [[nodiscard]] Version at(std::size_t which) const;
  [[nodiscard]] Version newest() const { return states_.empty() ? Version{} : at(size() - 1); }

  // What the server rests on that has heard acknowledgement `ack`, and no later one.
  [[nodiscard]] Baselines baselines(std::uint32_t ack) const;
  // Whatever comes is of another layout, of so many words, or another owner.
  void restart(std::uint32_t words);
  // In its place; one of a tick that is there already is left out. The words are as many as restart() said.
  void add(ecs::Tick tick, std::uint32_t ack, bool whole, std::span<const std::uint32_t> words);
  // The states that what is shown at that moment lies between, as far as their words are there.
  struct Around {
    Version earlier;  // tick 0: there is none
    Version later;
  };
  [[nodiscard]] Around around(double tick) const;
  // Forgets what nothing rests on that goes by that acknowledgement or a later one, and no picture of tick `shown` or
  // later needs; of those no more than pictures_max, and none that is more than picture_age_max older than the newest.
  void prune(std::uint32_t ack, ecs::Tick shown);

  static constexpr std::size_t head = 3;  // words
  static constexpr std::size_t pictures_max = 16;
  static constexpr ecs::Tick picture_age_max = 64;

 private:
  friend struct MirrorTamper;  // of tests

  static constexpr std::uint32_t whole_bit = 1;
  static constexpr std::uint32_t lost_bit = 2;

  [[nodiscard]] bool is_for_pictures(std::size_t which, ecs::Tick shown) const;
  [[nodiscard]] std::size_t stride() const { return head + words_; }

  std::vector<std::uint32_t> states_;
  std::uint32_t words_ = 0;
};

}  // namespace mobula::client
