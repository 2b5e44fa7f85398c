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

TEST(Viewer, LooksAroundThePlayersEntityUntilTheGameSaysOtherwise) {
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

TEST(Viewer, IsInARoomUntilItLeaves) {
  Viewer viewer(1, {});
  EXPECT_TRUE(viewer.is_in(0));
  EXPECT_FALSE(viewer.is_in(5));
  for (const std::uint32_t room : {5u, 6u, 5u, 0u}) EXPECT_TRUE(viewer.enter_room(room));
  EXPECT_THAT(viewer.rooms(), UnorderedElementsAre(5u, 6u));
  viewer.leave_room(5);
  viewer.leave_room(0);
  viewer.leave_room(77);
  EXPECT_THAT(viewer.rooms(), ElementsAre(6u));
  EXPECT_TRUE(viewer.is_in(0));
  EXPECT_FALSE(viewer.is_in(5));
}

TEST(Viewer, ItsVersionRisesWhenItIsToldToLookElsewhere) {
  Viewer viewer(1, {});
  std::uint64_t version = viewer.version();
  const auto rises = [&] { return viewer.version() > std::exchange(version, viewer.version()); };
  viewer.enter_room(5);
  EXPECT_TRUE(rises());
  viewer.enter_room(5);
  EXPECT_FALSE(rises());
  viewer.leave_room(5);
  EXPECT_TRUE(rises());
  viewer.set_viewpoints({});
  EXPECT_TRUE(rises());
}

TEST(Viewer, IsInSoManyRoomsAndNoMore) {
  Viewer viewer(1, {});
  for (std::uint32_t room = 1; room <= Viewer::rooms_max; ++room) EXPECT_TRUE(viewer.enter_room(room));
  EXPECT_TRUE(viewer.enter_room(2));
  EXPECT_FALSE(viewer.enter_room(100));
  EXPECT_FALSE(viewer.is_in(100));
  viewer.leave_room(2);
  EXPECT_TRUE(viewer.enter_room(100));
}

}  // namespace
}  // namespace mobula::server
