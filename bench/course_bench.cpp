// Cost of what is under way, per component and tick: range(0) bodies follow their courses. Publishing checks all of
// them, also those that were not written, and mirrors move all of them to the next tick.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mobula/bench/courses.hpp>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/replication/publisher.hpp>

#include "delta_acks.hpp"

namespace mobula::bench {
namespace {

using courses::Drift;
using courses::Spin;

constexpr std::uint32_t entities_max = 1u << 16;
constexpr float velocity_unit = 0.002f / 32;  // that of a course: no course ends for its rounding
constexpr float bound = 8;
constexpr int warm_up_ticks = 512;  // the slowest bodies leave the tolerance of standing still

using Clock = std::chrono::steady_clock;

// Bodies in pool order, each with a velocity and a turn of its own.
template <class Body>
class Bodies {
 public:
  explicit Bodies(std::size_t count) : schema(*reflect::Schema::load(courses::schema_bytes())), entities(count) {
    static_cast<void>(reflect::register_components(registry, *schema).value());
    publisher = std::make_unique<server::Publisher>(registry, *schema);
    registry.create(std::span(entities), Body{});
    for (std::size_t i = 0; i < count; ++i) speeds_.push_back(velocity_unit * static_cast<float>(1 + i % 6));
  }
  // Moves all bodies by `ticks`.
  void move(std::uint32_t ticks) {
    age_ += ticks;
    for (std::size_t i = 0; i < entities.size(); ++i) {
      auto& body = registry.get<Body>(entities[i]);
      body.position.x += speeds_[i] * static_cast<float>(ticks);
      body.position.z -= speeds_[i] * static_cast<float>(ticks);
      if (std::abs(body.position.x) > bound) speeds_[i] = -speeds_[i];
      if constexpr (requires { body.rotation; }) {
        const double half = 5e-6 * static_cast<double>(age_) * static_cast<double>(1 + i % 8);
        body.rotation = {0, static_cast<float>(std::sin(half)), 0, static_cast<float>(std::cos(half))};
      }
    }
  }
  // Publishes the tick. Returns the time that it took.
  double publish() {
    const Clock::time_point begin = Clock::now();
    published += publisher->publish().size();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  void begin_next() {
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }

  std::shared_ptr<const reflect::Schema> schema;
  ecs::Registry registry;
  std::unique_ptr<server::Publisher> publisher;
  std::vector<ecs::Entity> entities;
  std::size_t published = 0;  // bodies with a new course, of all ticks

 private:
  std::vector<float> speeds_;
  std::uint32_t age_ = 0;
};

// A client that sees all bodies. Nothing is lost, and acknowledgements arrive with the next tick.
template <class Body>
class Viewed {
 public:
  explicit Viewed(Bodies<Body>& bodies)
      : bodies_(bodies),
        encoded_(bodies.publisher->published()),
        view_(bodies.publisher->published(), encoded_, workspace_, false),
        mirror_(std::move(*client::Mirror::make(bodies.schema, entities_max))) {}

  // Sends the published tick. Returns the time that the mirror took.
  double tick() {
    const ecs::Tick now = bodies_.registry.tick();
    encoded_.begin_tick(now);
    view_.note_published();
    for (const std::uint32_t index : bodies_.publisher->spawned()) view_.add_visible(index, false);
    view_.choose(now, ~std::size_t{0}, [](std::uint32_t) { return 1.0f; });
    double seconds = 0;
    do {
      const std::size_t size = view_.write_delta(datagram_, now, {});
      seconds += apply({datagram_.data(), size});
    } while (view_.has_chosen());
    announce();
    const wire::InputDatagram& input = acks_.next();
    mirror_->acknowledged(input.ack);
    static_cast<void>(view_.acknowledge(input).value());
    mirror_->hand_out_changes();
    return seconds;
  }
  [[nodiscard]] client::Mirror& mirror() { return *mirror_; }

 private:
  double apply(core::ByteView delta) {
    const wire::DeltaHeader header = wire::read_delta_header(delta, acks_.known()).value();
    const Clock::time_point begin = Clock::now();
    const bool applied = mirror_->apply(header, delta).ok();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (applied) acks_.on_delta(header);
    return seconds;
  }
  void announce() {
    for (const auto& [prototype, id] : view_.prototypes().wanted()) {
      std::vector<index::ComponentRef> components = index::components(bodies_.registry, prototype);
      const wire::Prototypes message{{{id, index::prototype_hash(components), components}}};
      static_cast<void>(mirror_->add_prototypes(message).value());
      view_.prototypes().delivered(id);
    }
    view_.prototypes().clear_wanted();
  }

