// Deltas that a client has acknowledged in any of its inputs.
//
// A single input acknowledges the deltas whose fate was open, and no older ones. The set of deltas that a client had
// when it gave a command reaches further back. The deltas that are missing there were settled in an earlier input.
#pragma once

#include <mobula/wire/input.hpp>

namespace mobula::server {

class AcknowledgedDeltas {
 public:
  /// Adds what an input acknowledges. Inputs may come in any order.
  void add(const wire::InputDatagram& input);
  /// Returns the set of a command in the input, completed by what other inputs have acknowledged. The set is unknown if
  /// it reaches further back than is kept. Requires that the input was added.
  [[nodiscard]] wire::SeenDeltas completed(const wire::SeenDeltas& seen, const wire::InputDatagram& input) const;

 private:
  std::uint32_t newest_ = 0;
  wire::ReceivedBits received_{};
};

}  // namespace mobula::server
