#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/ecs/journal.hpp>

#include "ecs/allocations.hpp"

namespace mobula::ecs {
namespace {

using Kind = JournalEntry::Kind;

void expect_entry(const JournalEntry& entry, Kind kind, Entity first, std::uint32_t count) {
  EXPECT_EQ(entry.kind, kind);
  EXPECT_EQ(entry.first, first);
  EXPECT_EQ(entry.count, count);
}

TEST(Journal, KeepsTheOrder) {
  Journal journal;
  journal.make_room(3);
  journal.note(Kind::create, {1, 1});
  journal.note(Kind::create, {7, 2}, 50);
  journal.note(Kind::destroy, {1, 1});
  ASSERT_EQ(journal.entries().size(), 3u);
  expect_entry(journal.entries()[0], Kind::create, {1, 1}, 1);
  expect_entry(journal.entries()[1], Kind::create, {7, 2}, 50);
  expect_entry(journal.entries()[2], Kind::destroy, {1, 1}, 1);
  journal.clear();
  EXPECT_TRUE(journal.entries().empty());
}

TEST(Journal, SeveralChangesInARowOfOneEntityAreOneEntry) {
  Journal journal;
  journal.make_room(10);
  journal.note(Kind::create, {1, 1});
  journal.note_recomposed({1, 1});
  EXPECT_EQ(journal.entries().size(), 1u);
  journal.note_recomposed({2, 1});
  journal.note_recomposed({2, 1});
  journal.note_recomposed({2, 2});
  journal.note_recomposed({1, 1});
  ASSERT_EQ(journal.entries().size(), 4u);
  expect_entry(journal.entries()[1], Kind::recompose, {2, 1}, 1);
  expect_entry(journal.entries()[2], Kind::recompose, {2, 2}, 1);
  expect_entry(journal.entries()[3], Kind::recompose, {1, 1}, 1);
}

TEST(Journal, BulkChangesMakeOneEntryPerRun) {
  Journal journal;
  const Entity entities[] = {{5, 1}, {6, 1}, {7, 1}, {8, 2}, {9, 2}, {11, 2}, {10, 2}, {10, 3}};
  journal.make_room(std::size(entities));
  journal.note_all(Kind::destroy, entities);
  ASSERT_EQ(journal.entries().size(), 5u);
  expect_entry(journal.entries()[0], Kind::destroy, {5, 1}, 3);
  expect_entry(journal.entries()[1], Kind::destroy, {8, 2}, 2);
  expect_entry(journal.entries()[2], Kind::destroy, {11, 2}, 1);
  expect_entry(journal.entries()[3], Kind::destroy, {10, 2}, 1);
  expect_entry(journal.entries()[4], Kind::destroy, {10, 3}, 1);
}

TEST(Journal, SingleNotesOfARunMakeOneEntry) {
  Journal journal;
  journal.make_room(10);
  for (std::uint32_t i = 5; i < 9; ++i) journal.note(Kind::create, {i, 1});
  journal.note_recomposed({7, 1});  // among those just created
  journal.note(Kind::create, {9, 2});
  journal.note_recomposed({7, 1});
  journal.note_recomposed({8, 1});
  journal.note_recomposed({8, 1});
  journal.note_recomposed({7, 1});
  ASSERT_EQ(journal.entries().size(), 3u);
  expect_entry(journal.entries()[0], Kind::create, {5, 1}, 4);
  expect_entry(journal.entries()[1], Kind::create, {9, 2}, 1);
  expect_entry(journal.entries()[2], Kind::recompose, {7, 1}, 2);
}

TEST(Journal, NotingAllocatesNothingOnceRoomIsMade) {
  Journal journal;
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t before = test::allocations();
    journal.make_room(1000);
    if (round > 0) {
      EXPECT_EQ(test::allocations(), before);
    }
    const std::uint64_t after_room = test::allocations();
    for (std::uint32_t i = 0; i < 1000; ++i) journal.note(Kind::create, {i, 1});
    EXPECT_EQ(test::allocations(), after_room);
    journal.clear();
  }
}

TEST(Journal, RoomForSomeEntitiesIsRoomForTheirRuns) {
  constexpr std::uint64_t seed = 9;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  for (int round = 0; round < 2000; ++round) {
    Journal journal;
    journal.make_room();
    journal.note(Kind::create, {random.below(4), 1}, 1 + random.below(3));
    std::vector<Entity> entities(random.below(8));
    for (Entity& entity : entities) entity = {random.below(6), 1 + random.below(2)};
    journal.make_room(entities);
    const std::uint64_t before = test::allocations();
    if (random.chance(1, 2)) {
      journal.note_all(Kind::destroy, entities);
    } else {
      for (const Entity entity : entities) journal.note_recomposed(entity);
    }
    ASSERT_EQ(test::allocations(), before) << "round " << round;
  }
}

TEST(Journal, GrowsGeometrically) {
  Journal journal;
  const std::uint64_t before = test::allocations();
  for (std::uint32_t i = 0; i < 100000; ++i) {
    journal.make_room();
    journal.note(Kind::create, {i, 1});
  }
  EXPECT_LT(test::allocations() - before, 20u);
}

}  // namespace
}  // namespace mobula::ecs
