#include <gtest/gtest.h>

#include <map>
#include <mobula/client/mirror.hpp>
#include <mobula/server/client_view.hpp>
#include <server/random_world.hpp>
#include <set>

namespace mobula::server {
namespace {

constexpr std::uint32_t index_limit = 1u << 16;

// What a client does, without any transport: a mirror, and a plain set of the deltas it applied.
class ModelClient {
 public:
  ModelClient() : mirror(std::move(*client::Mirror::make(test::game_schema(), index_limit))) {}

  void take(core::ByteView delta) {
    const wire::DeltaHeader header = wire::read_delta_header(delta).value();
    if (header.sequence <= newest) return;
    const core::Status applied = mirror->apply(delta);
    ASSERT_TRUE(applied.ok()) << applied.error().message;
    newest = header.sequence;
    applied_.insert(newest);
    if (const auto sum = sums.find(header.verified_ack); sum != sums.end()) {
      ASSERT_EQ(sum->second, header.verified_hash) << "of acknowledgement " << header.verified_ack;
    }
  }
  wire::InputHeader input() {
    wire::InputHeader input{.ack = ++ack_, .newest = newest};
    for (std::uint32_t age = 0; age < wire::ack_history && age < newest; ++age)
      if (applied_.contains(newest - age)) input.received[age / 64] |= 1ull << age % 64;
    sums[ack_] = mirror->rows().hash();
    return input;
  }

  std::unique_ptr<client::Mirror> mirror;
  std::uint32_t newest = 0;
  std::map<std::uint32_t, std::uint64_t> sums;  // by acknowledgement: the mirror's hash at that time

 private:
  std::set<std::uint32_t> applied_;
  std::uint32_t ack_ = 0;
};

// Things under way, which arrive some ticks later, in any order, or never.
template <class T>
class Pipe {
 public:
  Pipe(core::Random& random, std::uint32_t loss, std::uint32_t delay)
      : loss_percent(loss), delay_max(delay), random_(random) {}

  void send(T thing) {
    if (random_.chance(loss_percent, 100)) return;
    under_way_.emplace(now_ + random_.below(delay_max + 1), std::move(thing));
  }
  template <class Receive>
  void deliver(Receive&& receive) {
    for (++now_; !under_way_.empty() && under_way_.begin()->first < now_; under_way_.erase(under_way_.begin()))
      receive(under_way_.begin()->second);
  }

  std::uint32_t loss_percent;
  std::uint32_t delay_max;

 private:
  core::Random& random_;
  std::uint32_t now_ = 0;
  std::multimap<std::uint32_t, T> under_way_;
};

// A view, its client, and what lies between them.
class Link {
 public:
  Link(test::RandomWorld& world, std::uint32_t loss_percent, std::uint32_t delay_max)
      : view(world.registry, world.publisher.rows()),
        deltas(world.random, loss_percent, delay_max),
        inputs(world.random, loss_percent, delay_max),
        world_(world) {}

  // After publishing: deltas go out and come in, inputs go out and come in.
  void tick(int deltas_per_tick = 2, std::size_t bytes = 400) {
    for (int i = 0; i < deltas_per_tick; ++i) {
      core::Bytes delta(bytes);
      delta.resize(view.write_delta(delta, world_.registry.tick()));
      deltas.send(std::move(delta));
      ASSERT_LE(view.in_flight(), ClientView::window_max);
    }
    announce();
    deltas.deliver([&](const core::Bytes& delta) { client.take(delta); });
    inputs.send(client.input());
    inputs.deliver([&](const wire::InputHeader& input) { acknowledge(input); });
  }
  [[nodiscard]] bool converged() const { return client.mirror->rows().hash() == world_.publisher.rows().hash(); }

  ClientView view;
  ModelClient client;
  Pipe<core::Bytes> deltas;
  Pipe<wire::InputHeader> inputs;

 private:
  void acknowledge(const wire::InputHeader& input) {
    ASSERT_TRUE(view.acknowledge(input).ok());
    newest_ack_ = std::max(newest_ack_, input.ack);
    ASSERT_EQ(view.acknowledged_hash(), client.sums.at(newest_ack_)) << "acknowledgement " << newest_ack_;
  }
  // Reliable and in order; now and then it takes a while until the server knows.
  void announce() {
    for (const auto& [prototype, id] : view.prototypes().wanted()) {
      wire::Names names;
      for (const ecs::PoolId pool : world_.registry.prototypes().pools(prototype))
        names.texts.push_back(world_.registry.pool(pool).instance_name());
      ASSERT_TRUE(client.mirror->add_names(names).ok());
      std::vector<index::ComponentRef> components = index::components(world_.registry, prototype);
      ASSERT_TRUE(client.mirror->add_prototypes({{{id, index::prototype_hash(components), components}}}).ok());
      announced_.push_back(id);
    }
    view.prototypes().clear_wanted();
    while (!announced_.empty() && world_.random.chance(1, 2)) {
      view.prototypes().delivered(announced_.front());
      announced_.erase(announced_.begin());
    }
  }

