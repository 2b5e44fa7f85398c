// Messages to entities of neighbouring zones, and events about them, until they are passed on.
//
// An entity may be on its way between two zones: each shows it as the other's ghost for some ticks, or neither has it.
// So messages from another zone wait for their entity at first, and are passed on later.
#pragma once

#include <functional>
#include <mobula/core/clock.hpp>
#include <mobula/server/game/world.hpp>
#include <vector>

namespace mobula::server {

class ForwardQueue {
 public:
  static constexpr core::Nanoseconds patience = 5 * core::second;
  /// Time for which a message from another zone waits until it is passed on.
  static constexpr core::Nanoseconds wait_for_entity = core::second / 4;
  static constexpr std::uint8_t passed_max = 8;
  static constexpr std::size_t bytes_max = 4u << 20;

  /// Sends to a neighbouring zone. Returns false if it cannot be reached now.
  using Send = std::function<bool(std::uint32_t zone, const wire::Forward& content)>;

  /// Adds messages to entities that this world does not have.
  void add(std::vector<wire::Forward>&& abroad, core::Nanoseconds now);
  /// Passes messages on, gives this world those to its entities, and drops those that have waited for `patience`.
  /// Between ticks.
  void update(World& world, core::Nanoseconds now, const Send& send);

  [[nodiscard]] std::uint64_t passed_on() const { return passed_on_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  struct Waiting {
    wire::Forward content;
    core::Nanoseconds since = 0;
  };

  static std::size_t weight(const wire::Forward& content) { return sizeof(Waiting) + content.bytes.size(); }
  bool advance(World& world, Waiting& waiting, core::Nanoseconds now, const Send& send);

  std::vector<Waiting> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t passed_on_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace mobula::server
