// A player of the demo: moves in circles and throws a stone now and then.
#pragma once

#include <memory>
#include <mobula/core/bytes.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/reflect/schema.hpp>

namespace mobula::client {

/// Returns the schema of the demo, which its rules are compiled with.
std::shared_ptr<const reflect::Schema> demo_schema();

class DemoPlayer {
 public:
  /// Time from one command to the next.
  static constexpr core::Nanoseconds command_interval = 500 * core::millisecond;

  /// Returns the command to give now. Empty if none is due.
  core::Bytes next_command(core::Nanoseconds now);

 private:
  core::Nanoseconds next_ = 0;
  std::size_t step_ = 0;
};

}  // namespace mobula::client
