#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/transport/address.hpp>
#include <mobula/transport/bounded_table.hpp>

namespace mobula::transport {
namespace {

Address address_of(std::uint32_t port) { return Address::v4(127, 0, 0, 1, static_cast<std::uint16_t>(port)); }

// Few keys and a full table give long probe sequences with many removals inside them.
TEST(BoundedTable, AgreesWithAMap) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    BoundedTable<Address, int> table(37, seed);
    struct Entry {
      std::uint32_t slot;
      int value;
    };
    std::map<std::uint32_t, Entry> model;
    for (int step = 0; step < 2000; ++step) {
      const std::uint32_t port = random.below(60);
      const std::uint32_t new_port = random.below(60);
      if (model.count(port) != 0 && model.count(new_port) == 0) {
        table.rename(model[port].slot, address_of(new_port));
        model[new_port] = model[port];
        model.erase(port);
      } else if (model.count(port) != 0) {
        table.erase(model[port].slot);
        model.erase(port);
      } else if (!table.full()) {
        const std::uint32_t slot = table.insert(address_of(port));
        ASSERT_EQ(table[slot], 0) << "the slot's previous value is cleared";
        table[slot] = step;
        model[port] = {slot, step};
      }
      ASSERT_EQ(table.size(), model.size());
      ASSERT_EQ(table.full(), model.size() == 37);
      for (std::uint32_t p = 0; p < 60; ++p) {
        const auto known = model.find(p);
        ASSERT_EQ(table.find(address_of(p)), known == model.end() ? table.none : known->second.slot);
      }
      for (const auto& [p, entry] : model) {
        ASSERT_EQ(table[entry.slot], entry.value) << "a value keeps its slot";
        ASSERT_EQ(table.key(entry.slot), address_of(p));
      }
    }
  }
}

TEST(BoundedTable, SweepErasesOnlyEndedEntries) {
  BoundedTable<std::uint64_t, int> table(100, 1);
  for (int i = 0; i < 100; ++i) table[table.insert(static_cast<std::uint64_t>(i))] = i;
  int visited = 0;
  const auto is_odd = [&](std::uint64_t key, int value) {
    EXPECT_EQ(key, static_cast<std::uint64_t>(value));
    ++visited;
    return value % 2 == 1;
  };
  table.sweep(30, is_odd);
  EXPECT_EQ(visited, 30);
  EXPECT_EQ(table.size(), 85u);
  table.sweep(70, is_odd);
  EXPECT_EQ(visited, 100) << "each slot is visited once in a round";
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(table.contains(i), i % 2 == 0);
}

// A world without clients takes little memory, whatever its limits.
TEST(BoundedTable, TakesMemoryAsEntriesAreAdded) {
  BoundedTable<std::uint64_t, int> table(65'536, 3);
  EXPECT_LE(table.slots(), 16u);
  EXPECT_EQ(table.capacity(), 65'536u);
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    const std::uint32_t slot = table.insert(i);
    ASSERT_EQ(slot, i) << "new slots are used in their order";
    table[slot] = static_cast<int>(i);
  }
  EXPECT_LE(table.slots(), 65'536u);
  for (std::uint64_t i = 0; i < 40'000; ++i) ASSERT_EQ(table[table.find(i)], static_cast<int>(i));
  for (std::uint64_t i = 40'000; i < 65'536; ++i) table.insert(i);
  EXPECT_TRUE(table.full());
  EXPECT_EQ(table.slots(), 65'536u);
}

TEST(BoundedTable, HoldsOneEntryAtCapacityOne) {
  BoundedTable<std::uint64_t, int> table(1, 7);
  EXPECT_FALSE(table.used(table.none));
  const std::uint32_t slot = table.insert(5);
  EXPECT_TRUE(table.full());
  EXPECT_FALSE(table.contains(6));
  table.erase(slot);
  EXPECT_EQ(table.insert(6), slot);
}

}  // namespace
}  // namespace mobula::transport