  Bodies<Body>& bodies_;
  server::EncodedDeltaCache encoded_;
  server::ViewWorkspace workspace_;
  server::ClientView view_;
  std::unique_ptr<client::Mirror> mirror_;
  DeltaAcks acks_;
  core::Bytes datagram_ = core::Bytes(wire::delta_bytes_max);
};

// Times of the ticks: their mean, and the least, which other work on the machine hardly changes.
class Times {
 public:
  Times(benchmark::State& state, const std::size_t& published)
      : state_(state), published_(published), published_before_(published) {}
  ~Times() {
    const double components = static_cast<double>(state_.range(0));
    state_.counters["new_courses"] =
        static_cast<double>(published_ - published_before_) / (components * static_cast<double>(state_.iterations()));
    state_.counters["ns_per_component"] = sum_ * 1e9 / (components * static_cast<double>(state_.iterations()));
    state_.counters["least"] = least_ * 1e9 / components;
  }
  Times(const Times&) = delete;
  Times& operator=(const Times&) = delete;
  void add(double seconds) {
    state_.SetIterationTime(seconds);
    sum_ += seconds;
    least_ = std::min(least_, seconds);
  }

 private:
  benchmark::State& state_;
  const std::size_t& published_;
  std::size_t published_before_;
  double sum_ = 0;
  double least_ = 1;
};

// All bodies are written every range(1) ticks. Their courses go on between these, within the tolerance.
template <class Body>
void publish(benchmark::State& state) {
  Bodies<Body> bodies(static_cast<std::size_t>(state.range(0)));
  const auto every = static_cast<std::uint32_t>(state.range(1));
  for (int i = 0; i < warm_up_ticks; ++i) {
    bodies.publish();
    bodies.begin_next();
    bodies.move(1);
  }
  Times times(state, bodies.published);
  for (auto _ : state) {
    times.add(bodies.publish());
    bodies.begin_next();
    if (bodies.registry.tick() % every == 0) bodies.move(every);
  }
}

template <class Body>
void mirror(benchmark::State& state) {
  Bodies<Body> bodies(static_cast<std::size_t>(state.range(0)));
  Viewed<Body> viewed(bodies);
  const auto tick = [&] {
    bodies.move(1);
    bodies.publish();
    const double taken = viewed.tick();
    bodies.begin_next();
    return taken;
  };
  for (int i = 0; i < warm_up_ticks; ++i) tick();
  Times times(state, bodies.published);
  for (auto _ : state) times.add(tick());
}

// Pictures between the last two ticks, at all ages of courses.
template <class Body>
void picture(benchmark::State& state) {
  Bodies<Body> bodies(static_cast<std::size_t>(state.range(0)));
  Viewed<Body> viewed(bodies);
  viewed.mirror().set_view_tick(0);
  const auto tick = [&] {
    bodies.move(1);
    bodies.publish();
    viewed.tick();
    bodies.begin_next();
  };
  for (int i = 0; i < warm_up_ticks; ++i) tick();
  Times times(state, bodies.published);
  const auto pool = bodies.registry.template pool_of<Body>();
  Body shown{};
  for (auto _ : state) {
    tick();
    const double moment = static_cast<double>(viewed.mirror().tick()) - 0.5;
    const client::Interpolation pictures(viewed.mirror());
    const Clock::time_point begin = Clock::now();
    for (const ecs::Entity entity : bodies.entities)
      benchmark::DoNotOptimize(pictures.sample(entity, pool, moment, reinterpret_cast<std::byte*>(&shown)));
    times.add(std::chrono::duration<double>(Clock::now() - begin).count());
  }
}

void sizes(benchmark::internal::Benchmark* benchmark) { benchmark->Arg(1000)->Arg(10000)->UseManualTime(); }
void written(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{1000, 10000}, {1}})->UseManualTime();
}
// A course that is renewed between writes has another velocity: this ends before the first one is.
void written_sometimes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{1000, 10000}, {8}})->UseManualTime()->Iterations(8192);
}

BENCHMARK(publish<Drift>)->Name("server/publish_under_way/positions")->Apply(written);
BENCHMARK(publish<Drift>)->Name("server/publish_under_way/positions")->Apply(written_sometimes);
BENCHMARK(publish<Spin>)->Name("server/publish_under_way/positions_and_rotations")->Apply(written);
BENCHMARK(mirror<Drift>)->Name("client/follow_courses/positions")->Apply(sizes);
BENCHMARK(mirror<Spin>)->Name("client/follow_courses/positions_and_rotations")->Apply(sizes);

BENCHMARK(picture<Drift>)->Name("client/pictures_of_courses/positions")->Apply(sizes);
BENCHMARK(picture<Spin>)->Name("client/pictures_of_courses/positions_and_rotations")->Apply(sizes);

}  // namespace
}  // namespace mobula::bench
