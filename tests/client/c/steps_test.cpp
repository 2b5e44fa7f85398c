#include <gmock/gmock.h>

#include <client/c/c_court.hpp>

namespace mobula::c {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CSteps : public test::CCourt {
 protected:
  void SetUp() override {
    CCourt::SetUp();
    predict();
    ticks(20);
    body = guest->component("Body");
    surface = guest->component("Surface");
    key = guest->component("SpawnKey");
    begin_step();
  }
  std::vector<mobula_entity> stepped(std::vector<std::uint32_t> components) {
    return test::read_all<mobula_entity>([&](auto... array) {
      return mobula_step_read_stepped(client(), components.data(), static_cast<std::uint32_t>(components.size()),
                                      array...);
    });
  }
  std::uint32_t body = 0, surface = 0, key = 0;
};

TEST_F(CSteps, FindSteppedAndVisibleEntities) {
  EXPECT_THAT(stepped({body, surface}), ElementsAre(avatar()));
  EXPECT_THAT(stepped({guest->component("Crate")}), ElementsAre());
  const auto visible = test::read_all<mobula_entity>(
      [&](auto... array) { return mobula_step_read_visible(client(), &body, 1, array...); });
  EXPECT_EQ(visible.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(visible, {}, [](mobula_entity each) { return test::to_entity(each).index; }));
}

TEST_F(CSteps, AnUndeclaredReadIsRefusedByName) {
  court::Body value;
  std::uint32_t count = 0;
  EXPECT_EQ(mobula_step_read(client(), avatar(), key, &value, sizeof value), MOBULA_ERROR_NO_ACCESS);
  EXPECT_THAT(test::error_text(), HasSubstr("reads SpawnKey"));
  EXPECT_EQ(mobula_step_read_stepped(client(), &key, 1, nullptr, 0, &count), MOBULA_ERROR_NO_ACCESS);
  EXPECT_EQ(mobula_step_read_visible(client(), &key, 1, nullptr, 0, &count), MOBULA_ERROR_NO_ACCESS);
  const mobula_entity own = avatar();
  EXPECT_EQ(mobula_step_read_column(client(), key, &own, 1, &value, 0), MOBULA_ERROR_NO_ACCESS);
}

TEST_F(CSteps, AWriteOfWhatIsNotPredictedIsRefusedByName) {
  court::Surface value;
  EXPECT_EQ(mobula_step_read(client(), avatar(), surface, &value, sizeof value), MOBULA_OK);
  EXPECT_EQ(mobula_step_write(client(), avatar(), surface, &value, sizeof value), MOBULA_ERROR_NO_ACCESS);
  EXPECT_THAT(test::error_text(), HasSubstr("writes Surface"));
  const mobula_entity own = avatar();
  EXPECT_EQ(mobula_step_write_column(client(), surface, &own, 1, &value, 0), MOBULA_ERROR_NO_ACCESS);
}

TEST_F(CSteps, OnlySteppedEntitiesAreWritten) {
  court::Body value;
  EXPECT_EQ(mobula_step_read(client(), crate(), body, &value, sizeof value), MOBULA_OK);
  EXPECT_EQ(mobula_step_write(client(), crate(), body, &value, sizeof value), MOBULA_ERROR_NO_ENTITY);
  EXPECT_THAT(test::error_text(), HasSubstr("is not stepped"));
  for (const mobula_entity none : {mobula_entity{0}, ~mobula_entity{0}}) {
    EXPECT_EQ(mobula_step_read(client(), none, body, &value, sizeof value), MOBULA_ERROR_NO_ENTITY);
    EXPECT_EQ(mobula_step_write(client(), none, body, &value, sizeof value), MOBULA_ERROR_NO_ENTITY);
    EXPECT_EQ(mobula_step_destroy(client(), none), MOBULA_ERROR_NO_ENTITY);
  }
  court::Crate other;
  EXPECT_EQ(mobula_step_write(client(), avatar(), guest->component("Crate"), &other, sizeof other),
            MOBULA_ERROR_NO_COMPONENT);
}

TEST_F(CSteps, ValuesOfAnotherSizeAreRefused) {
  court::Body value;
  EXPECT_EQ(mobula_step_read(client(), avatar(), body, &value, sizeof value - 1), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(mobula_step_write(client(), avatar(), body, &value, sizeof value - 1), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_write(client(), avatar(), body, nullptr, sizeof value), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_read(client(), avatar(), 999, &value, sizeof value), MOBULA_ERROR_NO_COMPONENT);
  const mobula_entity own = avatar();
  EXPECT_EQ(mobula_step_read_column(client(), body, &own, 1, &value, 3), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_read_column(client(), body, nullptr, 1, &value, 0), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_write_column(client(), body, &own, 1, nullptr, 0), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_write_column(client(), body, nullptr, 0, nullptr, 0), MOBULA_OK) << "nothing is written";
}

TEST_F(CSteps, ARefusedColumnIsNotWrittenInPart) {
  const std::array both{avatar(), crate()};
  std::array<court::Body, 2> values{};
  court::Body before;
  ASSERT_EQ(mobula_step_read(client(), avatar(), body, &before, sizeof before), MOBULA_OK);
  values[0].position.x = 9;
  EXPECT_EQ(mobula_step_write_column(client(), body, both.data(), 2, values.data(), 0), MOBULA_ERROR_NO_ENTITY);
  court::Body after;
  ASSERT_EQ(mobula_step_read(client(), avatar(), body, &after, sizeof after), MOBULA_OK);
  EXPECT_EQ(after, before);
}

TEST_F(CSteps, AColumnIsWrittenWithAStride) {
  struct Wide {
    court::Body body;
    int more = 5;
  };
  Wide value;
  const mobula_entity own = avatar();
  ASSERT_EQ(mobula_step_read_column(client(), body, &own, 1, &value, sizeof value), MOBULA_OK);
  value.body.position.y = 3.0004f;
  ASSERT_EQ(mobula_step_write_column(client(), body, &own, 1, &value, sizeof value), MOBULA_OK);
  EXPECT_EQ(value.more, 5);
  ASSERT_EQ(mobula_prediction_end_step(client()), MOBULA_OK);
  auto step = test::sized<mobula_step>();
  while (mobula_prediction_next_step(client(), &step) == MOBULA_OK) mobula_prediction_end_step(client());
  court::Body kept;
  ASSERT_EQ(mobula_prediction_read(client(), own, body, &kept, sizeof kept), MOBULA_OK);
  EXPECT_EQ(kept.position.y, 3.0f) << "rounded to steps of 2 mm";
}

TEST_F(CSteps, SearchesThatNameNothingAreRefused) {
  std::uint32_t count = 0;
  const std::vector<std::uint32_t> many(65, body);
  EXPECT_EQ(mobula_step_read_stepped(client(), &body, 0, nullptr, 0, &count), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_read_stepped(client(), nullptr, 1, nullptr, 0, &count), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_read_stepped(client(), many.data(), 65, nullptr, 0, &count), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_read_stepped(client(), &body, 1, nullptr, 0, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_read_stepped(client(), &body, 1, nullptr, 0, &count), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(count, 1u);
}

TEST_F(CSteps, GiveTheCommandsOfTheirTick) {
  end_update();
  const core::Bytes walk = test::court_walk(1, 0.5f);
  guest->set_command(walk);
  village.tick();
  ASSERT_EQ(mobula_prediction_begin_update(client(), village.now), MOBULA_OK);
  auto step = test::sized<mobula_step>();
  int given = 0;
  while (mobula_prediction_next_step(client(), &step) == MOBULA_OK) {
    const auto commands =
        test::read_all<mobula_command>([&](auto... array) { return mobula_step_read_commands(client(), array...); });
    EXPECT_EQ(commands.size(), step.commands);
    for (const mobula_command& each : commands) {
      ++given;
      EXPECT_EQ(each.entity, avatar());
      EXPECT_EQ(each.number, 1u);
      EXPECT_EQ(core::ByteView(static_cast<const std::byte*>(each.bytes), each.size).size(), walk.size());
      EXPECT_EQ(std::memcmp(each.bytes, walk.data(), walk.size()), 0);
    }
    EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_OK);
  }
  EXPECT_EQ(given, 1);
}

}  // namespace
}  // namespace mobula::c
