// The level that the step of each computed tick has read. A tick is computed again once its step would read another
// one.
#pragma once

#include <mobula/client/connection/offered_levels.hpp>
#include <mobula/client/prediction/command_timeline.hpp>

namespace mobula::client {

class StepLevels {
 public:
  /// Keeps the levels of the last `ticks_max` ticks.
  explicit StepLevels(std::size_t ticks_max) : uses_(ticks_max) {}

  /// Begins the step of a tick. Returns the level that it reads; null without one.
  const resource::Resource* begin(ecs::Tick tick, const OfferedLevels& offered);
  /// Returns where the step notes that it has looked for a static.
  [[nodiscard]] bool& is_read() { return current_->is_read; }

  /// Returns the first tick after `after` and up to `last` whose step has read another level than it would now.
  /// CommandTimeline::never if there is none.
  [[nodiscard]] ecs::Tick first_wrong(ecs::Tick after, ecs::Tick last, const OfferedLevels& offered) const;
  /// Returns whether a step of these ticks has read a level in place of one that the client lacks.
  [[nodiscard]] bool lacks_one(ecs::Tick after, ecs::Tick last, const OfferedLevels& offered) const;

 private:
  struct Use {
    ecs::Tick tick = 0;
    std::shared_ptr<const resource::Resource> level{};
    bool is_read = false;
  };

  [[nodiscard]] const Use& at(ecs::Tick tick) const { return uses_[tick % uses_.size()]; }
  [[nodiscard]] bool has_read(ecs::Tick tick) const { return at(tick).tick == tick && at(tick).is_read; }

  std::vector<Use> uses_;  // a ring
  Use* current_ = nullptr;
};

}  // namespace mobula::client
