#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/server/interest/viewer.hpp>
#include <utility>
#include <vector>

namespace mobula::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(Viewer, IsThePlayersEntityUntilTheGameSetsAnother) {
  Viewer viewer(3, {7, 1});
  EXPECT_EQ(viewer.player(), 3u);
  EXPECT_THAT(viewer.viewpoints(), ElementsAre(ecs::Entity{7, 1}));
  const std::vector<ecs::Entity> cameras{{8, 1}, {9, 2}};
  viewer.set_viewpoints(cameras);
  EXPECT_THAT(viewer.viewpoints(), ElementsAre(cameras[0], cameras[1]));
  viewer.set_viewpoints({});
  EXPECT_THAT(viewer.viewpoints(), IsEmpty());
  EXPECT_THAT(Viewer().viewpoints(), IsEmpty());
}

TEST(Viewer, ItsViewpointsFollowThePlayersEntity) {
  const ecs::Entity first{7, 1};
  const ecs::Entity second{8, 1};
  const ecs::Entity camera{9, 1};
  Viewer viewer(3, first);
  EXPECT_EQ(viewer.entity(), first);
  const std::uint64_t version = viewer.version();
  viewer.set_entity(first);
  EXPECT_EQ(viewer.version(), version) << "nothing changed";
  viewer.set_entity(second);
  EXPECT_GT(viewer.version(), version);
  EXPECT_THAT(viewer.viewpoints(), ElementsAre(second));
  viewer.set_viewpoints(std::vector{camera, second, camera});
  viewer.set_entity(first);
  EXPECT_THAT(viewer.viewpoints(), ElementsAre(camera, first, camera));
  viewer.set_viewpoints({&camera, 1});
  viewer.set_entity(second);
  EXPECT_THAT(viewer.viewpoints(), ElementsAre(camera)) << "the game's choice stays";
  EXPECT_EQ(viewer.entity(), second);
}

TEST(Viewer, APlayerWithoutEntityIsFollowedOnceItHasOne) {
  Viewer viewer(3, {});
  viewer.set_entity({7, 1});
  EXPECT_THAT(viewer.viewpoints(), ElementsAre(ecs::Entity{7, 1}));
}

TEST(Viewer, FollowsAnySuccession) {
  Viewer viewer(3, {7, 1});
  viewer.set_viewpoints(std::vector<ecs::Entity>{{7, 1}, {8, 1}, {9, 1}});
  viewer.follow([](ecs::Entity each) { return each.index == 9 ? each : ecs::Entity{each.index + 1, 5}; });
  EXPECT_EQ(viewer.entity(), (ecs::Entity{8, 5}));
  EXPECT_THAT(viewer.viewpoints(), ElementsAre(ecs::Entity{8, 5}, ecs::Entity{9, 5}, ecs::Entity{9, 1}));
}

TEST(Viewer, IsInARoomUntilItLeaves) {
  Viewer viewer(1, {});
  EXPECT_TRUE(viewer.is_in(0));
  EXPECT_FALSE(viewer.is_in(5));
  for (const std::uint32_t group : {5u, 6u, 5u, 0u}) EXPECT_TRUE(viewer.join_group(group));
  EXPECT_THAT(viewer.interest_groups(), UnorderedElementsAre(5u, 6u));
  viewer.leave_group(5);
  viewer.leave_group(0);
  viewer.leave_group(77);
  EXPECT_THAT(viewer.interest_groups(), ElementsAre(6u));
  EXPECT_TRUE(viewer.is_in(0));
  EXPECT_FALSE(viewer.is_in(5));
}

TEST(Viewer, ItsVersionRisesWhenItsPlaceIsSet) {
  Viewer viewer(1, {});
  std::uint64_t version = viewer.version();
  const auto rises = [&] { return viewer.version() > std::exchange(version, viewer.version()); };
  viewer.join_group(5);
  EXPECT_TRUE(rises());
  viewer.join_group(5);
  EXPECT_FALSE(rises());
  viewer.leave_group(5);
  EXPECT_TRUE(rises());
  viewer.set_viewpoints({});
  EXPECT_TRUE(rises());
}

TEST(Viewer, IsInSoManyRoomsAndNoMore) {
  Viewer viewer(1, {});
  for (std::uint32_t group = 1; group <= Viewer::groups_max; ++group) EXPECT_TRUE(viewer.join_group(group));
  EXPECT_TRUE(viewer.join_group(2));
  EXPECT_FALSE(viewer.join_group(100));
  EXPECT_FALSE(viewer.is_in(100));
  viewer.leave_group(2);
  EXPECT_TRUE(viewer.join_group(100));
}

}  // namespace
}  // namespace mobula::server
