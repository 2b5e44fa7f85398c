#include "recordings/asteroids.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/core/format.hpp>
#include <optional>

namespace mobula::bench {
namespace {

using AsteroidFloats = std::array<float, floats_per_asteroid>;

constexpr std::size_t asteroid_bytes = sizeof(AsteroidFloats);
constexpr const char* float_names[] = {"x", "y", "z", "rotation x", "rotation y", "rotation z", "rotation w"};
constexpr double squares_error_max = 1e-3;  // the squares of a unit quaternion add up to 1
constexpr double udp_ip_bytes = 8 + 20;

// Returns why these values are no pose. Nothing if they are one.
std::optional<core::Error> check_pose(const AsteroidFloats& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      return core::Error{"value not finite", core::format("{} is {}", float_names[i], values[i])};
  for (std::size_t i = 0; i < 3; ++i)
    if (std::abs(values[i]) > asteroid_position_max)
      return core::Error{"value out of range", core::format("{} is {}, expected {} to {}", float_names[i], values[i],
                                                            -asteroid_position_max, asteroid_position_max)};
  double squares = 0;
  for (std::size_t i = 3; i < values.size(); ++i) squares += static_cast<double>(values[i]) * values[i];
  if (std::abs(squares - 1) > squares_error_max)
    return core::Error{"not a unit quaternion",
                       core::format("the squares of the rotation add up to {}, expected 1", squares)};
  return std::nullopt;
}

// Returns an update's share of a frame's bytes. An update is one body in one frame.
double per_update(const PlayReport& play, double frame_bytes) {
  return frame_bytes / static_cast<double>(play.entities);
}
double goodput_bytes(const PlayReport& play) { return per_update(play, play.mean_delta_bytes); }
double wire_bytes(const PlayReport& play) {
  return per_update(play, play.mean_datagram_bytes + udp_ip_bytes * play.datagrams_per_frame);
}

}  // namespace

core::Result<AsteroidsRecording> parse_asteroids(core::ByteView bytes) {
  const core::Result<std::size_t> frames = count_frames(bytes, asteroids_per_frame * asteroid_bytes);
  if (!frames) return frames.error();
  std::vector<asteroids::Asteroid> poses(*frames * asteroids_per_frame);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto values = core::load<AsteroidFloats>(&bytes[i * asteroid_bytes]);
    if (const std::optional<core::Error> error = check_pose(values))
      return core::Error{error->reason, core::format("frame {}, body {}: {}", i / asteroids_per_frame,
                                                     i % asteroids_per_frame, error->message)};
    poses[i].position = {values[0], values[1], values[2]};
    poses[i].rotation = {values[3], values[4], values[5], values[6]};
  }
  return AsteroidsRecording(asteroids_per_frame, std::move(poses));
}

core::Result<AsteroidsReport> play_asteroids(const AsteroidsRecording& recording, const PlayOptions& options,
                                             const PoseTolerance& tolerance) {
  AsteroidsReport report;
  const auto measure = [&worst = report.worst](const asteroids::Asteroid& mirrored,
                                               const asteroids::Asteroid& recorded) {
    const PoseError error = pose_error(mirrored, recorded);
    if (!std::isfinite(error.position) || !std::isfinite(error.rotation)) return false;
    worst.position = std::max(worst.position, error.position);
    worst.rotation = std::max(worst.rotation, error.rotation);
    return true;
  };
  const core::Bytes reckoned =
      tolerance.reckons() ? reckoned_schema("Asteroid", asteroid_position_max, tolerance) : core::Bytes();
  const core::ByteView schema = tolerance.reckons() ? core::ByteView(reckoned) : asteroids::schema_bytes();
  const core::Result<PlayReport> played = play(played_world("asteroids", schema, recording, measure), options);
  if (!played) return played.error();
  report.play = *played;
  return report;
}

std::string to_json(const AsteroidsReport& report) {
  const PlayReport& play = report.play;
  return core::format(R"({{"goodput_bytes_per_update":{:.3f},"wire_bytes_per_update":{:.3f},)"
                      R"("worst_position_error":{:.6f},"worst_rotation_error":{:.6f},"missing":{},)"
                      R"("encode_us":{:.2f},"decode_us":{:.2f}}})",
                      goodput_bytes(play), wire_bytes(play), report.worst.position, report.worst.rotation,
                      play.mismatches, play.encode_us, play.decode_us);
}

std::string to_table(const AsteroidsReport& report, const PlayOptions& options) {
  const PlayReport& play = report.play;
  std::string text = traffic_table(play, options);
  text += core::format("\nbytes per update        mean\n");
  text += core::format("goodput              {:7.3f}    deltas with their headers\n", goodput_bytes(play));
  text +=
      core::format("wire                 {:7.3f}    datagrams, with headers of UDP and IP too\n\n", wire_bytes(play));
  text += core::format("worst errors: {:.6f} m of a coordinate, {:.6f} of a part of a rotation\n{} missing\n",
                       report.worst.position, report.worst.rotation, play.mismatches);
  return text;
}

}  // namespace mobula::bench
