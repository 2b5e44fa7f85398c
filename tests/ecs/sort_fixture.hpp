// Components and the reference sort shared by the tests of sorting.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mobula/ecs/sort.hpp>
#include <string>
#include <vector>

namespace mobula::ecs::sort_test {

struct Place {
  static constexpr std::string_view component_name = "Place";
  std::int32_t key = 0;
  std::uint32_t id = 0;
  bool operator==(const Place&) const = default;
};
struct Weight {
  std::int32_t key = 0;
  std::uint32_t id = 0;
};
struct Mark {
  std::uint32_t id = 0;
};
struct Deed {
  std::unique_ptr<std::int32_t> key;
};
struct Name {
  std::string text;
};
// Holds a number of any type.
struct Raw {
  std::uint64_t bits = 0;
  std::uint32_t id = 0;
};

inline void register_place(Registry& registry) {
  ASSERT_TRUE(registry
                  .register_type({.id = core::StringId32(Place::component_name),
                                  .name = std::string(Place::component_name),
                                  .size = sizeof(Place),
                                  .alignment = alignof(Place),
                                  .schema = true,
                                  .default_value = core::Bytes(sizeof(Place))})
                  .ok());
}

inline std::vector<std::uint32_t> indices_of(const Pool& pool) {
  return {pool.indices().begin(), pool.indices().end()};
}

// The reference sort: entity indices in the order that `before` gives their keys; stable.
template <class Key, class Before = std::less<>>
std::vector<std::uint32_t> sorted_model(std::span<const std::uint32_t> indices, const std::vector<Key>& key_by_index,
                                        Before before = {}) {
  std::vector<std::uint32_t> sorted(indices.begin(), indices.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return before(key_by_index[a], key_by_index[b]); });
  return sorted;
}

}  // namespace mobula::ecs::sort_test
