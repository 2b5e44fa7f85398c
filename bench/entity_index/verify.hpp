// Untimed part: all implementations run the workload in step. Every answer is compared with the workload's expectation,
// and so with the others'. Their memory is counted at the same time.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "entity_index/memory.hpp"
#include "entity_index/run.hpp"

namespace mobula::bench {

struct Verified {
  std::string mistake;                                      // the first one; empty if there is none
  std::uint64_t answers = 0;                                // per implementation
  std::vector<std::vector<std::ptrdiff_t>> bytes_max = {};  // by total, then by implementation
};

// An implementation with its handles, its memory and its last answers.
template <NamesComponents Index>
class Subject {
 public:
  explicit Subject(const Workload& workload) : index_(metered([&] { return Index(workload); })) {
    living_.reserve(workload.config().live_max);
  }

  // Answers for the names of each new entity, then for a missing one.
  void answer_births(const Workload& workload, const Step& step) {
    answers_.clear();
    for (const Birth& birth : step.births) {
      living_.push_back(metered([&] { return make_entity(index_, workload, birth.composition); }));
      for (const Component& component : workload.composition(birth.composition)) ask(living_.back(), component.name);
      ask(living_.back(), birth.missing);
    }
  }
  // Answers for a name of each entity: first the destroyed, then the living ones.
  void answer_deaths(const Step& step, std::span<const core::StringId32> dead,
                     std::span<const core::StringId32> living) {
    answers_.clear();
    const std::span<const Handle> dying = to_the_back(living_, step.deaths);
    metered([&] { index_.destroy(dying); });
    metered([&] { index_.clean_up(); });
    for (std::size_t i = 0; i < dying.size(); ++i) ask(dying[i], dead[i]);
    living_.resize(living_.size() - dying.size());
    for (std::size_t i = 0; i < living_.size(); ++i) ask(living_[i], living[i]);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& answers() const { return answers_; }
  [[nodiscard]] std::ptrdiff_t bytes_max() const { return meter_.bytes_max; }

 private:
  using Handle = typename Index::Handle;

  template <class Function>
  auto metered(Function function) {
    const MemoryScope scope(meter_);
    return function();
  }
  void ask(Handle entity, core::StringId32 name) {
    const std::uint32_t answer = metered([&] { return index_.find(entity, name); });
    answers_.push_back(answer);
  }

  MemoryMeter meter_;
  Index index_;
  std::vector<Handle> living_;
  std::vector<std::uint32_t> answers_;
};

// Expected answers of the workload's entities.
class Expectation {
 public:
  explicit Expectation(const Workload& workload) : workload_(&workload) {}

  void births(const Step& step) {
    answers_.clear();
    for (const Birth& birth : step.births) {
      for (const Component& component : workload_->composition(birth.composition))
        answers_.push_back(component.manager);
      answers_.push_back(no_component);
      living_.push_back(workload_->composition(birth.composition).back());
    }
  }
  void deaths(const Step& step) {
    const std::span<const Component> dying = to_the_back(living_, step.deaths);
    answers_.assign(dying.size(), no_component);
    dead_names_.clear();
    for (const Component& component : dying) dead_names_.push_back(component.name);
    living_.resize(living_.size() - dying.size());
    living_names_.clear();
    for (const Component& component : living_) {
      living_names_.push_back(component.name);
      answers_.push_back(component.manager);
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& answers() const { return answers_; }
  [[nodiscard]] std::span<const core::StringId32> dead_names() const { return dead_names_; }
  [[nodiscard]] std::span<const core::StringId32> living_names() const { return living_names_; }

 private:
  const Workload* workload_;
  std::vector<Component> living_;  // last component of each living entity
  std::vector<std::uint32_t> answers_;
  std::vector<core::StringId32> dead_names_;
  std::vector<core::StringId32> living_names_;
};

// Returns the first difference, or nothing.
std::string first_difference(std::string_view who, std::span<const std::uint32_t> answers,
                             std::span<const std::uint32_t> expected);

// Runs all implementations. `totals` are ascending multiples of the workload's step. Names are in the order of `Index`.
template <NamesComponents... Index>
Verified verify(const WorkloadConfig& config, std::span<const std::uint32_t> totals,
                const std::array<std::string_view, sizeof...(Index)>& names) {
  Workload workload(config);
  std::tuple<Subject<Index>...> subjects(
      (static_cast<void>(sizeof(Index)), std::as_const(workload))...);  // constructed in place
  Expectation expected(workload);
  Step step;
  Verified verified;
  const auto compare = [&](const auto&... subject) {
    std::size_t i = 0;
    ((verified.mistake +=
      verified.mistake.empty() ? first_difference(names[i], subject.answers(), expected.answers()) : "",
      ++i),
     ...);
    verified.answers += expected.answers().size();
  };
  std::uint32_t made = 0;
  for (const std::uint32_t total : totals) {
    for (; made < total && verified.mistake.empty(); made += config.step) {
      workload.next(step);
      expected.births(step);
      std::apply([&](auto&... subject) { (subject.answer_births(workload, step), ...); }, subjects);
      std::apply(compare, subjects);
      if (step.deaths.empty()) continue;
      expected.deaths(step);
      std::apply(
          [&](auto&... subject) { (subject.answer_deaths(step, expected.dead_names(), expected.living_names()), ...); },
          subjects);
      std::apply(compare, subjects);
    }
    verified.bytes_max.push_back(
        std::apply([](const auto&... subject) { return std::vector{subject.bytes_max()...}; }, subjects));
  }
  return verified;
}

}  // namespace mobula::bench
