// Workload of the entity index table, after the synthetic test of Stingray's "Rebuilding the Entity Index" (2017). It
// creates entities of 75 compositions of 1 to 11 components, and registers and looks up their components. When 40,000
// live, a random 10,000 of them are destroyed.
//
// Everything follows from the seed, so every implementation gets the same work, and a long run begins with the steps of
// a short one.
#pragma once

#include <cstdint>
#include <mobula/core/random.hpp>
#include <mobula/core/string_id.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::bench {

// Component manager of the text, by number, and the name of its component on an entity.
struct Component {
  std::uint32_t manager = 0;
  core::StringId32 name;

  bool operator==(const Component&) const = default;
};

// Answer for a name that the entity does not have.
inline constexpr std::uint32_t no_component = ~0u;

struct WorkloadConfig {
  std::uint64_t seed = 1;
  std::uint32_t names = 48;
  std::uint32_t compositions = 75;
  std::uint32_t components_max = 11;  // per entity; fewer than there are names
  std::uint32_t live_max = 40'000;    // a multiple of the step
  std::uint32_t step = 10'000;        // entities created, and later destroyed, per step
};

struct Birth {
  std::uint32_t composition = 0;
  core::StringId32 missing;  // name of other entities, but not of this one
};

struct Step {
  std::vector<Birth> births;
  // Empty before live_max is reached. Each is the position of a living entity; see to_the_back.
  std::vector<std::uint32_t> deaths;
};

class Workload {
 public:
  explicit Workload(const WorkloadConfig& config = {});

  [[nodiscard]] const WorkloadConfig& config() const { return config_; }
  [[nodiscard]] std::span<const Component> components() const { return components_; }
  // Components in the order of registration. Different compositions are different sets.
  [[nodiscard]] std::span<const Component> composition(std::uint32_t number) const {
    const auto [first, count] = compositions_[number];
    return {listed_.data() + first, count};
  }

  void next(Step& step);

 private:
  struct Range {
    std::uint32_t first;
    std::uint32_t count;
  };

  void draw_composition(std::uint32_t count);
  [[nodiscard]] bool has(std::uint32_t composition, core::StringId32 name) const;
  [[nodiscard]] bool same_set(std::uint32_t a, std::uint32_t b) const;

  WorkloadConfig config_;
  core::Random random_;
  std::vector<Component> components_;
  std::vector<Component> listed_;
  std::vector<Range> compositions_;
  std::uint32_t living_ = 0;
};

// Moves the entities to destroy behind the remaining ones, and returns them.
template <class T>
std::span<T> to_the_back(std::vector<T>& living, std::span<const std::uint32_t> deaths) {
  std::size_t end = living.size();
  for (const std::uint32_t place : deaths) std::swap(living[place], living[--end]);
  return std::span(living).subspan(end);
}

}  // namespace mobula::bench
