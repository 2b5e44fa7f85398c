#include <gtest/gtest.h>

#include <client/apply_delta.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/index/properties.hpp>
#include <optional>
#include <reflect/compile_schema.hpp>
#include <server/replica.hpp>

namespace mobula::client {
namespace {

using engine::Transform;

// A world, a view of all its entities, and a mirror. The test decides when and in which order deltas arrive.
class InterpolationTest : public testing::Test {
 protected:
  InterpolationTest()
      : encoded(world.publisher.published()), view(world.publisher.published(), encoded, workspace, true) {}

  ecs::Entity create(float x) {
    const ecs::Entity entity = world.create();
    world.registry.add<Transform>(entity).position.x = x;
    return entity;
  }
  [[nodiscard]] ecs::Tick now() const { return world.registry.tick(); }
  Mirror& mirror() { return *client.mirror; }

  // Ends a tick and returns its delta.
  core::Bytes end_tick() {
    world.publisher.publish();
    encoded.begin_tick(now());
    view.note_published();
    for (const std::uint32_t index : world.publisher.spawned()) view.add_visible(index, false);
    core::Bytes delta = write();
    if (!view.prototypes().wanted().empty()) {
      client.take(delta);
      announce();
      delta = write();
    }
    world.end_tick();
    return delta;
  }
  // Applies a delta. Returns false if it arrived too late.
  bool apply(const core::Bytes& delta) {
    const std::uint64_t refused = client.passed_over;
    client.take(delta);
    return client.passed_over == refused;
  }
  void acknowledge() { ASSERT_TRUE(view.acknowledge(client.input()).ok()); }
  void tick() {
    apply(end_tick());
    acknowledge();
  }

  test::RandomWorld world{3};
  server::EncodedDeltaCache encoded;
  server::ViewWorkspace workspace;
  server::ClientView view;
  test::ModelClient client;

 private:
  // Announces the prototypes that the view wants, and marks them as delivered.
  void announce() {
    for (const auto& [prototype, id] : view.prototypes().wanted()) {
      std::vector<index::ComponentRef> components = index::components(world.registry, prototype);
      wire::Names names;
      for (const ecs::PoolId pool : world.registry.prototypes().pools(prototype))
        names.texts.push_back(world.registry.pool(pool).instance_name());
      ASSERT_TRUE(mirror().add_names(names).ok());
      ASSERT_TRUE(mirror().add_prototypes({{{id, index::prototype_hash(components), components}}}).ok());
      view.prototypes().delivered(id);
    }
    view.prototypes().clear_wanted();
  }
  core::Bytes write() {
    view.choose(now(), 1000, [](std::uint32_t) { return 1.0f; });
    core::Bytes delta(1000);
    delta.resize(view.write_delta(delta, now(), {}));
    return delta;
  }
};

Transform quantised(const Transform& transform) {
  const wire::RowCodec codec(*test::game_schema()->find("Transform"));
  std::vector<std::uint32_t> words(codec.words());
  codec.to_words(reinterpret_cast<const std::byte*>(&transform), words.data());
  Transform result;
  EXPECT_TRUE(codec.to_component(words.data(), true, reinterpret_cast<std::byte*>(&result)));
  return result;
}

engine::Quat turned(double angle) {
  return {0, static_cast<float>(std::sin(angle / 2)), 0, static_cast<float>(std::cos(angle / 2))};
}

double angle_between(const engine::Quat& a, const engine::Quat& b) {
  const double dot =
      static_cast<double>(a.x) * static_cast<double>(b.x) + static_cast<double>(a.y) * static_cast<double>(b.y) +
      static_cast<double>(a.z) * static_cast<double>(b.z) + static_cast<double>(a.w) * static_cast<double>(b.w);
  return 2 * std::acos(std::min(1.0, std::abs(dot)));
}

// The reference model: all received states by tick.
using States = std::map<ecs::Tick, Transform>;

void expect_between(const States& states, double tick, const Transform& shown) {
  auto later = states.upper_bound(static_cast<ecs::Tick>(std::floor(tick)));
  const bool first = later == states.begin();
  const auto earlier = first ? later : std::prev(later);
  if (first) ++later;
  const bool between = !first && later != states.end() && static_cast<double>(earlier->first) < tick;
  if (!between) {
    ASSERT_EQ(shown, earlier->second) << "at " << tick;
    return;
  }
  const auto end = static_cast<double>(later->first);
  const double begin = std::max(static_cast<double>(earlier->first), end - Interpolation::motion_ticks_max);
  const double part = tick < begin ? 0 : (tick - begin) / (end - begin);
  const auto lerp = [&](float a, float b) {
    return static_cast<double>(a) + (static_cast<double>(b) - static_cast<double>(a)) * part;
  };
  const engine::Vec3& a = earlier->second.position;
  const engine::Vec3& b = later->second.position;
  ASSERT_NEAR(static_cast<double>(shown.position.x), lerp(a.x, b.x), 1e-4) << "at " << tick;
  ASSERT_NEAR(static_cast<double>(shown.position.y), lerp(a.y, b.y), 1e-4) << "at " << tick;
  ASSERT_NEAR(static_cast<double>(shown.position.z), lerp(a.z, b.z), 1e-4) << "at " << tick;
  // A rotation takes the shortest way, at a nearly constant speed.
  const double whole = angle_between(earlier->second.rotation, later->second.rotation);
  const double done = angle_between(earlier->second.rotation, shown.rotation);
  ASSERT_NEAR(done + angle_between(shown.rotation, later->second.rotation), whole, 2e-3) << "at " << tick;
  ASSERT_NEAR(done, whole * part, 0.1 * whole + 2e-3) << "at " << tick;
}

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

TEST(EntityVersions, KeepsABoundedNumberOfStatesForInterpolation) {
  EntityVersions versions;
  versions.restart(1);
  const auto add = [&](ecs::Tick tick, ecs::Tick shown) {
    const std::uint32_t word = tick;
    versions.add(tick, tick, false, {&word, 1});
    versions.prune(tick - 2, shown);  // acknowledgements arrive after two ticks
  };
  for (ecs::Tick tick = 3; tick < 500; ++tick) {
    add(tick, ~0u);
    EXPECT_LE(versions.size(), 4u);
  }
  for (ecs::Tick tick = 500; tick < 1000; ++tick) {
    add(tick, tick - 6);
    if (tick > 510) {
      EXPECT_EQ(versions.around(tick - 5.5).earlier.tick, tick - 6);
    }
    EXPECT_LE(versions.size(), 7u);
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
