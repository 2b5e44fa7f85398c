// Which pending entities a view sends while there are more than fit, and the headers of its deltas.
#include <gtest/gtest.h>

#include <limits>
#include <reflect/compile_schema.hpp>
#include <server/replica.hpp>

namespace mobula::server {
namespace {

using test::RandomWorld;
using test::Replica;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
// About ten entities per tick.
constexpr std::size_t budget = 60;
constexpr std::size_t datagram = 200;

// A world in which each of `busy` changes in every tick, and `decor` when the test changes it.
class Crowd {
 public:
  explicit Crowd(int count) : replica(world, 0, 1) {
    for (int i = 0; i < count; ++i) busy.push_back(make());
    decor = make();
  }
  void tick() {
    for (const ecs::Entity entity : busy)
      world.registry.get<engine::Transform>(entity).position.x = world.random.uniform(-500, 500);
    world.publish();
    replica.see_all();
    replica.tick(budget, datagram);
    world.end_tick();
  }
  // Returns the number of ticks until the condition holds, at most `limit`.
  template <class Condition>
  int ticks_until(Condition&& condition, int limit) {
    int ticks = 0;
    for (; ticks < limit && !condition(); ++ticks) tick();
    return ticks;
  }
  [[nodiscard]] float shown(ecs::Entity entity) {
    const auto* transform = replica.client.mirror->registry().try_get<const engine::Transform>(entity);
    return transform == nullptr ? nan : transform->position.x;
  }
  [[nodiscard]] bool mirrors(ecs::Entity entity) { return replica.client.mirror->registry().valid(entity); }
  [[nodiscard]] ecs::Tick age(ecs::Entity entity) {
    return world.registry.tick() - replica.client.mirror->tick_of(entity);
  }

  RandomWorld world{3, test::load_game_schema_without_courses()};
  Replica replica;
  std::vector<ecs::Entity> busy;
  ecs::Entity decor;

 private:
  ecs::Entity make() {
    const ecs::Entity entity = world.create();
    world.registry.add<engine::Transform>(entity);
    return entity;
  }
};

TEST(ClientViewWrite, NoImportanceKeepsAnEntityFromTheClient) {
  constexpr int count = 60;
  constexpr int rounds = (count + 1) / 10 + 1;  // ticks in which each could be sent once
  constexpr int slowest = static_cast<int>(rounds / Relevance::priority_min);
  for (const float importance :
       {0.0f, -0.0f, -1.0f, nan, 1e-30f, -infinity, std::numeric_limits<float>::denorm_min()}) {
    SCOPED_TRACE(importance);
    Crowd crowd(count);
    crowd.replica.importance = [&](std::uint32_t index) { return index == crowd.decor.index ? importance : 1.0f; };
    ASSERT_LT(crowd.ticks_until([&] { return crowd.mirrors(crowd.decor); }, 1000), 8 * slowest);
    crowd.world.registry.get<engine::Transform>(crowd.decor).position.x = 7;
    EXPECT_LE(crowd.ticks_until([&] { return crowd.shown(crowd.decor) == 7; }, 1000), slowest + 3);
    crowd.world.destroy(crowd.world.alive.size() - 1);
    EXPECT_LE(crowd.ticks_until([&] { return !crowd.mirrors(crowd.decor); }, 1000), 3) << "its end goes first";
  }
}

TEST(ClientViewWrite, NoImportanceKeepsTheOthersFromTheClient) {
  for (const float importance : {1e38f, infinity, std::numeric_limits<float>::max()}) {
    SCOPED_TRACE(importance);
    Crowd crowd(60);
    crowd.replica.importance = [&](std::uint32_t index) { return index < 5 ? importance : 1.0f; };
    for (int tick = 0; tick < 200; ++tick) {
      crowd.tick();
      for (const ecs::Entity entity : crowd.busy) ASSERT_TRUE(tick < 50 || crowd.age(entity) < 30) << to_string(entity);
    }
  }
}

TEST(ClientViewWrite, EntitiesWithoutANumberForImportanceTakeTurns) {
  Crowd crowd(300);
  crowd.replica.importance = [](std::uint32_t) { return nan; };
  for (int tick = 0; tick < 400; ++tick) {
    crowd.tick();
    for (const ecs::Entity entity : crowd.busy) ASSERT_TRUE(tick < 300 || crowd.age(entity) < 60) << to_string(entity);
  }
}

// The entities that do not fit must not be the same in each tick, however large they are.
TEST(ClientViewWrite, EntitiesOfAnySizeTakeTurns) {
  for (const std::size_t bytes_max : {100u, 400u, 800u, 1600u}) {
    SCOPED_TRACE(bytes_max);
    RandomWorld world(5);
    Replica replica(world, 0, 1);
    std::vector<ecs::Entity> all;
    for (int i = 0; i < 120; ++i) {
      all.push_back(world.create());
      world.registry.add<engine::Transform>(all.back());
      if (i % 3 != 0) world.registry.add<demo::Name>(all.back());
    }
    const ecs::Tick turn = static_cast<ecs::Tick>(120 * 30 / bytes_max + 4);
    for (int tick = 0; tick < 200; ++tick) {
      for (const ecs::Entity entity : all) {
        world.registry.get<engine::Transform>(entity).position.x = world.random.uniform(-500, 500);
        if (!world.registry.has<demo::Name>(entity)) continue;
        for (auto& byte : world.registry.get<demo::Name>(entity).text)
          byte = static_cast<char>('a' + world.random.below(26));
      }
      world.publish();
      replica.see_all();
      replica.tick(bytes_max, 400);
      world.end_tick();
      for (const ecs::Entity entity : all)
        ASSERT_TRUE(tick < 100 || world.registry.tick() - replica.client.mirror->tick_of(entity) <= 2 * turn)
            << "tick " << tick << ", entity " << to_string(entity);
    }
  }
}

// A view of an empty world, and the headers that it writes.
struct HeaderView {
  wire::DeltaHeader next(const wire::CommandFeedback& commands = {}) {
    encoded.begin_tick(world.registry.tick());
    view.note_published();
    view.choose(world.registry.tick(), 400, [](std::uint32_t) { return 1.0f; });
    core::Bytes delta(400);
    view.write_delta(delta, world.registry.tick(), commands);
    world.registry.set_tick(world.registry.tick() + 1);
    return *wire::read_delta_header(delta, known);
  }
  // Acknowledges the newest delta, and no other, as a client that has received it.
  void acknowledge(const wire::DeltaHeader& newest) {
    known = {.sequence = newest.sequence, .tick = newest.tick, .ack = ++ack};
    const wire::InputDatagram input{.ack = ack, .newest = newest.sequence, .words = 1, .received = {1}};
    ASSERT_TRUE(view.acknowledge(input).ok());
  }

