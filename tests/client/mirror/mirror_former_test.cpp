#include <client/mirror/interpolation_world.hpp>
#include <mobula/schema/components.hpp>

namespace mobula::client {
namespace {

using engine::Cuts;
using engine::Parent;
using engine::Transform;

class MirrorFormerTest : public InterpolationTest {
 protected:
  [[nodiscard]] std::size_t former_states(ecs::Entity entity) {
    return mirror().state().find(entity)->former_states.size();
  }
  // Components of an entity, with the values that are sent.
  struct Content {
    Transform transform;
    std::optional<Parent> parent;
    std::optional<Cuts> cuts;
    std::optional<demo::Velocity> velocity;

    [[nodiscard]] bool has_components_of(const Content& other) const {
      return parent.has_value() == other.parent.has_value() && cuts.has_value() == other.cuts.has_value() &&
             velocity.has_value() == other.velocity.has_value();
    }
    [[nodiscard]] bool is_cut_from(const Content& other) const { return parent != other.parent || cuts != other.cuts; }
  };
  template <class Component>
  std::optional<Component> copy(ecs::Entity entity) {
    const auto* const there = world.registry.try_get<const Component>(entity);
    return there == nullptr ? std::nullopt : std::optional(*there);
  }
  Content content(ecs::Entity entity) {
    return {quantised(*copy<Transform>(entity)), copy<Parent>(entity), copy<Cuts>(entity),
            copy<demo::Velocity>(entity)};
  }
  template <class Component>
  void toggle(ecs::Entity entity) {
    if (world.registry.has<Component>(entity)) return world.registry.remove<Component>(entity);
    world.registry.add<Component>(entity);
  }
  void change(ecs::Entity entity, std::span<const ecs::Entity> parents) {
    auto& transform = world.registry.get<Transform>(entity);
    transform.position.x = world.random.uniform(-500, 500);
    transform.position.z = transform.position.z > 500 ? -500 : transform.position.z + 0.5f;
    transform.rotation = turned(static_cast<double>(world.random.uniform(-3, 3)));
    switch (world.random.below(20)) {
      case 0: return toggle<Parent>(entity);
      case 1: return toggle<Cuts>(entity);
      case 2: return toggle<demo::Velocity>(entity);
      case 3:
      case 4:
        if (auto* parent = world.registry.try_get<Parent>(entity))
          parent->entity = parents[world.random.below(static_cast<std::uint32_t>(parents.size()))];
        return;
      case 5:
      case 6:
        if (auto* cuts = world.registry.try_get<Cuts>(entity)) ++cuts->count;
        return;
      default: return;
    }
  }
  void expect_shown(const std::map<ecs::Tick, Content>& received, ecs::Entity entity, double tick) {
    const auto later = received.upper_bound(static_cast<ecs::Tick>(std::floor(tick)));
    ASSERT_NE(later, received.begin());
    const auto earlier = std::prev(later);
    States blended{{earlier->first, earlier->second.transform}};
    const bool cut = later == received.end() || later->second.is_cut_from(earlier->second);
    if (!cut) blended[later->first] = later->second.transform;
    const auto transform = sample<Transform>(mirror(), entity, tick);
    ASSERT_TRUE(transform);
    expect_between(blended, tick, *transform);
    ASSERT_EQ(sample<Parent>(mirror(), entity, tick), earlier->second.parent) << tick;
    ASSERT_EQ(sample<Cuts>(mirror(), entity, tick), earlier->second.cuts) << tick;
    ASSERT_EQ(sample<demo::Velocity>(mirror(), entity, tick).has_value(), earlier->second.velocity.has_value()) << tick;
  }
};

TEST_F(MirrorFormerTest, MatchesTheReferenceModelThroughCuts) {
  for (const std::uint32_t disorder : {0u, 1u, 3u, 6u}) {
    SCOPED_TRACE(disorder);
    const std::array<ecs::Entity, 3> parents{create(1), create(2), create(3)};
    const ecs::Entity entity = create(0);
    std::map<ecs::Tick, Content> received;
    std::map<ecs::Tick, Content> truth;
    std::multimap<ecs::Tick, std::pair<ecs::Tick, core::Bytes>> in_flight;
    double view_tick = now();
    std::size_t changes = 0;
    for (int i = 0; i < 400; ++i) {
      change(entity, parents);
      const ecs::Tick tick = now();
      truth[tick] = content(entity);
      core::Bytes delta = end_tick();
      if (!world.random.chance(disorder, 20))
        in_flight.emplace(tick + world.random.below(disorder + 1), std::pair(tick, std::move(delta)));
      for (; !in_flight.empty() && in_flight.begin()->first <= tick; in_flight.erase(in_flight.begin())) {
        const auto& [of, bytes] = in_flight.begin()->second;
        if (!apply(bytes)) continue;
        // A late state with other components than the newest is not kept.
        const bool newest = received.empty() || received.rbegin()->first < of;
        if (newest || truth.at(of).has_components_of(received.rbegin()->second)) received[of] = truth.at(of);
      }
      if (!world.random.chance(disorder, 20)) acknowledge();
      mirror().check();
      if (received.empty()) continue;
      changes += former_states(entity) > 0 ? 1 : 0;
      view_tick = std::max(view_tick, static_cast<double>(tick) - 3.5 - static_cast<double>(disorder));
      mirror().set_view_tick(view_tick);
      if (static_cast<double>(received.begin()->first) > view_tick) continue;
      for (int sampled = 0; sampled < 8; ++sampled) {
        const double at = view_tick + static_cast<double>(world.random.uniform(0, 8));
        for (const double exact_too : {at, std::ceil(at)}) {
          expect_shown(received, entity, exact_too);
          if (HasFatalFailure()) return;
        }
      }
    }
    EXPECT_GT(received.size(), 200u);
    EXPECT_GT(changes, 20u);
    for (int each = 0; each < 4; ++each) world.destroy(world.alive.size() - 1);
  }
}

TEST_F(MirrorFormerTest, FormerStatesAreDroppedOncePicturesAreLater) {
  const ecs::Entity entity = create(0);
  tick();
  for (int i = 0; i < 100; ++i) {
    mirror().set_view_tick(now() - 3.0);
    toggle<demo::Velocity>(entity);
    tick();
    EXPECT_LE(former_states(entity), 4u);
    mirror().check();
  }
  mirror().set_view_tick(1);
  for (int i = 0; i < 100; ++i) {
    toggle<demo::Velocity>(entity);
    tick();
    EXPECT_LE(former_states(entity), MirroredEntity::former_states_max);
  }
  EXPECT_EQ(former_states(entity), MirroredEntity::former_states_max);
  mirror().set_view_tick(now());
  world.registry.get<Transform>(entity).position.x = 5;
  tick();
  EXPECT_EQ(former_states(entity), 0u);
  mirror().check();
}

TEST_F(MirrorFormerTest, AMirrorWithoutPicturesKeepsNoFormerStates) {
  const ecs::Entity entity = create(0);
  for (int i = 0; i < 20; ++i) {
    toggle<demo::Velocity>(entity);
    tick();
    EXPECT_EQ(former_states(entity), 0u);
  }
}

TEST_F(MirrorFormerTest, ADestroyedEntityLeavesNoFormerStates) {
  const std::uint32_t before = [&] {
    create(1);
    tick();
    return mirror().registry().prototypes().count();
  }();
  const ecs::Entity entity = create(0);
  mirror().set_view_tick(1);
  for (int i = 0; i < 6; ++i) {
    toggle<demo::Velocity>(entity);
    tick();
  }
  EXPECT_GT(former_states(entity), 0u);
  world.destroy(1);
  for (int i = 0; i < 40; ++i) tick();
  mirror().check();
  EXPECT_LE(mirror().registry().prototypes().count(), before + 2) << "former prototypes are no longer held";
}

// The owner's fields are blended only while the client owns the entity.
TEST_F(MirrorFormerTest, ANewOwnerShowsTheStatesOfBefore) {
  const ecs::Entity entity = create(0);
  mirror().set_view_tick(1);
  for (int i = 0; i < 5; ++i) {
    world.registry.get<Transform>(entity).position.x += 1;
    tick();
  }
  view.update_owners([&](std::uint32_t index) { return index == entity.index; });
  world.registry.get<Transform>(entity).position.x += 1;
  tick();
  ASSERT_TRUE(mirror().is_owner(entity));
  const ecs::Tick newest = mirror().tick_of(entity);
  EXPECT_NEAR(static_cast<double>(sample<Transform>(mirror(), entity, newest - 0.5)->position.x), 5.5, 0.01);
  EXPECT_NEAR(static_cast<double>(sample<Transform>(mirror(), entity, newest - 1.5)->position.x), 4.5, 0.01);
}

}  // namespace
}  // namespace mobula::client
