// Bodies of deltas that do not fit a datagram, as they arrive in parts on the control lane (wire/delta.hpp).
#pragma once

#include <array>
#include <mobula/core/result.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::client {

/// The newest bodies. Takes at most wire::delta_bodies_kept times wire::delta_body_bytes_max.
class ReceivedBodies {
 public:
  /// Adds a part. It begins a body with a number above all before, or continues the last one without a gap. An
  /// unfinished one is dropped when another begins. Errors: "malformed delta".
  core::Status add(wire::DeltaBody&& part);
  /// Returns a complete body. Null if it has not arrived or was replaced by newer ones.
  [[nodiscard]] const core::Bytes* find(std::uint32_t number) const;
  /// Returns the number of the body that began last; 0 before the first.
  [[nodiscard]] std::uint32_t newest() const { return newest_; }

 private:
  struct Body {
    std::uint32_t number = 0;
    std::size_t size = 0;
    core::Bytes bytes;
  };

  [[nodiscard]] Body& place(std::uint32_t number) { return bodies_[number % wire::delta_bodies_kept]; }
  [[nodiscard]] const Body& place(std::uint32_t number) const { return bodies_[number % wire::delta_bodies_kept]; }

  std::array<Body, wire::delta_bodies_kept> bodies_;  // by number
  std::uint32_t newest_ = 0;                          // number of the body that began last
};

}  // namespace mobula::client
