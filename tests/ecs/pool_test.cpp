#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/ecs/pool.hpp>

namespace mobula::ecs {
namespace {

ComponentType bytes_type(std::uint32_t size) {
  return {.id = core::StringId32("Bytes"),
          .name = "Bytes",
          .size = size,
          .alignment = 4,
          .schema = true,
          .default_value = core::Bytes(size)};
}

struct PoolTest : testing::Test {
  Tick now = 1;
  ComponentType type = bytes_type(4);
  Pool pool{type, core::StringId32("Bytes"), "Bytes", now, {.sparse_page_shift = 4, .data_page_shift = 6}};

  void append(std::uint32_t index, std::uint32_t value) { core::store(pool.append(index), value); }
  std::uint32_t value(std::uint32_t index) { return core::load<std::uint32_t>(pool.at(pool.find(index))); }
};

TEST_F(PoolTest, RemovalSwapsTheLastIntoTheGap) {
  for (std::uint32_t i = 0; i < 4; ++i) append(i * 10, i);
  pool.remove(10);
  EXPECT_EQ(std::vector<std::uint32_t>(pool.indices().begin(), pool.indices().end()),
            (std::vector<std::uint32_t>{0, 30, 20}));
  EXPECT_EQ(value(30), 3u);
  EXPECT_FALSE(pool.contains(10));
  pool.check();
}

TEST_F(PoolTest, OnlyMutableAccessAndMovesStampABlock) {
  for (std::uint32_t i = 0; i < 130; ++i) append(i, i);
  now = 2;
  static_cast<void>(pool.at(5));
  EXPECT_EQ(pool.stamps()[0], 1u);
  static_cast<void>(pool.at_mutable(70));
  EXPECT_EQ(pool.stamps()[0], 1u);
  EXPECT_EQ(pool.stamps()[1], 2u);
  now = 3;
  pool.remove(3);  // 129 moves from block 2 to block 0
  EXPECT_EQ(pool.stamps()[0], 3u);
  EXPECT_EQ(pool.stamps()[1], 2u);
}

TEST_F(PoolTest, AColumnArrivesAsIfAppendedOneByOne) {
  append(500, 7);
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 200; ++i) {
    offsets.push_back(i * 2);
    rows.push_back(1000 + i);
  }
  now = 9;
  pool.append_rows(1000, offsets, reinterpret_cast<const std::byte*>(rows.data()));
  EXPECT_EQ(pool.size(), 201u);
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(value(1000 + i * 2), 1000 + i);
  for (const Tick stamp : pool.stamps()) EXPECT_EQ(stamp, 9u);
  pool.check();
}

TEST_F(PoolTest, RandomHistoriesAgreeWithAMap) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    std::map<std::uint32_t, std::uint32_t> model;
    for (const auto& [index, unused] : std::map(model)) pool.remove(index);
    for (int step = 0; step < 20000; ++step) {
      const std::uint32_t index = random.below(300) * 7;
      if (model.contains(index)) {
        model.erase(index);
        pool.remove(index);
      } else {
        model[index] = static_cast<std::uint32_t>(random.next());
        append(index, model[index]);
      }
      if (step % 500 == 0) {
        pool.check();
        ASSERT_EQ(pool.size(), model.size());
        for (const auto& [key, expected] : model) ASSERT_EQ(value(key), expected);
      }
    }
    for (const auto& [index, unused] : model) pool.remove(index);
    EXPECT_EQ(pool.size(), 0u);
    pool.check();
  }
}

TEST(Pool, OwnedComponentsAreMovedAndEndedExactlyOnce) {
  using Owner = std::shared_ptr<int>;
  const ComponentType type = local_component_type<Owner>();
  const Tick now = 1;
  Owner a = std::make_shared<int>(1);
  Owner b = std::make_shared<int>(2);
  {
    Pool pool(type, type.id, type.name, now, {});
    ::new (pool.append(0)) Owner(a);
    ::new (pool.append(1)) Owner(b);
    pool.remove(0);
    EXPECT_EQ(a.use_count(), 1);
    EXPECT_EQ(**reinterpret_cast<const Owner*>(pool.at(pool.find(1))), 2);
    EXPECT_EQ(b.use_count(), 2);
  }
  EXPECT_EQ(b.use_count(), 1);
}

}  // namespace
}  // namespace mobula::ecs
