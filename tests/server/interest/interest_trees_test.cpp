// Visibility of entities with parents.
#include <algorithm>
#include <server/interest/interest_world.hpp>

namespace mobula::server {
namespace {

using ecs::Entity;
using engine::Parent;
using testing::ElementsAre;

TEST_F(InterestTest, ChildrenAreWhereTheirParentsTakeThem) {
  const Entity cart = make({50, 0, 0});
  const Entity driver = make({1, 0, 0});
  world.add<engine::Parent>(driver, {cart});
  EXPECT_THAT(query(), ElementsAre(me.index));
  position(cart).x = 5;
  EXPECT_THAT(query(), ElementsAre(cart.index, driver.index));
  position(cart).x = 11.5f;
  query();
  EXPECT_THAT(left, ElementsAre(driver.index));
}

TEST_F(InterestTest, AChildBringsItsParentsIntoView) {
  const Entity cart = make({50, 0, 0});
  const Entity seat = make({-40, 0, 0});
  const Entity driver = make({-5, 0, 0});
  world.add<Parent>(seat, {cart});
  world.add<Parent>(driver, {seat});
  EXPECT_THAT(query(), ElementsAre(me.index, cart.index, seat.index, driver.index));
  EXPECT_FALSE(interest.may_stay(viewer, cart.index));
  EXPECT_TRUE(interest.may_stay_for_others(viewer, cart, seen));
  position(driver).x = -30;
  position(seat).x = -41.5f;
  query();
  EXPECT_THAT(left, ElementsAre(driver.index));
  EXPECT_THAT(seen, ElementsAre(me.index, cart.index, seat.index));
  position(seat).x = 0;
  query();
  EXPECT_THAT(seen, ElementsAre(me.index));
  EXPECT_FALSE(interest.may_stay_for_others(viewer, cart, seen));
}

TEST_F(InterestTest, AForbiddenParentHidesWhatIsBelow) {
  Blind rule;
  const Entity cart = make({1, 0, 0});
  const Entity seat = make({1, 0, 0});
  const Entity driver = make({1, 0, 0}, {.owner = 1});
  world.add<Parent>(seat, {cart});
  world.add<Parent>(driver, {seat});
  relevance(cart).interest_group = 5;
  EXPECT_THAT(query(), ElementsAre(me.index)) << "not even to the owner";
  EXPECT_FALSE(interest.may_enter(viewer, driver.index));
  ASSERT_TRUE(viewer.join_group(5));
  EXPECT_THAT(query(), ElementsAre(cart.index, seat.index, driver.index));
  interest.set_rule(&rule);
  rule.refused = seat.index;
  query();
  EXPECT_THAT(seen, ElementsAre(me.index, cart.index));
  std::ranges::sort(rule.asked);
  EXPECT_EQ(std::ranges::adjacent_find(rule.asked), rule.asked.end()) << "asked once about each";
}

TEST_F(InterestTest, AParentThatIsNotPublishedHidesWhatIsBelow) {
  const Entity cart = world.make({1, 0, 0});
  const Entity driver = make({1, 0, 0});
  world.add<Parent>(driver, {cart});
  EXPECT_THAT(query(), ElementsAre(me.index));
  interest.add(cart.index);
  EXPECT_THAT(query(), ElementsAre(cart.index, driver.index));
}

TEST_F(InterestTest, ACycleOfParentsIsVisibleAsAWhole) {
  const Entity near = make({5, 0, 0});
  const Entity far = make({500, 0, 0});
  const Entity own = make({6, 0, 0});
  world.add<Parent>(near, {far});
  world.add<Parent>(far, {near});
  world.add<Parent>(own, {own});
  EXPECT_THAT(query(), ElementsAre(me.index, near.index, far.index, own.index));
  relevance(far).interest_group = 3;
  query();
  EXPECT_THAT(seen, ElementsAre(me.index, own.index));
}

TEST_F(InterestTest, ADeadParentHidesNothing) {
  const Entity cart = make({1, 0, 0}, {.interest_group = 5});
  const Entity driver = make({1, 0, 0});
  world.add<Parent>(driver, {cart});
  EXPECT_THAT(query(), ElementsAre(me.index));
  destroy(cart);
  EXPECT_THAT(query(), ElementsAre(driver.index));
}

TEST_F(InterestTest, ADestroyedParentWouldHaveStayedForItsChild) {
  const Entity cart = make({50, 0, 0});
  const Entity driver = make({-45, 0, 0});
  world.add<Parent>(driver, {cart});
  query();
  destroy(driver);
  destroy(cart);
  hierarchy.update();
  interest.update();
  EXPECT_TRUE(interest.would_have_stayed(viewer, driver, {}));
  EXPECT_TRUE(interest.would_have_stayed(viewer, cart, {}));
}

}  // namespace
}  // namespace mobula::server
