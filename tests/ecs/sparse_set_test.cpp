#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/sparse_set.hpp>
#include <numeric>

#include "ecs/allocations.hpp"

namespace mobula::ecs {
namespace {

std::vector<std::uint32_t> shuffled_positions(core::Random& random, std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), first);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<std::uint32_t> listed(const SparseSet& set) { return {set.indices().begin(), set.indices().end()}; }

// The set, compared with a plain vector of indices by position.
struct ModelledSet {
  explicit ModelledSet(std::uint32_t page_shift) : set(page_shift) {}

  SparseSet set;
  std::vector<std::uint32_t> model;

  void push(std::uint32_t index) {
    set.make_room(index);
    ASSERT_EQ(set.push(index), model.size());
    model.push_back(index);
  }
  void erase(std::uint32_t index) {
    const std::uint32_t position = set.find(index);
    std::uint32_t last = position;
    set.erase(index, [&](std::uint32_t to, std::uint32_t from) {
      EXPECT_EQ(to, position);
      last = from;
    });
    EXPECT_EQ(last, set.size()) << "the last index has moved";
    model[position] = model.back();
    model.pop_back();
  }
  void push_run(std::uint32_t first, std::uint32_t count) {
    set.reserve(set.size() + count);
    set.make_pages(first, count);
    set.push_run(first, count);
    for (std::uint32_t i = 0; i < count; ++i) model.push_back(first + i);
  }
  void push_rising(std::uint32_t first, const std::vector<std::uint32_t>& offsets) {
    set.reserve(set.size() + static_cast<std::uint32_t>(offsets.size()));
    set.make_pages(first, offsets);
    set.push_rising(first, offsets);
    for (const std::uint32_t offset : offsets) model.push_back(first + offset);
  }
  void reorder(std::uint32_t first, const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> room(order.size());
    set.reorder(first, order, room.data());
    const std::vector<std::uint32_t> before = model;
    for (std::size_t i = 0; i < order.size(); ++i) model[first + i] = before[order[i]];
  }
  void compare(std::uint32_t index_end) const {
    set.check("the set");
    ASSERT_EQ(listed(set), model);
    std::map<std::uint32_t, std::uint32_t> position_of;
    for (std::uint32_t position = 0; position < model.size(); ++position) position_of[model[position]] = position;
    ASSERT_EQ(position_of.size(), model.size());
    std::vector<std::uint32_t> indices(index_end);
    std::iota(indices.begin(), indices.end(), 0);
    std::vector<std::uint32_t> positions(index_end);
    set.find(indices, positions.data());
    for (const std::uint32_t index : indices) {
      const auto found = position_of.find(index);
      ASSERT_EQ(set.find(index), found == position_of.end() ? SparseSet::none : found->second) << index;
      ASSERT_EQ(positions[index], set.find(index)) << index;
    }
  }
};

void run_random_history(std::uint64_t seed, std::uint32_t page_shift) {
  constexpr std::uint32_t index_end = 700;
  core::Random random(seed);
  ModelledSet sets(page_shift);
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t version = sets.set.version();
    const std::uint32_t size = sets.set.size();
    const std::uint32_t index = random.below(index_end);
    const std::uint32_t dice = random.below(1000);
    bool changes = true;
    if (dice < 2) {
      sets.set.clear();
      sets.model.clear();
    } else if (dice < 4) {
      sets.set.clear();
      sets.model = shuffled_positions(random, 0, index);
      sets.set.assign(sets.model);
    } else if (dice < 12) {
      const std::uint32_t count = 1 + random.below(100);
      const std::uint32_t end = std::min(index + count, index_end);
      changes = std::none_of(sets.model.begin(), sets.model.end(), [&](auto i) { return i >= index && i < end; });
      if (changes) sets.push_run(index, end - index);
    } else if (dice < 16) {
      std::vector<std::uint32_t> offsets;
      const std::uint32_t gap = random.below(3);  // none for a run
      for (std::uint32_t i = index; i < std::min(index + 300, index_end); i += 1 + random.below(1 + gap))
        if (!sets.set.contains(i)) offsets.push_back(i - index / 2);
      changes = !offsets.empty();
      sets.push_rising(index / 2, offsets);
    } else if (dice < 22 && size > 0) {
      const std::uint32_t first = random.below(size);
      sets.reorder(first, shuffled_positions(random, first, size - first));
    } else if (dice < 100 && size > 0) {
      const std::uint32_t a = random.below(size);
      const std::uint32_t b = random.below(size);
      sets.set.swap(a, b);
      std::swap(sets.model[a], sets.model[b]);
    } else if (sets.set.contains(index)) {
      sets.erase(index);
    } else {
      sets.push(index);
    }
    if (changes) {
      ASSERT_GT(sets.set.version(), version) << "step " << step;
    }
    if (step % 250 == 0) sets.compare(index_end + 100);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(SparseSet, RandomHistoriesAgreeWithAVector) {
  for (const std::uint32_t page_shift : {0u, 3u, 6u, 10u, SparseSet::max_page_shift, SparseSet::no_pages}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", page shift " + std::to_string(page_shift));
      ASSERT_NO_FATAL_FAILURE(run_random_history(seed, page_shift));
    }
  }
}

