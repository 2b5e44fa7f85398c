// Seeds that a test of random worlds runs: few in ./dev test, more in ./dev test all, or those that ./dev soak names.
//
//   TEST_ALL_SEEDS=1            without the prefix of settings, of which programs refuse unknown ones
//   MOBULA_SOAK_SEEDS=first..last
#pragma once

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mobula/core/assert.hpp>
#include <optional>
#include <string>

namespace mobula::test {

struct Seeds {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

inline std::optional<Seeds> soak_seeds() {
  const char* text = std::getenv("MOBULA_SOAK_SEEDS");
  if (text == nullptr) return std::nullopt;
  Seeds seeds;
  const bool read = std::sscanf(text, "%" SCNu64 "..%" SCNu64, &seeds.first, &seeds.last) == 2;
  MOBULA_ASSERT(read && seeds.first <= seeds.last, "MOBULA_SOAK_SEEDS=first..last");
  return seeds;
}

// Returns whether this is ./dev test all.
inline bool runs_all() { return std::getenv("TEST_ALL_SEEDS") != nullptr; }

// Returns `all` in ./dev test all, else `few`: seeds, rounds or steps of a test that takes long.
inline std::uint64_t few_or_all(std::uint64_t few, std::uint64_t all) { return runs_all() ? all : few; }

// Whether the seeds are others than the test's own, and what is true of those together may not be.
inline bool soaks() { return soak_seeds().has_value(); }

// function(seed) for each, until one fails. `ticks`: how many each runs, or so.
template <class Function>
void for_each_seed(std::uint64_t first, std::uint64_t count, std::uint64_t ticks, Function&& function) {
  const Seeds seeds = soak_seeds().value_or(Seeds{first, first + count - 1});
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test.test_suite_name()) + "." + test.name();
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const std::string one = std::to_string(seed);
    const std::string again = "MOBULA_SOAK_SEEDS=" + one + ".." + one + " … --gtest_filter=" + name;
    if (soaks()) {  // an abort prints nothing more
      std::printf("%s\n", again.c_str());
      std::fflush(stdout);
    }
    SCOPED_TRACE(again);
    function(seed);
    if (testing::Test::HasFailure()) return;
  }
  if (soaks())
    std::printf("soaked: 1 test, %" PRIu64 " seeds, %" PRIu64 " ticks\n", seeds.last - seeds.first + 1,
                (seeds.last - seeds.first + 1) * ticks);
}

}  // namespace mobula::test
