#include <gtest/gtest.h>

#include <mobula/reflect/yaw.hpp>

namespace mobula::reflect {
namespace {

TEST(Yaw, IsAUnitQuaternionNearLibmsForEveryAngle) {
  for (int tenth = -7300; tenth <= 7300; ++tenth) {
    SCOPED_TRACE(tenth);
    const double degrees = tenth / 10.0;
    const YawQuaternion turn = quaternion_of_yaw(degrees);
    EXPECT_NEAR(turn.y * turn.y + turn.w * turn.w, 1.0, 1e-14);
    EXPECT_GE(turn.w, 0);
    const double radians = degrees * 3.14159265358979323846 / 180;
    EXPECT_NEAR(2 * turn.y * turn.w, std::sin(radians), 1e-14);
    EXPECT_NEAR(1 - 2 * turn.y * turn.y, std::cos(radians), 1e-14);
  }
}

}  // namespace
}  // namespace mobula::reflect
