#include <gmock/gmock.h>

#include <client/c/c_world.hpp>
#include <cstring>
#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>

namespace mobula::c {
namespace {

class CComponents : public test::CWorld {
 protected:
  void SetUp() override {
    CWorld::SetUp();
    play();
  }
  mobula_component_info info(std::uint32_t component) {
    auto info = test::sized<mobula_component_info>();
    EXPECT_EQ(mobula_client_component(client(), component, &info), MOBULA_OK) << test::error_text();
    return info;
  }
};

TEST_F(CComponents, AreFoundByTypeAndInstance) {
  std::uint32_t body = 0;
  std::uint32_t fog = 0;
  ASSERT_EQ(mobula_client_find_component(client(), "RenderData", "Body", &body), MOBULA_OK);
  ASSERT_EQ(mobula_client_find_component(client(), "RenderData", "Fog", &fog), MOBULA_OK);
  EXPECT_NE(body, fog);
  EXPECT_EQ(info(body).type, info(fog).type);
  EXPECT_STREQ(info(fog).instance, "Fog");
  EXPECT_STREQ(info(guest->component("Team")).instance, "Team");
  EXPECT_EQ(info(body).size, sizeof(demo::RenderData));
}

TEST_F(CComponents, UnknownOnesAreRefused) {
  std::uint32_t component = 5;
  EXPECT_EQ(mobula_client_find_component(client(), "Team", "Fog", &component), MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(mobula_client_find_component(client(), "Nothing", nullptr, &component), MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(mobula_client_find_component(client(), nullptr, nullptr, &component), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_find_component(client(), "Team", nullptr, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(component, 5u);
  std::uint32_t count = 0;
  ASSERT_EQ(mobula_client_component_count(client(), &count), MOBULA_OK);
  auto info = test::sized<mobula_component_info>();
  std::uint32_t value = 0;
  const void* values = nullptr;
  for (const std::uint32_t none : {count, ~0u}) {
    EXPECT_EQ(mobula_client_component(client(), none, &info), MOBULA_ERROR_NO_COMPONENT);
    EXPECT_EQ(mobula_client_read(client(), guest->entities()[0], none, &value, 4), MOBULA_ERROR_NO_COMPONENT);
    EXPECT_EQ(mobula_client_read_column(client(), none, nullptr, nullptr, 0, 0, &count), MOBULA_ERROR_NO_COMPONENT);
    EXPECT_EQ(mobula_client_map_column(client(), none, 0, &values, &count), MOBULA_ERROR_NO_COMPONENT);
  }
}

TEST_F(CComponents, AValueIsThatOfTheWorld) {
  const std::uint32_t component = guest->component("Health");
  int compared = 0;
  for (const mobula_entity entity : guest->entities()) {
    demo::Health health{};
    const mobula_result read = mobula_client_read(client(), entity, component, &health, sizeof health);
    const auto* const there = world().try_get<const demo::Health>(test::to_entity(entity));
    EXPECT_EQ(read, there == nullptr ? MOBULA_ERROR_NO_COMPONENT : MOBULA_OK);
    if (there == nullptr) continue;
    ++compared;
    EXPECT_EQ(health.current, there->current);
    EXPECT_EQ(health.maximum, there->maximum);
  }
  EXPECT_GT(compared, 10);
}

TEST_F(CComponents, AShortBufferIsNotWritten) {
  const std::uint32_t component = guest->component("Transform");
  std::array<std::byte, sizeof(engine::Transform)> value{};
  for (const mobula_entity entity : guest->entities()) {
    const mobula_result read = mobula_client_read(client(), entity, component, value.data(), value.size() - 1);
    EXPECT_EQ(read, MOBULA_ERROR_BUFFER_TOO_SMALL);
  }
  EXPECT_EQ(value, decltype(value){});
  EXPECT_EQ(mobula_client_read(client(), guest->entities()[0], component, nullptr, 100), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CComponents, AColumnHasWhatSingleReadsHave) {
  const std::uint32_t component = guest->component("Transform");
  const std::uint32_t size = sizeof(engine::Transform);
  for (const std::uint32_t stride : {0u, size, size + 12}) {
    const std::uint32_t step = stride == 0 ? size : stride;
    std::uint32_t count = 0;
    EXPECT_EQ(mobula_client_read_column(client(), component, nullptr, nullptr, 0, 0, &count),
              MOBULA_ERROR_BUFFER_TOO_SMALL);
    ASSERT_GT(count, 64u) << "more than a block";
    std::vector<mobula_entity> entities(count);
    core::Bytes values(std::size_t{count} * step, std::byte{0x5a});
    ASSERT_EQ(mobula_client_read_column(client(), component, entities.data(), values.data(), stride, count, &count),
              MOBULA_OK);
    for (std::size_t i = 0; i < entities.size(); ++i) {
      core::Bytes single(size);
      ASSERT_EQ(mobula_client_read(client(), entities[i], component, single.data(), size), MOBULA_OK);
      EXPECT_EQ(std::memcmp(single.data(), values.data() + i * step, size), 0);
      for (std::size_t gap = size; gap < step; ++gap) ASSERT_EQ(values[i * step + gap], std::byte{0x5a});
    }
  }
}

TEST_F(CComponents, AColumnIsWrittenAsFarAsItFits) {
  const std::uint32_t component = guest->component("Transform");
  const std::uint32_t size = sizeof(engine::Transform);
  std::vector<mobula_entity> entities(3, 1);
  core::Bytes values(3 * size, std::byte{0x5a});
  std::uint32_t count = 0;
  EXPECT_EQ(mobula_client_read_column(client(), component, entities.data(), values.data(), 0, 2, &count),
            MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_GT(count, 2u);
  EXPECT_NE(entities[1], 1u);
  EXPECT_EQ(entities[2], 1u);
  EXPECT_EQ(values[2 * size], std::byte{0x5a});
  EXPECT_EQ(mobula_client_read_column(client(), component, nullptr, values.data(), size - 1, 2, &count),
            MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_read_column(client(), component, nullptr, values.data(), 0, 2, nullptr),
            MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CComponents, AMappedColumnIsTheColumnPieceByPiece) {
  const std::uint32_t component = guest->component("Transform");
  const std::uint32_t size = sizeof(engine::Transform);
  std::uint32_t all = 0;
  mobula_client_read_column(client(), component, nullptr, nullptr, 0, 0, &all);
  core::Bytes copied(std::size_t{all} * size);
  ASSERT_EQ(mobula_client_read_column(client(), component, nullptr, copied.data(), 0, all, &all), MOBULA_OK);
  std::uint32_t position = 0;
  const void* values = nullptr;
  std::uint32_t count = 0;
  while (mobula_client_map_column(client(), component, position, &values, &count) == MOBULA_OK) {
    ASSERT_GT(count, 0u);
    ASSERT_LE(position + count, all);
    EXPECT_EQ(std::memcmp(values, copied.data() + std::size_t{position} * size, std::size_t{count} * size), 0);
    position += count;
  }
  EXPECT_EQ(position, all);
  EXPECT_EQ(mobula_client_map_column(client(), component, ~0u, &values, &count), MOBULA_NOTHING);
  EXPECT_EQ(mobula_client_map_column(client(), component, 0, nullptr, &count), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_map_column(client(), component, 0, &values, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace mobula::c
