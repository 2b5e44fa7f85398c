// Input delays of a simulated player: how long after it was given each command was executed.
#pragma once

#include <cstdlib>
#include <mobula/core/clock.hpp>
#include <optional>
#include <simulation/delays.hpp>
#include <vector>

namespace mobula::sim {

class InputDelays {
 public:
  /// Commands are numbered from 1 on.
  void on_given(core::Nanoseconds now) { commands_.push_back({now, std::nullopt}); }
  void on_executed(std::uint32_t number, core::Nanoseconds now) { commands_.at(number - 1).executed = now; }
  void on_zone_changed(core::Nanoseconds now) { changes_.push_back(now); }

  /// Adds the commands that were executed: those given near a change of zone, and all others.
  void add_to(Delays& near_changes, Delays& others, core::Nanoseconds tick_length) const {
    for (const auto& [given, executed] : commands_)
      if (executed) (is_near_change(given) ? near_changes : others).add(ticks(*executed - given, tick_length));
  }

 private:
  static std::size_t ticks(core::Nanoseconds time, core::Nanoseconds tick_length) {
    return static_cast<std::size_t>((time + tick_length - 1) / tick_length);
  }
  static constexpr core::Nanoseconds near = core::second;

  struct Command {
    core::Nanoseconds given = 0;
    std::optional<core::Nanoseconds> executed{};
  };

  [[nodiscard]] bool is_near_change(core::Nanoseconds at) const {
    return std::ranges::any_of(changes_, [&](core::Nanoseconds change) { return std::abs(change - at) <= near; });
  }

  std::vector<Command> commands_;
  std::vector<core::Nanoseconds> changes_;
};

}  // namespace mobula::sim
