#include <gtest/gtest.h>

#include <cmath>
#include <recordings/asteroids.hpp>
#include <recordings/asteroids_flight.hpp>

namespace mobula::bench {
namespace {

constexpr double radius = 32;
constexpr double spin_max = 3.14159265 / 4;  // radians per second
constexpr double frame_seconds = 1.0 / 30;

using Vector = std::array<double, 3>;

AsteroidsRecording flight(const FlightOptions& options) { return parse_asteroids(make_flight(options)).value(); }

// Velocity between a frame and the next one, in metres per second.
Vector velocity(const AsteroidsRecording& recording, std::size_t frame, std::size_t body) {
  const auto [a, turn_a] = recording.frame(frame)[body];
  const auto [b, turn_b] = recording.frame(frame + 1)[body];
  return {(double{b.x} - a.x) / frame_seconds, (double{b.y} - a.y) / frame_seconds,
          (double{b.z} - a.z) / frame_seconds};
}

double length(const Vector& vector) { return std::hypot(vector[0], vector[1], vector[2]); }
double difference(const Vector& a, const Vector& b) { return length({a[0] - b[0], a[1] - b[1], a[2] - b[2]}); }

// Cosine of half the angle by which a body turns in a number of frames.
double half_turn_cosine(const AsteroidsRecording& recording, std::size_t frame, std::size_t count, std::size_t body) {
  const mobula::engine::Quat a = recording.frame(frame)[body].rotation;
  const mobula::engine::Quat b = recording.frame(frame + count)[body].rotation;
  return std::abs(double{a.x} * b.x + double{a.y} * b.y + double{a.z} * b.z + double{a.w} * b.w);
}

double distance(const AsteroidsRecording& recording, std::size_t frame, std::size_t body) {
  const mobula::engine::Vec3 at = recording.frame(frame)[body].position;
  return length({at.x, at.y, at.z});
}

TEST(AsteroidsFlight, BodiesFlyStraightInsideTheSphere) {
  const AsteroidsRecording recording = flight({.frames = 60, .kicks_permille = 0});
  ASSERT_EQ(recording.frames(), 60u);
  std::size_t straight = 0;
  for (std::size_t body = 0; body < asteroids_per_frame; ++body) {
    for (std::size_t frame = 0; frame + 2 < recording.frames(); ++frame) {
      const Vector now = velocity(recording, frame, body);
      EXPECT_GT(length(now), 0.999) << body;
      EXPECT_LT(length(now), 4.001) << body;
      if (distance(recording, frame + 1, body) > radius) continue;
      EXPECT_LT(difference(now, velocity(recording, frame + 1, body)), 0.001) << body << " in frame " << frame;
      ++straight;
    }
  }
  EXPECT_GT(straight, 250u * 50);
}

TEST(AsteroidsFlight, BodiesTurnEvenly) {
  const AsteroidsRecording recording = flight({.frames = 61, .kicks_permille = 0});
  const double slowest_cosine = std::cos(spin_max * 30 * frame_seconds / 2);
  double turned = 0;
  for (std::size_t body = 0; body < asteroids_per_frame; ++body) {
    const double first = half_turn_cosine(recording, 0, 30, body);
    EXPECT_NEAR(first, half_turn_cosine(recording, 30, 30, body), 1e-6) << body;
    EXPECT_GT(first, slowest_cosine - 1e-6) << body;
    turned += first < 0.999 ? 1 : 0;
  }
  EXPECT_GT(turned, 200);
}

TEST(AsteroidsFlight, BodiesStayNearTheSphere) {
  const AsteroidsRecording recording = flight({.frames = 1000, .kicks_permille = 20, .seed = 2});
  for (std::size_t frame = 0; frame < recording.frames(); ++frame)
    for (std::size_t body = 0; body < asteroids_per_frame; ++body)
      ASSERT_LT(distance(recording, frame, body), radius + 2) << body << " in frame " << frame;
}

TEST(AsteroidsFlight, KicksChangeVelocitiesAtTheGivenRate) {
  const AsteroidsRecording recording = flight({.frames = 60, .kicks_permille = 100, .seed = 3});
  std::size_t kicks = 0;
  for (std::size_t body = 0; body < asteroids_per_frame; ++body)
    for (std::size_t frame = 0; frame + 2 < recording.frames(); ++frame)
      kicks += difference(velocity(recording, frame, body), velocity(recording, frame + 1, body)) > 0.01 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(kicks) / (58 * 250), 0.1, 0.02);
}

TEST(AsteroidsFlight, SameSeedMakesTheSameBytes) {
  EXPECT_EQ(make_flight({.frames = 3, .seed = 5}), make_flight({.frames = 3, .seed = 5}));
  EXPECT_NE(make_flight({.frames = 3, .seed = 5}), make_flight({.frames = 3, .seed = 6}));
  EXPECT_EQ(make_flight({.frames = 3}).size(), 3u * 250 * 28);
}

}  // namespace
}  // namespace mobula::bench
