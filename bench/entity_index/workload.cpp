#include "entity_index/workload.hpp"

#include <algorithm>
#include <mobula/core/assert.hpp>
#include <string>

namespace mobula::bench {

Workload::Workload(const WorkloadConfig& config) : config_(config), random_(config.seed) {
  MOBULA_ASSERT(config.components_max < config.names, "a name is left to be missed");
  MOBULA_ASSERT(config.step > 0 && config.live_max % config.step == 0, "the limit is reached at the end of a step");
  for (std::uint32_t i = 0; i < config.names; ++i)
    components_.push_back({i, core::StringId32("component " + std::to_string(i))});
  for (std::uint32_t i = 0; i < config.compositions; ++i) draw_composition(1 + i % config.components_max);
}

void Workload::draw_composition(std::uint32_t count) {
  const auto number = static_cast<std::uint32_t>(compositions_.size());
  const auto first = static_cast<std::uint32_t>(listed_.size());
  compositions_.push_back({first, count});
  bool known = true;
  while (known) {
    listed_.resize(first);
    std::vector<Component> left = components_;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::swap(left[i], left[i + random_.below(config_.names - i)]);
      listed_.push_back(left[i]);
    }
    known = false;
    for (std::uint32_t other = 0; other < number; ++other) known = known || same_set(other, number);
  }
}

bool Workload::has(std::uint32_t composition_number, core::StringId32 name) const {
  return std::ranges::any_of(composition(composition_number), [&](const Component& c) { return c.name == name; });
}

bool Workload::same_set(std::uint32_t a, std::uint32_t b) const {
  return composition(a).size() == composition(b).size() &&
         std::ranges::all_of(composition(a), [&](const Component& component) { return has(b, component.name); });
}

void Workload::next(Step& step) {
  step.births.clear();
  step.deaths.clear();
  for (std::uint32_t i = 0; i < config_.step; ++i) {
    Birth birth{random_.below(config_.compositions), {}};
    do birth.missing = components_[random_.below(config_.names)].name;
    while (has(birth.composition, birth.missing));
    step.births.push_back(birth);
  }
  living_ += config_.step;
  if (living_ < config_.live_max) return;
  for (std::uint32_t i = 0; i < config_.step; ++i) step.deaths.push_back(random_.below(living_--));
}

}  // namespace mobula::bench
