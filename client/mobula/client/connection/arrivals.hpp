// The order in which the newest deltas arrived. An input names those that arrived after a command was given.
#pragma once

#include <array>
#include <mobula/wire/input.hpp>

namespace mobula::client {

class Arrivals {
 public:
  void add(std::uint32_t sequence) { sequences_[count_++ % wire::input_arrivals_max] = sequence; }
  /// Returns the number of deltas that have arrived. It wraps.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Returns how many arrived after `count`; nothing is known about more than wire::input_arrivals_max.
  [[nodiscard]] std::uint32_t since(std::uint32_t count) const { return count_ - count; }
  /// Puts the newest `number` arrivals into an input, the oldest first.
  void fill(wire::InputDatagram& input, std::uint32_t number) const {
    MOBULA_ASSERT(number <= wire::input_arrivals_max, "arrivals that are known");
    input.arrivals = static_cast<std::uint8_t>(number);
    for (std::uint32_t i = 0; i < number; ++i)
      input.arrived[i] = sequences_[(count_ - number + i) % wire::input_arrivals_max];
  }

 private:
  std::array<std::uint32_t, wire::input_arrivals_max> sequences_{};
  std::uint32_t count_ = 0;
};

}  // namespace mobula::client