  test::RandomWorld& world_;
  std::vector<std::uint32_t> announced_;  // ids
  std::uint32_t newest_ack_ = 0;
};

// A tick of a world that changes, with these links to it.
void run_tick(test::RandomWorld& world, std::vector<Link*> links, std::uint32_t changes) {
  world.changes(changes);
  const std::span<const std::uint32_t> changed = world.publish();
  for (Link* link : links) {
    link->view.on_published(changed);
    link->view.forget(world.reclaimed);
  }
  for (Link* link : links) link->tick();
  world.end_tick();
}

::testing::AssertionResult settles(test::RandomWorld& world, Link& link, int ticks) {
  for (int i = 0; i < ticks; ++i) {
    if (link.converged()) return ::testing::AssertionSuccess();
    run_tick(world, {&link}, 0);
  }
  return ::testing::AssertionFailure() << "after " << ticks << " ticks without change or loss";
}

TEST(ClientView, TellsOfWhatWasPublishedBeforeItWasMade) {
  test::RandomWorld world(1);
  world.changes(50);
  world.publish();
  world.end_tick();
  Link link(world, 0, 0);
  EXPECT_TRUE(settles(world, link, 50));
  EXPECT_EQ(link.client.mirror->rows().size(), world.alive.size());
}

TEST(ClientView, WithoutLossACompleteDeltaMakesTheMirrorEqual) {
  test::RandomWorld world(2);
  Link link(world, 0, 0);
  int complete = 0;
  for (int tick = 0; tick < 200; ++tick) {
    run_tick(world, {&link}, world.random.below(10));
    if (!link.view.has_pending()) {
      // The world has not changed since the deltas of this tick.
      ASSERT_TRUE(link.converged()) << "tick " << tick;
      ++complete;
    }
  }
  EXPECT_GT(complete, 50);
}

TEST(ClientView, EveryAcknowledgementHasTheMirrorsHashWhateverIsLostOrReordered) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::RandomWorld world(seed);
    world.changes(60);
    Link link(world, static_cast<std::uint32_t>(seed % 4) * 15, static_cast<std::uint32_t>(seed % 5));
    for (int tick = 0; tick < 250; ++tick) {
      run_tick(world, {&link}, world.random.below(20));
      if (testing::Test::HasFatalFailure()) return;
    }
    link.client.mirror->check();
    link.deltas.loss_percent = link.inputs.loss_percent = 0;
    link.deltas.delay_max = link.inputs.delay_max = 0;
    EXPECT_TRUE(settles(world, link, 100));
    run_tick(world, {&link}, 0);
    EXPECT_EQ(link.view.acknowledged_hash(), world.publisher.rows().hash());
    EXPECT_EQ(link.view.acknowledged_entities(), world.alive.size());
    link.client.mirror->check();
  }
}

TEST(ClientView, SurvivesAnOutageThatSwallowsAWholeWindowOfDeltas) {
  for (const bool only_one_way : {false, true}) {
    SCOPED_TRACE(only_one_way);
    test::RandomWorld world(5);
    Link link(world, 0, 1);
    for (int tick = 0; tick < 30; ++tick) run_tick(world, {&link}, 10);
    (only_one_way ? link.inputs.loss_percent : link.deltas.loss_percent) = 100;
    for (int tick = 0; tick < 300; ++tick) run_tick(world, {&link}, 10);
    EXPECT_EQ(link.view.in_flight(), ClientView::window_max);
    link.deltas.loss_percent = link.inputs.loss_percent = 0;
    for (int tick = 0; tick < 30; ++tick) run_tick(world, {&link}, 10);
    EXPECT_LT(link.view.in_flight(), 20u);
    EXPECT_TRUE(settles(world, link, 100));
  }
}

TEST(ClientView, NothingStarvesWhenThereIsLessRoomThanChange) {
  test::RandomWorld world(3);
  std::vector<ecs::Entity> busy;
  for (int i = 0; i < 60; ++i) {
    const ecs::Entity entity = world.create();
    world.registry.add<engine::Transform>(entity);
    busy.push_back(entity);
  }
  Link link(world, 20, 2);
  for (int tick = 1; tick <= 400; ++tick) {
    for (const ecs::Entity entity : busy)
      world.registry.get<engine::Transform>(entity).position.x = world.random.uniform(-500, 500);
    link.view.on_published(world.publish());
    link.view.forget(world.reclaimed);
    link.tick(1, 200);  // ten entities or so
    if (tick > 100) {
      for (const ecs::Entity entity : busy)
        ASSERT_LT(world.registry.tick() - link.client.mirror->rows().entity(entity.index).tick, 60u)
            << "tick " << tick << ", entity " << to_string(entity);
    }
    world.end_tick();
  }
}