TEST(SparseSet, AnEmptySetFindsNothingAnywhere) {
  for (const std::uint32_t page_shift : {10u, SparseSet::no_pages}) {
    const SparseSet set(page_shift);
    for (const std::uint32_t index : {0u, 1u, 1023u, 1024u, 1u << 26, ~0u}) EXPECT_FALSE(set.contains(index));
    set.check("the set");
  }
}

TEST(SparseSet, WithoutPagesAnyIndicesMayChurnForEver) {
  core::Random random(4);
  ModelledSet sets(SparseSet::no_pages);
  EXPECT_FALSE(sets.set.contains(7));
  sets.set.check("the set");
  constexpr std::uint32_t strides[] = {1, 97, 1u << 10, 1u << 20, 0x9e3779b1u >> 6};
  for (const std::uint32_t stride : strides) {
    for (std::uint32_t i = 0; i < 60; ++i) sets.push(i * stride);
    for (int step = 0; step < 3000; ++step) {
      sets.erase(sets.model[random.below(60)]);
      std::uint32_t index = random.below(1u << 26);
      while (sets.set.contains(index)) ++index;
      sets.push(index);
      if (step % 100 == 0) sets.set.check("the set");
    }
    for (std::uint32_t position = 0; position < 60; ++position)
      ASSERT_EQ(sets.set.find(sets.model[position]), position);
    while (!sets.model.empty()) sets.erase(sets.model[random.below(static_cast<std::uint32_t>(sets.model.size()))]);
    sets.compare(300);
  }
}

TEST(SparseSet, PagesWithoutEntriesCostNothingAndAreNotWrittenTo) {
  SparseSet far(10);
  SparseSet other(10);
  far.make_room(1u << 20);
  far.push(1u << 20);
  for (std::uint32_t index = 0; index < 1u << 20; index += 97) ASSERT_FALSE(far.contains(index));
  other.make_room(5);
  other.push(5);
  EXPECT_FALSE(far.contains(5)) << "empty sets share a page";
  other.check("other");
  far.check("far");
}

TEST(SparseSet, PageIsGivenBackWithItsLastEntry) {
  SparseSet set(4);
  set.reserve(1000);
  set.make_room(1000);
  set.push(1000);
  for (std::uint32_t page = 0; page < 60; ++page) {
    set.make_room(page * 16);
    set.push(page * 16);
  }
  while (set.size() > 1) set.erase(set.indices().back());
  set.check("the set");
  // All pages but the spare one must be allocated again.
  const std::uint64_t before = test::allocations();
  for (std::uint32_t page = 0; page < 60; ++page) set.make_page(page * 16);
  EXPECT_EQ(test::allocations() - before, 59u);
}

TEST(SparseSet, AddingAndRemovingOneIndexAllocatesNothing) {
  SparseSet set(4);
  set.make_room(100);
  set.push(100);
  set.erase(100);
  for (const std::uint32_t index : {100u, 3u, 50u, 100u}) {
    const std::uint64_t before = test::allocations();
    set.make_room(index);
    set.push(index);
    EXPECT_EQ(test::allocations(), before);
    EXPECT_EQ(listed(set), std::vector<std::uint32_t>{index});
    set.erase(index);
    set.check("the set");
  }
}

TEST(SparseSet, UnusedRoomChangesNothing) {
  SparseSet set(4);
  set.make_room(33);
  set.make_pages(10, 100);
  const std::uint64_t version = set.version();
  set.make_room(33);
  set.make_pages(10, 100);
  set.make_pages(10, 0);
  EXPECT_EQ(set.size(), 0u);
  EXPECT_FALSE(set.contains(33));
  EXPECT_EQ(set.version(), version);
  set.check("the set");
  set.push(33);
  set.check("the set");
}

TEST(SparseSet, ReorderingAPartLeavesTheRest) {
  SparseSet set(4);
  set.reserve(5);
  set.make_pages(10, 5);
  set.push_run(10, 5);
  const std::uint32_t order[] = {4, 2, 3};
  std::uint32_t room[3];
  set.reorder(2, order, room);
  EXPECT_EQ(listed(set), (std::vector<std::uint32_t>{10, 11, 14, 12, 13}));
  set.check("the set");
}

TEST(SparseSet, AClearedSetIsUsedAgain) {
  SparseSet set(4);
  for (int round = 0; round < 3; ++round) {
    set.reserve(200);
    set.make_pages(7, 200);
    set.push_run(7, 200);
    set.check("the set");
    set.clear();
    EXPECT_EQ(set.size(), 0u);
    EXPECT_FALSE(set.contains(7));
    set.check("the set");
  }
}

}  // namespace
}  // namespace mobula::ecs