  RandomWorld world{1};
  EncodedDeltaCache encoded{world.publisher.published()};
  ViewWorkspace workspace;
  ClientView view{world.publisher.published(), encoded, workspace, false};
  wire::KnownNumbers known;
  std::uint32_t ack = 0;
};

TEST(ClientViewWrite, FeedbackIsRepeatedUntilItIsReceived) {
  HeaderView source;
  const wire::CommandFeedback one{.done = 1, .held = 2, .margin = -1};
  const wire::CommandFeedback two{.done = 2, .held = 1, .margin = -1};
  const wire::DeltaHeader before = source.next();
  EXPECT_EQ(before.commands, wire::CommandFeedback{});
  EXPECT_EQ(source.next(one).commands, one);
  source.acknowledge(before);
  EXPECT_EQ(source.next(one).commands, one) << "the delta before it was received";
  const wire::DeltaHeader first = source.next(one);
  source.acknowledge(first);
  EXPECT_EQ(source.next(one).commands, wire::CommandFeedback{});
  const wire::DeltaHeader second = source.next(two);
  EXPECT_EQ(second.commands, two);
  EXPECT_EQ(source.next(one).commands, one) << "another state, though it was received once";
  source.acknowledge(second);
  EXPECT_EQ(source.next(one).commands, one) << "the delta with the other state was received";
}

TEST(ClientViewWrite, OutcomesAreRepeatedUntilTheyAreReceived) {
  HeaderView source;
  const auto feedback = [](std::uint32_t done, std::uint64_t unusual, std::uint8_t first) {
    return wire::CommandFeedback{.done = done, .unusual = unusual, .late = {first, first}};
  };
  source.acknowledge(source.next());
  const wire::DeltaHeader late = source.next(feedback(1, 1, 3));
  EXPECT_EQ(late.commands.unusual, 1u);
  EXPECT_EQ(source.next(feedback(2, 0b10, 3)).commands, feedback(2, 0b10, 3)) << "also when more is done";
  source.acknowledge(late);
  const wire::DeltaHeader next = source.next(feedback(3, 0b101, 3));
  EXPECT_EQ(next.commands, feedback(3, 1, 3)) << "the client has that of command 1";
  EXPECT_EQ(source.next(feedback(4, 0b1010, 3)).commands, feedback(4, 0b10, 3));
  source.acknowledge(next);
  EXPECT_EQ(source.next(feedback(5, 0b10100, 3)).commands, feedback(5, 0, 3));
}

TEST(ClientViewWrite, NumbersAreShortWhileTheClientHasARecentDelta) {
  HeaderView source;
  EXPECT_FALSE(source.next().short_numbers);
  const wire::DeltaHeader first = source.next();
  EXPECT_FALSE(first.short_numbers) << "no delta was acknowledged";
  source.acknowledge(first);
  const wire::DeltaHeader next = source.next();
  EXPECT_TRUE(next.short_numbers);
  EXPECT_EQ(next.sequence, 3u);
  EXPECT_EQ(next.tick, first.tick + 1);
  EXPECT_EQ(next.ack, 1u);
  source.world.registry.set_tick(first.tick + wire::short_numbers_ticks_max);
  EXPECT_TRUE(source.next().short_numbers);
  EXPECT_FALSE(source.next().short_numbers) << "a tick later";
  source.world.registry.set_tick(first.tick + 70000);
  const wire::DeltaHeader late = source.next();
  EXPECT_FALSE(late.short_numbers);
  EXPECT_EQ(late.tick, first.tick + 70000);
  source.acknowledge(late);
  EXPECT_TRUE(source.next().short_numbers);
}

// Whatever the window repeats must be readable after an outage of any length.
TEST(ClientViewWrite, TheLastDeltaOfAWindowHasLongNumbers) {
  HeaderView source;
  source.acknowledge(source.next());
  wire::DeltaHeader last;
  while (source.view.unsettled() < SentDeltas::window_max) last = source.next();
  EXPECT_TRUE(last.short_numbers);
  source.world.registry.set_tick(source.world.registry.tick() + 70000);
  const wire::DeltaHeader repeated = source.next();
  EXPECT_EQ(repeated.sequence, last.sequence);
  EXPECT_EQ(repeated.tick, last.tick);
  EXPECT_FALSE(repeated.short_numbers);
}

// Steps of a row of movers, whose log holds the values of some ticks.
struct ShortLog {
  explicit ShortLog(std::size_t history_bytes) : publisher(registry_with_components(), *schema, history_bytes) {
    for (int i = 0; i < movers; ++i) registry.add<engine::Transform>(entities.emplace_back(registry.create()));
  }
  ecs::Registry& registry_with_components() {
    static_cast<void>(reflect::register_components(registry, *schema).value());
    return registry;
  }
  // Moves all, and has the client receive the delta and acknowledge it two ticks later. Returns the delta's header.
  wire::DeltaHeader step() {
    for (const ecs::Entity entity : entities) registry.get<engine::Transform>(entity).position.x += 0.5f;
    if (inputs.size() > 2) static_cast<void>(view.acknowledge(inputs[inputs.size() - 3]).value());
    publisher.publish();
    encoded.begin_tick(registry.tick());
    view.note_published();
    for (const std::uint32_t index : publisher.spawned()) view.add_visible(index, false);
    view.choose(registry.tick(), 1000, [](std::uint32_t) { return 1.0f; });
    core::Bytes delta(1000);
    delta.resize(view.write_delta(delta, registry.tick(), {}));
    const test::Announcement made = test::take_wanted(view, registry);
    EXPECT_TRUE(made.apply(*client.mirror));
    for (const std::uint32_t id : made.ids) view.prototypes().delivered(id);
    client.take(delta);
    inputs.push_back(client.input());
    bytes = delta.size();
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
    return *wire::read_delta_header(delta);
  }

