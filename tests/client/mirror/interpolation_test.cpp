#include <gtest/gtest.h>

#include <client/mirror/interpolation_world.hpp>
#include <memory>
#include <mobula/index/properties.hpp>
#include <optional>
#include <reflect/compile_schema.hpp>

namespace mobula::client {
namespace {

using engine::Transform;

TEST_F(InterpolationTest, MatchesTheReferenceModelBetweenTicks) {
  for (const std::uint32_t disorder : {0u, 1u, 3u, 6u}) {
    SCOPED_TRACE(disorder);
    const ecs::Entity entity = create(0);
    States received;
    std::multimap<ecs::Tick, std::pair<ecs::Tick, core::Bytes>> in_flight;
    std::map<ecs::Tick, Transform> truth;
    double view_tick = now();
    double angle = 0;
    for (int i = 0; i < 400; ++i) {
      auto& transform = world.registry.get<Transform>(entity);
      transform.position = {world.random.uniform(-500, 500), world.random.uniform(-5, 5), transform.position.z + 0.5f};
      if (transform.position.z > 500) transform.position.z = -500;
      angle += static_cast<double>(world.random.uniform(-1, 1));
      transform.rotation = turned(angle);
      if (world.random.chance(1, 2)) {
        engine::Quat& q = transform.rotation;
        q = {-q.x, -q.y, -q.z, -q.w};
      }
      const ecs::Tick tick = now();
      truth[tick] = quantised(transform);
      core::Bytes delta = end_tick();
      if (!world.random.chance(disorder, 20))
        in_flight.emplace(tick + world.random.below(disorder + 1), std::pair(tick, std::move(delta)));
      for (; !in_flight.empty() && in_flight.begin()->first <= tick; in_flight.erase(in_flight.begin())) {
        const auto& [of, bytes] = in_flight.begin()->second;
        if (apply(bytes)) received[of] = truth.at(of);
      }
      if (!world.random.chance(disorder, 20)) acknowledge();
      if (received.empty()) continue;
      view_tick = std::max(view_tick, static_cast<double>(tick) - 3.5 - static_cast<double>(disorder));
      mirror().set_view_tick(view_tick);
      if (static_cast<double>(received.begin()->first) > view_tick) continue;
      for (int sampled = 0; sampled < 8; ++sampled) {
        const double at = view_tick + static_cast<double>(world.random.uniform(0, 8));
        for (const double exact_too : {at, std::ceil(at)}) {
          const auto shown = sample<Transform>(mirror(), entity, exact_too);
          ASSERT_TRUE(shown);
          expect_between(received, exact_too, *shown);
          if (HasFatalFailure()) return;
        }
      }
    }
    EXPECT_GT(received.size(), 200u);
    world.destroy(world.alive.size() - 1);
  }
}

TEST_F(InterpolationTest, EqualsTheRegistryAtTheTickOfAState) {
  const ecs::Entity entity = create(1);
  for (int i = 0; i < 20; ++i) {
    world.registry.get<Transform>(entity).position.y += 0.37f;
    tick();
    const ecs::Tick newest = mirror().tick_of(entity);
    const ecs::PoolId pool =
        mirror().registry().find_pool(core::StringId32("Transform"), core::StringId32("Transform"));
    const auto there = core::load<Transform>(mirror().registry().try_read(entity, pool));
    EXPECT_EQ(sample<Transform>(mirror(), entity, newest), there);
    EXPECT_EQ(sample<Transform>(mirror(), entity, newest + 2.5), there);
    Transform by_pool;
    EXPECT_TRUE(Interpolation(mirror()).sample(entity, pool, newest, reinterpret_cast<std::byte*>(&by_pool)));
    EXPECT_EQ(by_pool, there);
    // Tools that know no types read the newest by its name.
    const index::Properties properties(mirror().registry(), mirror().schema(), mirror().names());
    EXPECT_EQ(*properties.get<float>(entity, *properties.resolve(entity, "Transform", "position.y")), there.position.y);
  }
}

TEST_F(InterpolationTest, MotionAfterAStandstillBeginsLate) {
  const ecs::Entity entity = create(10);
  mirror().set_view_tick(1);
  tick();
  const ecs::Tick first = mirror().tick_of(entity);
  for (int i = 0; i < 29; ++i) tick();
  world.registry.get<Transform>(entity).position.x = 14;
  tick();
  ASSERT_EQ(mirror().tick_of(entity), first + 30);
  const auto x = [&](double tick) { return sample<Transform>(mirror(), entity, first + tick)->position.x; };
  EXPECT_EQ(x(3), 10);
  EXPECT_EQ(x(26), 10);
  EXPECT_FLOAT_EQ(x(27), 11);
  EXPECT_FLOAT_EQ(x(29.5), 13.5);
  EXPECT_EQ(x(30), 14);
}

TEST_F(InterpolationTest, ValuesWithoutMotionChangeAtTheTick) {
  const ecs::Entity entity = create(0);
  world.registry.add<demo::Health>(entity).current = 10;
  world.registry.add<demo::Inventory>(entity);
  mirror().set_view_tick(1);
  tick();
  world.registry.get<demo::Health>(entity).current = 90;
  tick();
  const ecs::Tick newest = mirror().tick_of(entity);
  EXPECT_EQ(sample<demo::Health>(mirror(), entity, newest - 0.01)->current, 10);
  EXPECT_EQ(sample<demo::Health>(mirror(), entity, newest)->current, 90);
  EXPECT_EQ(sample<demo::Health>(mirror(), entity, newest, "Other"), std::nullopt);
  EXPECT_EQ(sample<demo::Velocity>(mirror(), entity, newest), std::nullopt);
}

// Expects an entity at x -200 until `tick`, at 200 from then on, and nowhere else.
void expect_jump(const Mirror& mirror, ecs::Entity entity, ecs::Tick tick) {
  for (double view_tick = tick - 4.0; view_tick < tick + 1.0; view_tick += 0.25)
    EXPECT_NEAR(static_cast<double>(sample<Transform>(mirror, entity, view_tick)->position.x),
                view_tick < tick ? -200 : 200, 0.01)
        << view_tick - tick;
}

TEST_F(InterpolationTest, ATeleportIsShownAsAJump) {
  const ecs::Entity entity = create(-200);
  world.registry.add<engine::Cuts>(entity);
  for (int i = 0; i < 100; ++i) {
    mirror().set_view_tick(now() - 4.0);
    tick();
  }
  mirror().set_view_tick(now() - 4.0);
  world.registry.get<Transform>(entity).position.x = 200;
  ++world.registry.get<engine::Cuts>(entity).count;
  tick();
  const ecs::Tick teleport = mirror().tick_of(entity);
  expect_jump(mirror(), entity, teleport);
  for (int i = 0; i < 10; ++i) {  // the client shows moments of long ago
    world.registry.get<Transform>(entity).position.z += 1;
    tick();
  }
  expect_jump(mirror(), entity, teleport);
}

TEST_F(InterpolationTest, AFirstCutIsACutToo) {
  const ecs::Entity entity = create(-200);
  mirror().set_view_tick(1);
  for (int i = 0; i < 5; ++i) tick();
  world.registry.get<Transform>(entity).position.x = 200;
  world.registry.add<engine::Cuts>(entity).count = 1;
  tick();
  expect_jump(mirror(), entity, mirror().tick_of(entity));
}

TEST_F(InterpolationTest, ACutWhoseDeltaIsLostIsSeenInTheNext) {
  const ecs::Entity entity = create(-200);
  world.registry.add<engine::Cuts>(entity);
  mirror().set_view_tick(1);
  for (int i = 0; i < 5; ++i) tick();
  world.registry.get<Transform>(entity).position.x = 200;
  ++world.registry.get<engine::Cuts>(entity).count;
  const core::Bytes late = end_tick();
  world.registry.get<Transform>(entity).position.z = 1;
  tick();
  const ecs::Tick newest = mirror().tick_of(entity);
  expect_jump(mirror(), entity, newest);
  ASSERT_TRUE(apply(late));
  expect_jump(mirror(), entity, newest - 1);
}

TEST_F(InterpolationTest, MotionBeforeAndAfterACutIsSmooth) {
  const ecs::Entity entity = create(0);
  world.registry.add<engine::Cuts>(entity);
  mirror().set_view_tick(1);
  for (int i = 0; i < 8; ++i) {
    world.registry.get<Transform>(entity).position.x += i == 4 ? 100 : 1;
    if (i == 4) ++world.registry.get<engine::Cuts>(entity).count;
    tick();
  }
  const ecs::Tick newest = mirror().tick_of(entity);
  const auto x = [&](double age) { return sample<Transform>(mirror(), entity, newest - age)->position.x; };
  EXPECT_FLOAT_EQ(x(4.5), 3.5f);
  EXPECT_FLOAT_EQ(x(3.5), 4.0f);
  EXPECT_FLOAT_EQ(x(3), 104.0f);
  EXPECT_FLOAT_EQ(x(2.5), 104.5f);
}

TEST_F(InterpolationTest, EdgesOfTheRangeAndNegativeZeroAreExact) {
  const ecs::Entity entity = create(0);
  world.registry.add<engine::Cuts>(entity);
  mirror().set_view_tick(1);
  tick();
  for (const float x : {512.0f, -512.0f, -0.0f, 600.0f, 0.0f, 511.995f}) {
    const float before = sample<Transform>(mirror(), entity, now())->position.x;
    world.registry.get<Transform>(entity).position.x = x;
    ++world.registry.get<engine::Cuts>(entity).count;
    tick();
    const ecs::Tick newest = mirror().tick_of(entity);
    EXPECT_EQ(sample<Transform>(mirror(), entity, newest - 0.01)->position.x, before);
    EXPECT_EQ(sample<Transform>(mirror(), entity, newest)->position.x, quantised({{x, 0, 0}, {}}).position.x);
  }
}

TEST_F(InterpolationTest, ASpawnedEntityExistsFromItsFirstTick) {
  create(0);
  for (int i = 0; i < 5; ++i) tick();
  const ecs::Entity entity = create(7);
  tick();
  const ecs::Tick first = mirror().tick_of(entity);
  world.registry.get<Transform>(entity).position.x = 8;
  mirror().set_view_tick(first - 2.5);
  tick();
  const Interpolation interpolation(mirror());
  EXPECT_FALSE(interpolation.is_there(entity, first - 0.5));
  EXPECT_TRUE(interpolation.is_there(entity, first));
  EXPECT_EQ(sample<Transform>(mirror(), entity, first - 2.5)->position.x, 7);
  EXPECT_FLOAT_EQ(sample<Transform>(mirror(), entity, first + 0.5)->position.x, 7.5);
}

TEST_F(InterpolationTest, EntitiesAtAReusedIndexAreDistinct) {
  ecs::Entity entity = create(1);
  mirror().set_view_tick(1);
  std::map<std::uint32_t, ecs::Entity> last;
  int reused = 0;
  for (int i = 0; i < 60; ++i) {
    for (int each = 0; each < 4; ++each) tick();
    EXPECT_EQ(sample<Transform>(mirror(), entity, now())->position.x,
              quantised({{1.0f + static_cast<float>(i), 0, 0}, {}}).position.x);
    const ecs::Entity before = std::exchange(entity, create(2.0f + static_cast<float>(i)));
    world.destroy(0);
    reused += last.contains(entity.index) ? 1 : 0;
    last[before.index] = before;
    for (int each = 0; each < 2; ++each) tick();
    EXPECT_EQ(sample<Transform>(mirror(), before, now()), std::nullopt);
    EXPECT_FALSE(Interpolation(mirror()).is_there(before, now()));
    EXPECT_FALSE(Interpolation(mirror()).is_there(entity, mirror().tick_of(entity) - 1.0));
    mirror().check();
  }
  EXPECT_GT(reused, 0);
}

TEST_F(InterpolationTest, AStaleEntityKeepsItsLastValue) {
  const ecs::Entity entity = create(5);
  tick();
  view.remove_visible(std::vector<std::uint32_t>{entity.index});
  for (int i = 0; i < 3; ++i) tick();
  EXPECT_TRUE(mirror().is_stale(entity));
  EXPECT_EQ(sample<Transform>(mirror(), entity, now())->position.x, 5);
  EXPECT_TRUE(Interpolation(mirror()).is_there(entity, now()));
}

// A rotation of four integers, in its memory layout.
struct Coarse {
  std::array<std::uint16_t, 4> words{};
};

std::array<double, 4> quaternion(const Coarse& coarse, double max) {
  std::array<double, 4> q{};
  double left = 2;  // squares in units of the root of 1/2
  for (std::size_t i = 0, next = 1; i < 4; ++i) {
    if (i == coarse.words[0]) continue;
    q[i] = 2 * coarse.words[next++] / max - 1;
    left -= q[i] * q[i];
  }
  q[coarse.words[0]] = std::sqrt(std::max(left, 0.0));
  return q;
}

// A world with one cube that turns, the view of a client, and its mirror.
class TurningCube {
 public:
  TurningCube() {
    EXPECT_TRUE(reflect::register_components(registry, *schema).ok());
    publisher.emplace(registry, *schema);
    encoded.emplace(publisher->published());
    view.emplace(publisher->published(), *encoded, workspace, false);
    mirror->set_view_tick(1);
    pool = registry.find_pool(core::StringId32("Cube"), core::StringId32("Cube"));
    entity = registry.create();
    registry.add_bytes(entity, pool);
  }

