#include <algorithm>
#include <chrono>
#include <mobula/bench/bodies.hpp>
#include <mobula/client/prediction/predicted_set.hpp>
#include <mobula/prediction/predicted_world.hpp>
#include <server/hamlet.hpp>

#include "prediction/prediction_bench.hpp"

namespace mobula::bench {
namespace {

constexpr std::size_t entity_count = 100;
constexpr ecs::Tick replayed_ticks = 22;
constexpr int repeats = 2000;

class BodiesGame final : public server::Game {
 public:
  [[nodiscard]] core::ByteView schema() const override { return bodies::schema_bytes(); }
  core::Status start(server::World& world) override {
    for (std::size_t i = 0; i < entity_count; ++i)
      all.push_back(
          *world.create(bodies::Pose{.position = {.x = static_cast<float>(i), .y = 0, .z = 0}}, bodies::Motion{}));
    return core::Done{};
  }
  core::Result<ecs::Entity> join(server::World& /*world*/, const server::Player& /*player*/) override {
    return ecs::null_entity;
  }
  void leave(server::World& /*world*/, const server::Player& /*player*/) override {}

  std::vector<ecs::Entity> all;
};

void no_rules(prediction::PredictedWorld& /*world*/, ecs::Tick /*tick*/,
              std::span<const prediction::Command> /*commands*/) {}

template <class Function>
double microseconds_of(Function&& function) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) function();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / repeats;
}

// A set of predicted entities beside the mirror that they come from.
class Bodies {
 public:
  explicit Bodies(const client::Mirror& mirror, std::vector<ecs::Entity> wanted)
      : wanted_(std::move(wanted)),
        set_(std::move(*client::PredictedSet::make(mirror, rules_, 1))),
        ring_(set_->registry(), set_->predicted_pools(), replayed_ticks + 4) {
    set_->collect(wanted_, commands_, 0);
    set_->rebuild();
    ring_.save(1, set_->stepped());
  }

  [[nodiscard]] double save_compare_restore() {
    return microseconds_of([&] {
      ring_.save(2, set_->stepped());
      set_->collect(wanted_, commands_, 0);
      MOBULA_CHECK(!set_->compare(ring_, ring_.snapshot(2)).any(), "nothing has moved");
      ring_.restore(1, set_->stepped());
    });
  }
  [[nodiscard]] double replay() {
    const prediction::StepContext context{.registry = &set_->registry(),
                                          .types = &set_->types(),
                                          .stepped = &set_->stepped(),
                                          .effects = &effects_,
                                          .spawned = &spawned_,
                                          .scratch = &scratch_};
    return microseconds_of([&] {
      ring_.restore(1, set_->stepped());
      for (ecs::Tick tick = 2; tick < 2 + replayed_ticks; ++tick) {
        set_->registry().set_tick(++serial_);
        prediction::run_step(rules_, context, tick, {});
        set_->snap(serial_ - 1);
        ring_.save(tick, set_->stepped());
      }
    });
  }

 private:
  prediction::Rules rules_{.step = &no_rules};
  std::vector<ecs::Entity> wanted_;
  client::CommandTimeline commands_;
  std::unique_ptr<client::PredictedSet> set_;
  client::SnapshotRing ring_;
  ecs::Tick serial_ = 1;
  prediction::EffectList effects_;
  std::vector<prediction::Spawned> spawned_;
  prediction::StepScratch scratch_;
};

}  // namespace

PredictionCost measure_prediction(std::uint32_t rounds) {
  BodiesGame game;
  test::Village village(game);
  const test::Village::Client& client = village.join();
  village.ticks(40);
  const client::Mirror* const mirror = client.connection.mirror();
  MOBULA_CHECK(mirror != nullptr && mirror->size() == entity_count, "the mirror has all bodies");
  Bodies bodies(*mirror, game.all);
  PredictionCost least{.ns_per_entity_tick = 1e9, .us_22x100 = 1e9};
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const double each = bodies.save_compare_restore() * 1000 / entity_count;
    least.ns_per_entity_tick = std::min(least.ns_per_entity_tick, each);
    least.us_22x100 = std::min(least.us_22x100, bodies.replay());
  }
  return least;
}

}  // namespace mobula::bench