  static constexpr int movers = 20;
  const std::shared_ptr<const reflect::Schema> schema = test::load_game_schema_without_courses();
  ecs::Registry registry;
  Publisher publisher;
  EncodedDeltaCache encoded{publisher.published()};
  ViewWorkspace workspace;
  ClientView view{publisher.published(), encoded, workspace, false};
  test::ModelClient client{schema};
  std::vector<ecs::Entity> entities;
  std::vector<wire::InputDatagram> inputs;
  std::size_t bytes = 0;
};

// Without that, entities whose early baseline is overwritten would be sent in full.
TEST(ClientViewWrite, EarlyBaselinesAreLeftOutWhereTheLogIsShort) {
  ShortLog large(1u << 20);
  ShortLog small(8 * ShortLog::movers * 72);  // eight ticks
  for (int tick = 0; tick < 40; ++tick) {
    const bool is_left_out = small.step().without_early;
    ASSERT_FALSE(large.step().without_early);
    if (tick < 20) continue;
    ASSERT_TRUE(is_left_out);
    ASSERT_LT(small.bytes, std::size_t{ShortLog::movers} * 4) << "full states take 8 bytes each";
    ASSERT_LE(large.bytes, small.bytes);
  }
  EXPECT_EQ(small.client.mirror->hash(), small.publisher.published().hash());
  EXPECT_EQ(large.client.mirror->hash(), large.publisher.published().hash());
}

}  // namespace
}  // namespace mobula::server