  // Sets the rotation, ends the tick and applies its delta to the mirror.
  void turn(const Coarse& coarse) {
    core::store(registry.try_write(entity, pool), coarse);
    publisher->publish();
    encoded->begin_tick(registry.tick());
    view->note_published();
    if (std::exchange(first, false)) view->add_visible(entity.index, false);
    acknowledge(apply());
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
    mirror->set_view_tick(registry.tick() - 2);
  }
  // Returns the rotation shown at a fractional tick.
  [[nodiscard]] Coarse sample(double tick) const {
    const ecs::PoolId mirrored = mirror->registry().find_pool(core::StringId32("Cube"), core::StringId32("Cube"));
    Coarse shown;
    EXPECT_TRUE(Interpolation(*mirror).sample(entity, mirrored, tick, reinterpret_cast<std::byte*>(&shown)));
    return shown;
  }
  [[nodiscard]] ecs::Tick tick() const { return registry.tick(); }

 private:
  core::Bytes write_delta() {
    view->choose(registry.tick(), 400, [](std::uint32_t) { return 1.0f; });
    core::Bytes delta(400);
    delta.resize(view->write_delta(delta, registry.tick(), {}));
    return delta;
  }
  // Returns the delta that was applied. An entity is not in it before its prototype is announced.
  core::Bytes apply() {
    core::Bytes delta = write_delta();
    while (!view->prototypes().wanted().empty()) {
      for (const auto& [prototype, id] : view->prototypes().wanted()) {
        const std::vector<index::ComponentRef> components = index::components(registry, prototype);
        EXPECT_TRUE(mirror->add_prototypes({{{id, index::prototype_hash(components), components}}}).ok());
        view->prototypes().delivered(id);
      }
      view->prototypes().clear_wanted();
      delta = write_delta();
    }
    EXPECT_TRUE(test::apply_delta(*mirror, delta).ok());
    return delta;
  }
  void acknowledge(const core::Bytes& delta) {
    wire::InputDatagram input{.ack = ++ack, .newest = wire::read_delta_header(delta)->sequence, .words = 4};
    input.received.fill(~0ull);
    mirror->acknowledged(ack);
    EXPECT_TRUE(view->acknowledge(input).ok());
  }

