// A court with a client of the C interface whose host predicts by the court's rules.
#pragma once

#include <gtest/gtest.h>

#include <client/c/court_host.hpp>
#include <client/c/guest.hpp>
#include <client/prediction/court_rules.hpp>
#include <mobula/core/log.hpp>
#include <optional>

namespace mobula::test {

class CCourt : public testing::Test {
 protected:
  void SetUp() override {
    core::set_log_level(core::LogLevel::off);
    guest.emplace(village);
  }
  void TearDown() override {
    guest.reset();
    core::set_log_level(core::LogLevel::info);
  }

  [[nodiscard]] mobula_client client() const { return guest->client(); }
  static mobula_prediction_options options() {
    auto options = sized<mobula_prediction_options>();
    options.reads = "Surface";
    options.position_component = "Body";
    return options;
  }
  // Creates the prediction, and ticks until the avatar is predicted.
  void predict() {
    const mobula_prediction_options all = options();
    ASSERT_EQ(mobula_prediction_create(client(), &all), MOBULA_OK) << error_text();
    host.emplace(client());
    for (int i = 0; i < 100 && state(guest->status().player) != MOBULA_PREDICTED; ++i) tick();
    ASSERT_EQ(state(guest->status().player), MOBULA_PREDICTED);
  }
  // Lets time pass and updates the prediction.
  void tick() {
    village.tick();
    ASSERT_GE(host->update(village.now), 0) << host->failed() << ": " << error_text();
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  // Lets time pass and begins a step.
  mobula_step begin_step() {
    village.tick();
    EXPECT_EQ(mobula_prediction_begin_update(client(), village.now), MOBULA_OK) << error_text();
    auto step = sized<mobula_step>();
    EXPECT_EQ(mobula_prediction_next_step(client(), &step), MOBULA_OK) << error_text();
    return step;
  }
  // Ends the step that has begun, and the update.
  void end_update() {
    EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_OK);
    auto step = sized<mobula_step>();
    while (mobula_prediction_next_step(client(), &step) == MOBULA_OK) {
      host->step(step);
      EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_OK);
    }
  }
  // Returns an entity's state; -1 if there is no such entity.
  [[nodiscard]] int state(mobula_entity entity) const {
    std::uint32_t state = 0;
    return mobula_prediction_entity(client(), entity, &state) == MOBULA_OK ? static_cast<int>(state) : -1;
  }
  [[nodiscard]] mobula_prediction_info info() const {
    auto info = sized<mobula_prediction_info>();
    EXPECT_EQ(mobula_prediction_status(client(), &info), MOBULA_OK);
    return info;
  }
  [[nodiscard]] mobula_prediction_counters counters() const {
    auto counters = sized<mobula_prediction_counters>();
    EXPECT_EQ(mobula_prediction_statistics(client(), &counters), MOBULA_OK);
    return counters;
  }
  [[nodiscard]] mobula_entity avatar() const { return guest->status().player; }
  [[nodiscard]] mobula_entity crate() const { return handle_of(game.crates[0]); }
  [[nodiscard]] std::vector<mobula_effect> effects() const {
    return read_all<mobula_effect>([&](auto... array) { return mobula_prediction_read_effects(client(), array...); });
  }
  [[nodiscard]] std::vector<mobula_spawn> spawns() const {
    return read_all<mobula_spawn>([&](auto... array) { return mobula_prediction_read_spawns(client(), array...); });
  }

  CourtGame game{2};
  Village village{game, {}, {.latency = 50 * core::millisecond}};
  std::optional<Guest> guest;
  std::optional<CourtHost> host;
};

}  // namespace mobula::test
