#include <gmock/gmock.h>

#include <client/c/c_court.hpp>
#include <mobula/core/random.hpp>
#include <mobula/prediction/predicted_world.hpp>

namespace mobula::c {
namespace {

class CStepEvents : public test::CCourt {
 protected:
  void SetUp() override {
    CCourt::SetUp();
    predict();
    ticks(20);
    body = guest->component("Body");
  }
  // Gives a command, and begins the step in which it runs. Returns its number.
  std::uint32_t begin_command() {
    guest->set_command(test::court_walk(1, 0));
    mobula_step step = begin_step();
    while (step.commands == 0) {
      EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_OK);
      if (mobula_prediction_next_step(client(), &step) != MOBULA_OK) return 0;
    }
    const auto commands =
        test::read_all<mobula_command>([&](auto... array) { return mobula_step_read_commands(client(), array...); });
    return commands.empty() ? 0 : commands[0].number;
  }
  std::uint32_t body = 0;
};

TEST_F(CStepEvents, RandomNumbersAreThoseOfTheRules) {
  const mobula_step step = begin_step();
  mobula_random random;
  ASSERT_EQ(mobula_step_random(client(), 5, &random), MOBULA_OK);
  core::Random same(core::Random::State{random.a, random.b, random.c, random.d});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(mobula_random_next(&random), same.next());
    EXPECT_EQ(mobula_random_below(&random, 7), same.below(7));
    EXPECT_EQ(mobula_random_uniform(&random, -1, 2), same.uniform(-1, 2));
  }
  mobula_random again, other, of_entity;
  ASSERT_EQ(mobula_step_random(client(), 5, &again), MOBULA_OK);
  ASSERT_EQ(mobula_step_random(client(), 6, &other), MOBULA_OK);
  ASSERT_EQ(mobula_step_random_of(client(), avatar(), &of_entity), MOBULA_OK);
  EXPECT_NE(again.a, other.a);
  EXPECT_NE(again.a, of_entity.a);
  EXPECT_GT(step.tick, 0u);
}

TEST_F(CStepEvents, GeneratorsThatAreNoneDrawNothing) {
  begin_step();
  mobula_random random{1, 2, 3, 4};
  EXPECT_EQ(mobula_random_next(nullptr), 0u);
  EXPECT_EQ(mobula_random_below(nullptr, 5), 0u);
  EXPECT_EQ(mobula_random_below(&random, 0), 0u);
  EXPECT_EQ(random.a, 1u);
  EXPECT_EQ(mobula_random_uniform(nullptr, 3, 4), 3);
  EXPECT_EQ(mobula_step_random(client(), 5, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_random_of(client(), 5, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CStepEvents, AGeneratorOfZerosIsThatOfASeed) {
  mobula_random zeros{};
  core::Random same(0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(mobula_random_below(&zeros, 7), same.below(7));
}

TEST_F(CStepEvents, SpawnsOfOtherCommandsAreRefused) {
  const std::uint32_t command = begin_command();
  ASSERT_GT(command, 0u);
  mobula_entity spawned = 0;
  EXPECT_EQ(mobula_step_spawn(client(), command + 1, &body, 1, &spawned), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_spawn(client(), command, &body, 1, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_spawn(client(), command, nullptr, 1, &spawned), MOBULA_ERROR_INVALID_ARGUMENT);
  const std::array twice{body, body};
  EXPECT_EQ(mobula_step_spawn(client(), command, twice.data(), 2, &spawned), MOBULA_ERROR_INVALID_ARGUMENT);
  const std::uint32_t surface = guest->component("Surface");
  EXPECT_EQ(mobula_step_spawn(client(), command, &surface, 1, &spawned), MOBULA_ERROR_NO_ACCESS);
  EXPECT_EQ(spawned, 0u);
}

TEST_F(CStepEvents, SpawnsHaveDefaultsAndABound) {
  const std::uint32_t command = begin_command();
  ASSERT_GT(command, 0u);
  const std::array components{body, guest->component("Heading")};
  mobula_entity spawned = 0;
  for (std::size_t i = 0; i < prediction::PredictedWorld::spawns_max; ++i)
    ASSERT_EQ(mobula_step_spawn(client(), command, components.data(), 2, &spawned), MOBULA_OK) << test::error_text();
  court::Heading heading{};
  ASSERT_EQ(mobula_step_read(client(), spawned, components[1], &heading, sizeof heading), MOBULA_OK);
  EXPECT_EQ(heading.rotation.w, 1);
  EXPECT_EQ(mobula_step_spawn(client(), command, components.data(), 2, &spawned), MOBULA_ERROR_TOO_LARGE);
  EXPECT_EQ(mobula_step_destroy(client(), spawned), MOBULA_OK);
  end_update();
  EXPECT_EQ(spawns().size(), prediction::PredictedWorld::spawns_max - 1);
}

TEST_F(CStepEvents, AnEffectHasItsPayload) {
  begin_step();
  const std::string payload(1024, 'p');
  EXPECT_EQ(mobula_step_effect(client(), "flash", 9, payload.data(), 1025), MOBULA_ERROR_TOO_LARGE);
  EXPECT_EQ(mobula_step_effect(client(), nullptr, 9, nullptr, 0), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_effect(client(), "flash", 9, nullptr, 1), MOBULA_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(mobula_step_effect(client(), "flash", 9, payload.data(), 1024), MOBULA_OK);
  end_update();
  ASSERT_EQ(effects().size(), 1u);
  const mobula_effect effect = effects()[0];
  EXPECT_EQ(effect.name, mobula_name_hash("flash"));
  EXPECT_EQ(effect.key, 9u);
  EXPECT_EQ(std::string(static_cast<const char*>(effect.payload), effect.size), payload);
  int confirmed = 0;
  for (int i = 0; i < 10; ++i) {
    tick();
    for (const mobula_effect& each : effects()) confirmed += each.kind == MOBULA_EFFECT_CONFIRMED ? 1 : 0;
  }
  EXPECT_EQ(confirmed, 1) << "its tick was reconciled without a replay";
}

TEST_F(CStepEvents, StaticDataThatIsMissingIsNoError) {
  begin_step();
  std::uint32_t type = 0;
  const void* bytes = nullptr;
  std::uint64_t size = 0;
  EXPECT_EQ(mobula_step_find_static(client(), 5, &type, &bytes, &size), MOBULA_NOTHING);
  EXPECT_EQ(mobula_step_find_static(client(), 5, nullptr, &bytes, &size), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_find_static(client(), 5, &type, nullptr, &size), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_step_find_static(client(), 5, &type, &bytes, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST(CNames, HaveTheHashOfTheSchema) {
  EXPECT_EQ(mobula_name_hash("throw"), test::throw_effect.value);
  EXPECT_EQ(mobula_name_hash(""), core::StringId32("").value);
  EXPECT_EQ(mobula_name_hash(nullptr), 0u);
}

}  // namespace
}  // namespace mobula::c
