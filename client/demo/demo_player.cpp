#include <array>
#include <demo/demo_commands.hpp>
#include <demo/demo_player.hpp>
#include <mobula/core/result.hpp>
#include <mobula/schema/components.hpp>

namespace mobula::client {
namespace {

struct Direction {
  float x;
  float z;
};

// Once round the compass, which leads back to the beginning where nothing is in the way.
constexpr std::array<Direction, 8> directions{
    {{1, 0}, {0.7f, 0.7f}, {0, 1}, {-0.7f, 0.7f}, {-1, 0}, {-0.7f, -0.7f}, {0, -1}, {0.7f, -0.7f}}};
constexpr std::size_t steps_to_a_throw = 3;
constexpr float throw_up = 0.5f;

}  // namespace

std::shared_ptr<const reflect::Schema> demo_schema() { return *reflect::Schema::load(demo::schema_bytes()); }

core::Bytes DemoPlayer::next_command(core::Nanoseconds now) {
  if (now < next_) return {};
  next_ = now + command_interval;
  const Direction to = directions[step_ / steps_to_a_throw % directions.size()];
  const bool throws = step_++ % steps_to_a_throw == 1;
  return throws ? throw_command(to.x * 0.8f, throw_up, to.z * 0.8f) : move_command(to.x, to.z);
}

}  // namespace mobula::client
