// Input delays of a simulated player: how long after it was given each command was executed.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <mobula/core/clock.hpp>
#include <mobula/core/histogram.hpp>
#include <optional>
#include <vector>

namespace mobula::sim {

class InputDelays {
 public:
  /// Commands are numbered from 1 on.
  void on_given(core::Nanoseconds now) { commands_.push_back({now, std::nullopt}); }
  void on_executed(std::uint32_t number, core::Nanoseconds now) { commands_.at(number - 1).executed = now; }
  void on_zone_changed(core::Nanoseconds now) { changes_.push_back(now); }

  /// Adds the ticks of the commands that were executed, apart for those given near a change of zone.
  void add_to(core::Histogram& near_changes, core::Histogram& others, core::Nanoseconds tick_length) const {
    for (const auto& [given, executed] : commands_)
      if (executed) (is_near_change(given) ? near_changes : others).add(ticks(*executed - given, tick_length));
  }

 private:
  static std::uint64_t ticks(core::Nanoseconds time, core::Nanoseconds tick_length) {
    return static_cast<std::uint64_t>((time + tick_length - 1) / tick_length);
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
