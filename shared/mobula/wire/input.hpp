// Inputs: what a client sends once per tick of its own. An input acknowledges deltas and carries commands, each of them
// in every input until the server has acknowledged it.
//
//   InputStart     (schema/wire.fbs)
//   `words` u64    received bits: bit n of all of them is delta newest - n
//   if commands > 0:
//     u32          number of the first command; the others have the numbers that follow
//     u32          tick of the first command
//     bits, for each command:
//       step  golomb(0)   its tick - the tick of the one before; not for the first
//       size  golomb(4)
//       lag   golomb(10)  its tick - its view, in 1/256 of a tick
//       arrivals, see input_arrivals.hpp: which deltas arrived after it was given
//     zero bits until the byte is full, then each command's bytes
//
// An input without commands has 20 bytes.
//
// Acknowledgements count whatever stands behind them: an input whose commands are malformed is decoded without them,
// and a malformed command costs no other one.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/wire/command_feedback.hpp>
#include <mobula/wire/received_deltas.hpp>
#include <vector>

namespace mobula::wire {

inline constexpr std::size_t input_start_size = 12;
inline constexpr std::size_t input_bytes_max = 1190;   // size of an input
inline constexpr std::size_t input_bytes_least = 590;  // room for an input with any one command
inline constexpr std::size_t input_commands_max = 32;
inline constexpr std::size_t command_bytes_max = 512;
inline constexpr ecs::Tick view_lag_ticks_max = 0xffff;
// Deltas of an input of which it is known whether they arrived before or after each command was given.
inline constexpr std::size_t input_arrivals_max = 64;
// In place of a number of arrivals: a command was given so long ago that it is not known any more.
inline constexpr std::uint8_t arrivals_unknown = 0xff;

/// A command of a player.
struct InputCommand {
  ecs::Tick tick = 0;  // due in this tick; not before the tick of the command before it
  // The view: what the player was looking at, `view_fraction` of the way from view_tick to the next tick. Not after
  // `tick`, and at most view_lag_ticks_max before it.
  ecs::Tick view_tick = 0;
  std::uint8_t view_fraction = 0;  // 1/256
  core::ByteView bytes;
  const char* fault = nullptr;  // names the mistake of a malformed command; null if there is none
  // Number of InputDatagram::arrived that were there when it was given, or arrivals_unknown. Rises from command to
  // command.
  std::uint8_t arrived_before = 0;
  SeenDeltas seen{};  // deltas that the client had when it was given, as far as the input acknowledges them
};

/// A decoded input.
struct InputDatagram {
  std::uint32_t ack = 0;
  std::uint32_t newest = 0;
  std::uint8_t words = 1;  // number of words sent; deltas further back are neither acknowledged nor missing
  ReceivedBits received{};
  // Deltas that arrived after the first command was given whose arrivals are known, in the order of their arrival.
  std::uint8_t arrivals = 0;
  std::array<std::uint32_t, input_arrivals_max> arrived{};
  std::uint32_t first_command = 0;  // number of the first command; numbers begin at 1
  std::vector<InputCommand> commands{};
  const char* commands_fault = nullptr;  // names the mistake for which all commands are left out; null if there is none

  // Whether it states if delta newest - age was received, and whether it was.
  [[nodiscard]] bool covers(std::uint32_t age) const { return age < 64u * words; }
  [[nodiscard]] bool has(std::uint32_t age) const { return (received[age / 64] >> (age % 64) & 1) != 0; }
};

/// Removes what a decoded input acknowledges, as if it acknowledged nothing. Its commands have seen unknown sets then.
void forget_acknowledgement(InputDatagram& input);

/// Result of encode_input.
struct EncodedInput {
  std::size_t bytes = 0;
  std::size_t commands = 0;  // that fitted. The oldest go first: their order must be kept
};

/// Writes an input to `to`, which has input_bytes_least bytes or more. Commands that do not fit are left out.
EncodedInput encode_input(const InputDatagram& input, core::MutableBytes to);
/// Decodes an input into `out`, whose commands point into the datagram. Malformed commands are marked there and are no
/// error. After a failure `out` is unspecified. Errors: "malformed input".
core::Status decode_input(core::ByteView datagram, InputDatagram& out);

}  // namespace mobula::wire
