// Timed part: one implementation runs the workload's steps. The timed code has no virtual calls and only the work. Each
// run begins with an empty index.
#pragma once

#include <chrono>
#include <concepts>

#include "entity_index/workload.hpp"

namespace mobula::bench {

// Requirements of an implementation. It is constructed from a workload, and may prepare for its components. It makes
// entities in one of two ways: create() and add() for each component, or create_with() the number of a composition.
template <class Index>
concept NamesComponents = std::constructible_from<Index, const Workload&> &&
                          requires(Index index, typename Index::Handle entity, core::StringId32 name,
                                   std::span<const typename Index::Handle> entities) {
                            {
                              index.find(entity, name)
                            } -> std::same_as<std::uint32_t>;  // the manager, or no_component
                            index.destroy(entities);
                            index.clean_up();  // removes prototypes without entities
                          };

template <class Index>
concept KnowsCompositions = requires(Index index, std::uint32_t composition) { index.create_with(composition); };

template <NamesComponents Index>
typename Index::Handle make_entity(Index& index, const Workload& workload, std::uint32_t composition) {
  if constexpr (KnowsCompositions<Index>) {
    return index.create_with(composition);
  } else {
    const typename Index::Handle entity = index.create();
    for (const Component& component : workload.composition(composition)) index.add(entity, component);
    return entity;
  }
}

struct Run {
  double seconds = 0;
  std::uint64_t sum = 0;  // sum of all answers, so that they are not optimised away
};

// Runs the workload. `total` is a multiple of its step.
template <NamesComponents Index>
Run timed_run(const WorkloadConfig& config, std::uint32_t total) {
  using Clock = std::chrono::steady_clock;
  Workload workload(config);
  Step step;
  std::vector<typename Index::Handle> living;
  living.reserve(config.live_max);
  Run run;
  Clock::duration time{};
  Index index(workload);
  for (std::uint32_t made = 0; made < total; made += config.step) {
    workload.next(step);
    const Clock::time_point births = Clock::now();
    for (const Birth& birth : step.births) {
      const typename Index::Handle entity = make_entity(index, workload, birth.composition);
      for (const Component& component : workload.composition(birth.composition))
        run.sum += index.find(entity, component.name);
      run.sum += index.find(entity, birth.missing);
      living.push_back(entity);
    }
    time += Clock::now() - births;
    if (step.deaths.empty()) continue;
    const std::span<const typename Index::Handle> dying = to_the_back(living, step.deaths);
    const Clock::time_point deaths = Clock::now();
    index.destroy(dying);
    index.clean_up();
    time += Clock::now() - deaths;
    living.resize(living.size() - dying.size());
  }
  run.seconds = std::chrono::duration<double>(time).count();
  return run;
}

}  // namespace mobula::bench
