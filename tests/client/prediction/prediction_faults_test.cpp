// Predictions under random faults: bad paths, cuts, pauses, reconnects, changes by the game. Whatever happened,
// predicted values are the server's once nothing moves, and each effect has ended once.
#include <gtest/gtest.h>

#include <client/prediction/court.hpp>
#include <seeds.hpp>

namespace mobula::client::prediction_faults_test {
namespace {

using test::Court;

constexpr core::Nanoseconds ms = core::millisecond;

class Faults {
 public:
  explicit Faults(std::uint64_t seed)
      : random_(seed), court_(1 + random_.below(4), conditions(), seed), disturbs_(random_.chance(1, 2)) {
    const std::uint32_t players = 1 + random_.below(3);
    for (std::uint32_t i = 0; i < players; ++i) {
      const std::uint32_t least = random_.below(3);
      court_.join(
          {.input_delay = {.least = least, .most = least + random_.below(4), .predicted_max = 12 + random_.below(30)},
           .position_component = "Body"});
    }
  }

  void play(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      for (const auto& guest : court_.guests) disturb(*guest);
      if (disturbs_ && random_.chance(1, 30)) change_world();
      court_.play(1);
      court_.game.disturb = nullptr;
      for (const auto& guest : court_.guests) check(*guest);
    }
  }
  // Ends all faults and waits until nothing moves.
  void rest() {
    court_.village.network.set_conditions({.latency = 30 * ms});
    for (const auto& guest : court_.guests) {
      guest->paused = false;
      court_.village.network.heal(guest->client.port.from);
    }
    for (int i = 0; i < 30; ++i) {
      court_.ticks(10);
      for (const auto& guest : court_.guests) court_.reconnect(*guest);
    }
    court_.ticks(100);
  }
  void expect_agreement() {
    for (const auto& guest : court_.guests) {
      ASSERT_EQ(guest->connection().state(), Connection::State::playing) << to_string(guest->connection().reason());
      EXPECT_TRUE(court_.agrees<court::Body>(*guest, guest->avatar()));
      EXPECT_TRUE(court_.agrees<court::Thrower>(*guest, guest->avatar()));
      for (const ecs::Entity crate : court_.game.crates)
        if (guest->prediction.is_predicted(crate)) EXPECT_TRUE(court_.agrees<court::Body>(*guest, crate));
      EXPECT_EQ(guest->effects.faults, 0u);
      EXPECT_EQ(guest->effects.running(), 0u);
      EXPECT_TRUE(guest->prediction.spawns().locals().empty());
      if (court_.guests.size() == 1 && !disturbs_)
        EXPECT_EQ(guest->prediction.stats().remote_mispredictions, 0u)
            << describe(guest->prediction.last_misprediction(), *guest->connection().mirror());
    }
  }

 private:
  transport::NetworkConditions conditions() {
    return {.latency = random_.below(120) * ms,
            .jitter = random_.below(60) * ms,
            .loss_ppm = random_.below(150'000),
            .duplicate_ppm = random_.below(50'000),
            .reorder_ppm = random_.below(50'000)};
  }
  void disturb(Court::Guest& guest) {
    court_.reconnect(guest);
    if (random_.chance(1, 150)) guest.paused = true;
    if (random_.chance(1, 10)) guest.paused = false;
    if (random_.chance(1, 200)) step_clock(guest);
    if (random_.chance(1, 300)) court_.village.network.cut(guest.client.port.from);
    if (random_.chance(1, 20)) court_.village.network.heal(guest.client.port.from);
    if (random_.chance(1, 40) && !court_.game.crates.empty()) {
      const auto place = random_.below(static_cast<std::uint32_t>(court_.game.crates.size()));
      guest.prediction.set_predicted(court_.game.crates[place], random_.chance(3, 4));
    }
  }
  // Forwards by up to a minute, back by up to 3 s. A client that times out before Welcome has nothing to resume.
  void step_clock(Court::Guest& guest) {
    const core::Nanoseconds length = random_.chance(1, 4) ? 60'000 * ms : 3'000 * ms;
    const bool goes_back = length < 60'000 * ms && random_.chance(1, 2);
    const auto step = static_cast<core::Nanoseconds>(random_.uniform(0, 1) * static_cast<float>(length / ms)) * ms;
    if (guest.connection().clock() != nullptr) guest.ahead += goes_back ? -step : step;
  }
  void change_world() {
    court_.game.disturb = [this](server::World& world) {
      const ecs::Entity crate = court_.game.crates[0];
      if (!world.registry().valid(crate)) return;
      auto& body = world.registry().get<court::Body>(crate);
      body.position.x = random_.uniform(-20, 20);
      body.velocity.z = random_.uniform(-9, 9);
      world.registry().get<court::Surface>(crate).friction = random_.chance(1, 2) ? 0.1f : 0.2f;
    };
  }
  static void check(const Court::Guest& guest) {
    if (!guest.prediction.started()) return;
    ASSERT_LE(guest.prediction.tick() - guest.prediction.reconciled_tick(), 42u);
  }

  core::Random random_;
  Court court_;
  bool disturbs_;
};

TEST(PredictionFaults, EndInAgreement) {
  test::for_each_seed(1, test::few_or_all(8, 30), 600, [](std::uint64_t seed) {
    Faults faults(seed);
    faults.play(600);
    faults.rest();
    faults.expect_agreement();
  });
}

}  // namespace
}  // namespace mobula::client::prediction_faults_test
