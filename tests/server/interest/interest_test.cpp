#include <array>
#include <ecs/allocations.hpp>
#include <functional>
#include <mobula/core/random.hpp>
#include <optional>
#include <server/interest/interest_world.hpp>

namespace mobula::server {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;
using testing::ElementsAre;
using testing::IsEmpty;

struct WithoutLayers : InterestTest {
  WithoutLayers() : InterestTest({}) {}
};

struct ContinuingShips : InterestTest {
  ContinuingShips() : InterestTest({{"creatures", 10}, {"landmarks"}, {"ships", 100, 0, true}}) {}
};

TEST_F(ContinuingShips, OnlyEntitiesOfTheirLayerContinueOutOfView) {
  const Entity creature = make({1, 0, 0});
  const Entity ship = make({2, 0, 0}, {.layer = ships});
  const Entity odd = make({3, 0, 0}, {.layer = 9});
  end_tick();
  EXPECT_FALSE(interest.continues_out_of_view(creature.index));
  EXPECT_TRUE(interest.continues_out_of_view(ship.index));
  EXPECT_FALSE(interest.continues_out_of_view(odd.index)) << "an undeclared layer counts as layer 0";
  EXPECT_FALSE(interest.continues_out_of_view(1u << 30)) << "beyond all indices";
  relevance(ship).layer = creatures;
  end_tick();
  EXPECT_FALSE(interest.continues_out_of_view(ship.index));
}

TEST_F(WithoutLayers, EverybodySeesEverything) {
  const Entity far = make({1e6f, 0, 0});
  const Entity nowhere = world.create();
  interest.add(nowhere.index);
  EXPECT_THAT(query(), ElementsAre(me.index, far.index, nowhere.index));
  EXPECT_THAT(query(), IsEmpty());
  EXPECT_THAT(left, IsEmpty());
  destroy(far);
  EXPECT_THAT(query(), IsEmpty());
  EXPECT_THAT(left, ElementsAre(far.index));
  viewer.set_viewpoints({});
  query();
  EXPECT_THAT(seen, ElementsAre(me.index, nowhere.index));
}

TEST_F(WithoutLayers, MovementNeedsNoQuery) {
  const Entity other = make({});
  query();
  const std::uint64_t before = interest.version();
  position(other).x = 1000;
  relevance(other).priority = 1;
  query();
  EXPECT_EQ(interest.version(), before);
  relevance(other).interest_group = 1;
  query();
  EXPECT_NE(interest.version(), before);
}

TEST_F(InterestTest, ABorderIsCrossedAtDifferentDistancesInAndOut) {
  const Entity other = make({10.5f, 0, 0});
  EXPECT_THAT(query(), ElementsAre(me.index));
  position(other).x = 10.0f;  // on the border is within
  EXPECT_THAT(query(), ElementsAre(other.index));
  for (const float within : {10.5f, 11.0f, 12.0f}) {
    position(other).x = within;
    query();
    EXPECT_THAT(left, IsEmpty()) << within;
  }
  position(other).x = std::nextafter(12.0f, 13.0f);
  query();
  EXPECT_THAT(left, ElementsAre(other.index));
  for (const float beyond : {12.0f, 10.5f, std::nextafter(10.0f, 11.0f)}) {
    position(other).x = beyond;
    EXPECT_THAT(query(), IsEmpty()) << beyond;
  }
  position(me).x = 0.5f;  // or the viewer comes
  EXPECT_THAT(query(), ElementsAre(other.index));
}

TEST_F(InterestTest, LayersHaveTheirOwnRadii) {
  make({50, 0, 0}, {.layer = creatures});
  const Entity landmark = make({1e6f, 0, 0}, {.layer = landmarks});
  const Entity ship = make({50, 0, 50}, {.layer = ships});
  make({100, 0, 50}, {.layer = ships});
  EXPECT_THAT(query(), ElementsAre(me.index, landmark.index, ship.index));
  relevance(ship).layer = creatures;
  query();
  EXPECT_THAT(left, ElementsAre(ship.index));
  world.remove<Relevance>(landmark);
  query();
  EXPECT_THAT(left, ElementsAre(landmark.index));
}

TEST_F(InterestTest, NoDistanceMakesUpForTheWrongRoom) {
  const Entity near = make({1, 0, 0}, {.interest_group = 5});
  const Entity landmark = make({1, 0, 0}, {.layer = landmarks, .interest_group = 6});
  const Entity own = make({1, 0, 0}, {.interest_group = 5, .owner = 1});
  EXPECT_THAT(query(), ElementsAre(me.index));
  ASSERT_TRUE(viewer.join_group(5));
  EXPECT_THAT(query(), ElementsAre(near.index, own.index));
  ASSERT_TRUE(viewer.join_group(6));
  EXPECT_THAT(query(), ElementsAre(landmark.index));
  viewer.leave_group(5);
  query();
  EXPECT_THAT(left, testing::UnorderedElementsAre(near.index, own.index));
  relevance(me).interest_group = 9;
  query();
  EXPECT_THAT(left, ElementsAre(me.index)) << "not even oneself";
}

TEST_F(InterestTest, ViewersOfTenThousandGroupsSeeTheirOwnAlone) {
  constexpr std::uint32_t groups = 10'000;
  std::vector<std::array<Entity, 3>> members(groups);
  for (std::uint32_t group = 0; group < groups; ++group)
    for (Entity& entity : members[group]) entity = make({1, 0, 0}, {.interest_group = group + 1});
  end_tick();
  std::vector<std::uint32_t> gained;
  for (std::uint32_t group = 0; group < groups; ++group) {
    Viewer member(2 + group, members[group][0]);
    ASSERT_TRUE(member.join_group(group + 1));
    gained.clear();
    interest.query_visibility(member, {}, gained, left);
    ASSERT_THAT(gained,
                ElementsAre(me.index, members[group][0].index, members[group][1].index, members[group][2].index));
  }
}

TEST_F(InterestTest, OwnedEntitiesAreVisibleFromAnywhere) {
  const Entity own = make({1e5f, 0, 0}, {.owner = 1});
  const Entity of_another = make({1e5f, 0, 0}, {.owner = 2});
  EXPECT_THAT(query(), ElementsAre(me.index, own.index));
  EXPECT_EQ(interest.owner(own.index), 1u);
  EXPECT_EQ(interest.owner(of_another.index), 2u);
  EXPECT_EQ(interest.owner(me.index), 0u);
  EXPECT_EQ(interest.owner(1u << 30), 0u);
  relevance(of_another).owner = 1;
  relevance(own).owner = 0;
  EXPECT_THAT(query(), ElementsAre(of_another.index));
  EXPECT_THAT(left, ElementsAre(own.index));
}

TEST_F(InterestTest, ViewpointsAreSeenAndSee) {
  const Entity camera = make({500, 0, 0});
  const Entity besides = make({505, 0, 0});
  const Entity hidden = world.make({0, 0, 300});  // a viewpoint that is not published
  const Entity beside_hidden = make({0, 0, 305});
  const std::vector<Entity> viewpoints{me, camera, hidden};
  viewer.set_viewpoints(viewpoints);
  EXPECT_THAT(query(), ElementsAre(me.index, camera.index, besides.index, beside_hidden.index));
  destroy(camera);
  query();
  EXPECT_THAT(left, testing::UnorderedElementsAre(camera.index, besides.index));
  world.destroy(hidden);
  query();
  EXPECT_THAT(left, ElementsAre(beside_hidden.index));
}

TEST_F(InterestTest, AViewpointWithoutPositionShowsOnlyItself) {
  const Entity near = make({1, 0, 0});
  const Entity landmark = make({1, 0, 0}, {.layer = landmarks});
  query();
  world.remove<Transform>(me);
  query();
  EXPECT_THAT(left, ElementsAre(near.index));
  EXPECT_THAT(seen, ElementsAre(me.index, landmark.index));
}

TEST_F(InterestTest, AnUndeclaredLayerCountsAsTheFirst) {
  const Entity near = make({9, 0, 0}, {.layer = 200});
  const Entity far = make({50, 0, 0}, {.layer = 3});
  const Entity ship = make({50, 0, 0}, {.layer = ships});
  EXPECT_THAT(query(), ElementsAre(me.index, near.index, ship.index));
  relevance(near).layer = 255;
  relevance(far).layer = ships;
  relevance(ship).layer = 16;
  EXPECT_THAT(query(), ElementsAre(far.index));
  EXPECT_THAT(left, ElementsAre(ship.index));
  EXPECT_GT(interest.importance(interest.observer(viewer), near.index), 0);
}

TEST_F(InterestTest, EntitiesWithoutPositionAreRelevantAnywhere) {
  const Entity thought = world.create();
  world.add<Relevance>(thought).interest_group = 3;
  interest.add(thought.index);
  EXPECT_THAT(query(), ElementsAre(me.index));
  relevance(thought).interest_group = 0;
  EXPECT_THAT(query(), ElementsAre(thought.index));
  world.add<Transform>(thought).position.x = 99;
  query();
  EXPECT_THAT(left, ElementsAre(thought.index));
}

TEST_F(InterestTest, OnlyThePublishedAreSeen) {
  const Entity other = make({1, 0, 0});
  query();
  interest.remove(other.index);
  interest.remove(other.index);
  interest.remove(1u << 30);
  query();
  EXPECT_THAT(left, ElementsAre(other.index));
  interest.add(other.index);
  interest.add(other.index);
  EXPECT_THAT(query(), ElementsAre(other.index));
}

// An index stands for its current entity, visible or not, by that entity's position.
TEST_F(InterestTest, AnIndexThatIsReusedIsJudgedAnew) {
  const Entity other = make({1, 0, 0}, {.owner = 1});
  query();
  world.destroy(other);
  Entity next = ecs::null_entity;
  while (next.index != other.index) next = world.create();
  world.add<Transform>(next).position.x = 50;
  interest.add(next.index);
  query();
  EXPECT_THAT(left, ElementsAre(other.index));
  EXPECT_EQ(interest.owner(next.index), 0u);
}

TEST_F(InterestTest, TheGamesOwnRuleMayRefuseWhatWouldBeSeen) {
  Blind rule;
  interest.set_rule(&rule);
  const Entity other = make({11, 0, 0});
  make({50, 0, 0});
  make({1, 0, 0}, {.interest_group = 1});
  query();
  EXPECT_THAT(rule.asked, ElementsAre(me.index)) << "of nobody who is out of view anyway";
  position(other).x = 10;
  query();
  position(other).x = 11;
  query();
  EXPECT_THAT(seen, ElementsAre(me.index, other.index));
  rule.refused = other.index;
  query();
  EXPECT_THAT(left, ElementsAre(other.index));
  rule.refused = ~0u;
  EXPECT_THAT(query(), IsEmpty()) << "it is out of view, and so must come near again";
  interest.set_rule(nullptr);
  position(other).x = 10;
  EXPECT_THAT(query(), ElementsAre(other.index));
}

TEST_F(InterestTest, TheRuleIsCalledOnceForAnyNumberOfViewpoints) {
  Blind rule;
  interest.set_rule(&rule);
  rule.refused = me.index;
  const std::vector<Entity> viewpoints{me, make({1, 0, 0}, {.owner = 1}), make({2, 0, 0})};
  viewer.set_viewpoints(viewpoints);
  query();
  EXPECT_THAT(rule.asked, testing::UnorderedElementsAre(me.index, viewpoints[1].index, viewpoints[2].index));
}

TEST_F(InterestTest, ImportanceFallsWithViewpointDistance) {
  const Entity other = make({0, 0, 0}, {.priority = 2});
  const auto importance = [this](Entity entity) {
    return interest.importance(interest.observer(viewer), entity.index);
  };
  const std::vector<std::pair<float, float>> expected{
      {0, 2.0f}, {5, 1.0f}, {10, 0.4f}, {12, 50 / 169.0f}, {1e9f, 50 / 169.0f}};
  for (const auto& [distance, value] : expected) {
    position(other).z = distance;
    end_tick();
    EXPECT_FLOAT_EQ(importance(other), value) << distance;
  }
  const std::vector<Entity> viewpoints{me, make({0, 0, 1e9f})};
  viewer.set_viewpoints(viewpoints);
  end_tick();
  EXPECT_FLOAT_EQ(importance(other), 2);
  relevance(other).layer = landmarks;
  viewer.set_viewpoints({});
  end_tick();
  EXPECT_EQ(importance(other), 2);
  relevance(other).priority = 3;
  world.remove<Transform>(other);
  end_tick();
  EXPECT_EQ(importance(other), 3);
  interest.remove(other.index);
  EXPECT_EQ(importance(other), 1);
}

TEST_F(InterestTest, APriorityBeyondItsRangeCountsAsTheNearest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  testing::internal::CaptureStderr();
  const std::vector<std::pair<float, float>> expected{{nan, Relevance::priority_min},
                                                      {0, Relevance::priority_min},
                                                      {-1, Relevance::priority_min},
                                                      {1e-30f, Relevance::priority_min},
                                                      {-infinity, Relevance::priority_min},
                                                      {0.1f, 0.1f},
                                                      {100, 100},
                                                      {1e38f, Relevance::priority_max},
                                                      {infinity, Relevance::priority_max}};
  const Entity thing = make({0, 0, 0});
  for (const auto& [written, counted] : expected) {
    relevance(thing).priority = written;
    end_tick();
    EXPECT_EQ(interest.importance(interest.observer(viewer), thing.index), counted) << written;
  }
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string line = "entity " + to_string(thing) + " has priority nan, which counts as 0.1";
  EXPECT_NE(log.find(line), std::string::npos) << log;
  EXPECT_EQ(log.find("has priority"), log.rfind("has priority")) << "the first alone is logged: " << log;
}

TEST_F(InterestTest, APriorityThatIsNoNumberCausesNoQueries) {
  const Entity thing = make({0, 0, 0}, {.priority = std::numeric_limits<float>::quiet_NaN()});
  end_tick();
  const std::uint64_t version = interest.version();
  for (int i = 0; i < 3; ++i) {
    relevance(thing).interest_group = 0;  // written, and unchanged
    end_tick();
  }
  EXPECT_EQ(interest.version(), version);
}

TEST_F(InterestTest, TheSteadyStateAllocatesNothing) {
  core::Random random(1);
  std::vector<Entity> all;
  for (int i = 0; i < 400; ++i)
    all.push_back(make({random.uniform(-40, 40), 0, random.uniform(-40, 40)},
                       {.layer = static_cast<std::uint8_t>(random.below(3)), .owner = 1 + random.below(3)}));
  for (std::uint32_t i = 300; i < 400; ++i) world.add<Parent>(all[i], {all[i - 250]});
  std::vector<std::uint32_t> gained;
  gained.reserve(2 * all.size());
  left.reserve(all.size());
  std::uint64_t made = 0;
  for (int tick = 0; tick < 900; ++tick) {
    world.get<Parent>(all[300 + random.below(100)]).entity = all[random.below(100)];
    relevance(all[0]).interest_group =
        100 + static_cast<std::uint32_t>(tick);  // a room of its own, which then is empty again
    for (int i = 0; i < 50; ++i) {
      position(all[random.below(400)]) = {random.uniform(-40, 40), 0, random.uniform(-40, 40)};
      relevance(all[1 + random.below(399)]).interest_group = random.below(3);
      relevance(all[random.below(400)]).owner = 1 + random.below(3);
    }
    hierarchy.update();
    const std::uint64_t before = ecs::test::allocations();
    interest.update();
    gained.clear();
    left.clear();
    interest.query_visibility(viewer, seen, gained, left);
    if (tick >= 800) made += ecs::test::allocations() - before;
    seen.insert(seen.end(), gained.begin(), gained.end());
    for (const std::uint32_t index : left) std::erase(seen, index);
    world.next_tick();
  }
  EXPECT_EQ(made, 0u);
}

TEST_F(InterestTest, LayersThatMakeNoSenseAreNamed) {
  const std::vector<Layer> backwards{{"creatures", 10, 9}};
  EXPECT_DEATH(Interest(world, backwards),
               "layer creatures is entered at radius 10 and left at 9: both are between 0 and");
  const std::vector<Layer> negative{{"creatures", -1}};
  EXPECT_DEATH(Interest(world, negative), "layer creatures is entered at radius -1");
  const std::vector<Layer> many(Layer::count_max + 1);
  EXPECT_DEATH(Interest(world, many), "the game declares 17 layers; it may have 16");
}

struct Meddler : InterestRule {
  explicit Meddler(std::function<void(Entity)> change) : change_(std::move(change)) {}
  [[nodiscard]] bool may_see(const Viewer& /*viewer*/, ecs::Entity entity) const override {
    change_(entity);
    return true;
  }

 private:
  std::function<void(Entity)> change_;
};

TEST_F(InterestTest, ARuleThatChangesTheWorldIsNamed) {
  const Entity other = make({1, 0, 0});
  end_tick();
  const Meddler creates([this](Entity /*entity*/) { world.create(); });
  interest.set_rule(&creates);
  EXPECT_DEATH(query(), "InterestRule::may_see creates entity .*: it must change no entity");
  EXPECT_DEATH(static_cast<void>(interest.may_stay(viewer, other.index)), "InterestRule::may_see creates");
  const Meddler removes([this](Entity entity) {
    if (world.has<Transform>(entity)) world.remove<Transform>(entity);
  });
  interest.set_rule(&removes);
  EXPECT_DEATH(query(), "InterestRule::may_see adds or removes components of entity .*running=InterestRule::may_see");
}

}  // namespace
}  // namespace mobula::server
