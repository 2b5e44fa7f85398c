// Objects that move as in PurrNet's benchmark: by wander steering, or up and down along a sine. Equal seeds give equal
// motions, so that a client's process knows the true poses.
#pragma once

#include <array>
#include <mobula/bench/purrnet.hpp>
#include <mobula/core/random.hpp>
#include <span>
#include <vector>

namespace mobula::bench {

enum class Motion : std::uint8_t { wander, move_y };

inline constexpr int mover_range = 64;  // the schema's range of a coordinate, in metres

class Movers {
 public:
  Movers(Motion motion, std::uint32_t count, std::uint32_t ticks_per_second, std::uint64_t seed);

  // Moves all objects on by a tick.
  void step();
  [[nodiscard]] std::span<const purrnet::Mover> poses() const { return poses_; }

 private:
  using Vector = std::array<double, 3>;

  struct Wanderer {
    Vector position{};
    Vector velocity{};
    Vector wish{};  // direction that it steers to
  };
  struct Swing {
    Vector middle{};
    double speed = 0;  // radians per second
    double amplitude = 0;
  };

  Vector random_position();
  Vector random_direction();
  Vector random_wish(const Vector& velocity);
  void wander(Wanderer& wanderer);

  core::Random random_;
  double tick_seconds_;
  double seconds_ = 0;
  std::vector<Wanderer> wanderers_;  // one of these is empty
  std::vector<Swing> swings_;
  std::vector<purrnet::Mover> poses_;
};

}  // namespace mobula::bench
