#include <mobula/client/prediction/step_levels.hpp>

namespace mobula::client {

const resource::Resource* StepLevels::begin(ecs::Tick tick, const OfferedLevels& offered) {
  current_ = &uses_[tick % uses_.size()];
  *current_ = {.tick = tick, .level = offered.at(tick)};
  return current_->level.get();
}

ecs::Tick StepLevels::first_wrong(ecs::Tick after, ecs::Tick last, const OfferedLevels& offered) const {
  for (ecs::Tick tick = after + 1; tick <= last; ++tick)
    if (has_read(tick) && at(tick).level != offered.at(tick)) return tick;
  return CommandTimeline::never;
}

bool StepLevels::lacks_one(ecs::Tick after, ecs::Tick last, const OfferedLevels& offered) const {
  for (ecs::Tick tick = after + 1; tick <= last; ++tick)
    if (has_read(tick) && !offered.is_here(tick)) return true;
  return false;
}

}  // namespace mobula::client
