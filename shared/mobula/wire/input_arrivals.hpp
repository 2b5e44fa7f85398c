// Arrivals: which deltas a client received between its commands. From these and the acknowledgement of the input follow
// the deltas that the client had when it gave each command.
//
//   for each command:
//     count     golomb(0)  deltas that arrived after it was given and before the next command was given; of the last
//                          command, before the input was made. arrivals_unknown_code: not known, nor for the commands
//                          before it, which have a 0
//     skips     golomb(0)  for each of these, the newest first: received deltas between it and the one listed before,
//                          or above it. Deltas that are listed with later commands do not count
//
// Deltas that arrive in order take one bit each, besides the count.
#pragma once

#include <array>
#include <mobula/core/bit_stream.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::wire {

inline constexpr std::uint32_t arrivals_unknown_code = input_arrivals_max + 1;

/// Writes the arrivals of the first commands of an input.
class ArrivalWriter {
 public:
  ArrivalWriter(const InputDatagram& input, std::size_t commands);

  /// Declares the arrivals of all commands unknown.
  void forget();
  void write(std::size_t command, core::BitWriter& bits) const;

 private:
  bool list(std::size_t command, std::size_t begin, std::size_t end, ReceivedBits& left);

  const InputDatagram& input_;
  std::size_t commands_;
  std::array<std::uint8_t, input_commands_max> counts_{};
  std::array<std::uint8_t, input_commands_max> first_{};  // by command: its first skip
  std::array<std::uint8_t, input_arrivals_max> skips_{};
};

/// Reads the arrivals of an input's commands.
class ArrivalReader {
 public:
  /// Reads those of the next command.
  void read(core::BitReader& bits);
  /// Fills in arrivals and seen deltas of the input, whose acknowledgement is decoded. A command whose arrivals are
  /// malformed has a fault afterwards; those before it have seen an unknown set.
  void finish(InputDatagram& input);

 private:
  const char* resolve(std::size_t command, ReceivedBits& left, InputDatagram& input);

  std::size_t commands_ = 0;
  std::array<std::uint32_t, input_commands_max> counts_{};
  std::array<std::uint8_t, input_commands_max> first_{};  // by command: its first skip
  std::size_t listed_ = 0;
  std::array<std::uint32_t, input_arrivals_max> skips_{};
  std::size_t free_ = input_arrivals_max;  // places of InputDatagram::arrived that are not filled
};

}  // namespace mobula::wire