  std::shared_ptr<const reflect::Schema> schema = test::load_schema(R"(
    struct Turn { most:ushort (range:"0 3"); a:ushort (bits:"9"); b:ushort (bits:"9"); c:ushort (bits:"9"); }
    struct Cube (component) { turn:Turn (smallest_three); })");
  ecs::Registry registry;
  ecs::PoolId pool{};
  ecs::Entity entity;
  std::optional<server::Publisher> publisher;
  std::optional<server::EncodedDeltaCache> encoded;
  server::ViewWorkspace workspace;
  std::optional<server::ClientView> view;
  std::unique_ptr<Mirror> mirror = std::move(*Mirror::make(schema, 100));
  std::uint32_t ack = 0;
  bool first = true;
};

// Returns the cosine of the angle between `shown` and the interpolated rotation. Null if `from` and `to` are half a
// turn apart: both ways are equally short.
std::optional<double> closeness(const Coarse& from, const Coarse& to, double part, const Coarse& shown) {
  const std::array<double, 4> a = quaternion(from, 510);
  const std::array<double, 4> b = quaternion(to, 510);
  const std::array<double, 4> q = quaternion(shown, 510);
  double dot = 0;
  for (std::size_t k = 0; k < 4; ++k) dot += a[k] * b[k];
  if (std::abs(dot) < 0.05) return std::nullopt;
  double length = 0;
  double same = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double expected = a[k] * (1 - part) + (dot < 0 ? -1 : 1) * b[k] * part;
    length += expected * expected;
    same += expected * q[k];
  }
  return std::abs(same) / std::sqrt(length * 2);
}

TEST(Interpolation, RotationsOfFourIntegersAreInterpolated) {
  TurningCube cube;
  core::Random random(5);
  Coarse previous;
  for (int i = 0; i < 200; ++i) {
    const auto code = [&] { return static_cast<std::uint16_t>(90 + random.below(330)); };
    const Coarse coarse{{static_cast<std::uint16_t>(random.below(4)), code(), code(), code()}};
    const double newest = cube.tick();
    cube.turn(coarse);
    if (i > 0) {
      const double part = static_cast<double>(random.uniform(0, 1));
      const auto close = closeness(previous, coarse, part, cube.sample(newest - 1 + part));
      if (close) {
        EXPECT_NEAR(*close, 1, 1e-4) << i;
      }
    }
    previous = coarse;
  }
}

TEST(EntityVersions, KeepsTheStateOfALongRestForInterpolation) {
  EntityVersions versions;
  versions.restart(1);
  const std::uint32_t word = 7;
  versions.add(100, 1, true, {&word, 1});
  for (ecs::Tick tick = 300; tick < 320; ++tick) {
    versions.add(tick, tick, false, {&word, 1});
    versions.prune(tick - 2, 299);
    EXPECT_EQ(versions.around(299.5).earlier.tick, tick < 315 ? 100u : 0u) << tick << ": at most pictures_max states";
  }
  EntityVersions again;
  again.restart(1);
  again.add(100, 1, true, {&word, 1});
  again.add(300, 2, false, {&word, 1});
  again.add(300 + EntityVersions::picture_age_max + 1, 3, false, {&word, 1});
  again.prune(3, 299);
  EXPECT_EQ(again.around(299.5).earlier.tick, 0u) << "replaced too long ago";
}

TEST(EntityVersions, KeepsABoundedNumberOfStatesForInterpolation) {
  constexpr std::size_t baselines_max = 3 + wire::early_baseline_age_max;  // a baseline, two newer, and older ones
  EntityVersions versions;
  versions.restart(1);
  const auto add = [&](ecs::Tick tick, ecs::Tick shown) {
    const std::uint32_t word = tick;
    versions.add(tick, tick, false, {&word, 1});
    versions.prune(tick - 2, shown);  // acknowledgements arrive after two ticks
  };
  for (ecs::Tick tick = 3; tick < 500; ++tick) {
    add(tick, ~0u);
    EXPECT_LE(versions.size(), baselines_max);
  }
  for (ecs::Tick tick = 500; tick < 1000; ++tick) {
    add(tick, tick - 6);
    if (tick > 510) {
      EXPECT_EQ(versions.around(tick - 5.5).earlier.tick, tick - 6);
    }
    EXPECT_LE(versions.size(), baselines_max);
  }
  for (ecs::Tick tick = 1000; tick < 1500; ++tick) {
    add(tick, 1);
    EXPECT_LE(versions.size(), EntityVersions::pictures_max);
  }
  add(1600, 1);
  add(1603, 1);
  EXPECT_LE(versions.size(), 3u);  // the others are too old
}

}  // namespace
}  // namespace mobula::client