TEST(ClientView, WhatChangesBackIsToldToo) {
  test::RandomWorld world(4);
  const ecs::Entity entity = world.create();
  world.registry.add<demo::Health>(entity).current = 1;
  Link link(world, 0, 0);
  for (int tick = 0; tick < 100; ++tick) {
    world.registry.get<demo::Health>(entity).current = static_cast<std::uint16_t>(1 + tick % 2);
    link.deltas.loss_percent = tick % 3 == 0 ? 100 : 0;
    run_tick(world, {&link}, 0);
    if (testing::Test::HasFatalFailure()) return;
  }
  link.deltas.loss_percent = 0;
  EXPECT_TRUE(settles(world, link, 10));
}

TEST(ClientView, AnEntityThatNeverWasOnItsWayIsNotDespawned) {
  test::RandomWorld world(6);
  const ecs::Entity entity = world.create();
  world.publish();
  world.end_tick();
  ClientView view(world.registry, world.publisher.rows());
  world.registry.destroy(entity);
  view.on_published(world.publish());
  view.forget(world.reclaimed);
  core::Bytes delta(400);
  EXPECT_EQ(view.write_delta(delta, world.registry.tick()), wire::delta_header_size);
  EXPECT_FALSE(view.has_pending());
}

TEST(ClientView, NothingIsSentTwiceWhileItMayBeArriving) {
  test::RandomWorld world(7);
  world.registry.add<demo::Health>(world.create());
  Link link(world, 0, 0);
  for (int tick = 0; tick < 10; ++tick) run_tick(world, {&link}, 0);
  world.registry.get<demo::Health>(world.alive[0]).current = 5;
  link.view.on_published(world.publish());
  link.view.forget(world.reclaimed);
  core::Bytes delta(400);
  EXPECT_GT(link.view.write_delta(delta, world.registry.tick()), wire::delta_header_size);
  EXPECT_EQ(link.view.write_delta(delta, world.registry.tick()), wire::delta_header_size);
}

TEST(ClientView, RefusesToHaveTheFutureAcknowledged) {
  test::RandomWorld world(8);
  world.changes(20);
  world.publish();
  ClientView view(world.registry, world.publisher.rows());
  const core::Status acknowledged = view.acknowledge({.ack = 1, .newest = 1});
  ASSERT_FALSE(acknowledged.ok());
  EXPECT_STREQ(acknowledged.error().reason, "acknowledges the future");
  core::Bytes delta(400);
  view.write_delta(delta, world.registry.tick());
  EXPECT_TRUE(view.acknowledge({.ack = 1, .newest = 1}).ok());
  EXPECT_EQ(view.in_flight(), 0u);
  EXPECT_FALSE(view.acknowledge({.ack = 2, .newest = 2}).ok());
}

TEST(ClientView, LateAcknowledgementsChangeNothing) {
  test::RandomWorld world(9);
  world.create();
  world.publish();
  ClientView view(world.registry, world.publisher.rows());
  core::Bytes delta(400);
  view.write_delta(delta, world.registry.tick());
  wire::InputHeader all{.ack = 5, .newest = 1};
  all.received[0] = 1;
  EXPECT_TRUE(view.acknowledge(all).ok());
  EXPECT_EQ(view.acknowledged_entities(), 1u);
  EXPECT_TRUE(view.acknowledge({.ack = 4, .newest = 1}).ok());
  EXPECT_TRUE(view.acknowledge({.ack = 6, .newest = 1}).ok());  // cannot take back what it said
  EXPECT_EQ(view.acknowledged_entities(), 1u);
}

TEST(ClientView, AClientThatLiesHarmsNobodyElse) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::RandomWorld world(seed);
    world.changes(40);
    Link honest(world, 10, 2);
    ClientView lied_to(world.registry, world.publisher.rows());
    for (int tick = 0; tick < 300; ++tick) {
      world.changes(world.random.below(10));
      const std::span<const std::uint32_t> changed = world.publish();
      honest.view.on_published(changed);
      honest.view.forget(world.reclaimed);
      lied_to.on_published(changed);
      lied_to.forget(world.reclaimed);
      core::Bytes delta(400);
      for (int i = 0; i < 3; ++i) {
        const std::size_t size = lied_to.write_delta(delta, world.registry.tick());
        ASSERT_LE(size, delta.size());
        ASSERT_LE(lied_to.in_flight(), ClientView::window_max);
      }
      for (const auto& [prototype, id] : lied_to.prototypes().wanted()) lied_to.prototypes().delivered(id);
      lied_to.prototypes().clear_wanted();
      wire::InputHeader lie{.ack = world.random.below(1000),
                            .newest = world.random.chance(1, 50) ? ~0u : world.random.below(900)};
      for (std::uint64_t& word : lie.received) word = world.random.next();
      static_cast<void>(lied_to.acknowledge(lie).ok());
      honest.tick();
      world.end_tick();
      if (testing::Test::HasFatalFailure()) return;
    }
    honest.deltas.loss_percent = honest.inputs.loss_percent = 0;
    EXPECT_TRUE(settles(world, honest, 100));
  }
}

}  // namespace
}  // namespace mobula::server
