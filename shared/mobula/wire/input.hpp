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
#include <vector>

namespace mobula::wire {

inline constexpr std::size_t input_start_size = 12;
inline constexpr std::size_t input_bytes_max = 1190;   // size of an input
inline constexpr std::size_t input_words_max = 4;      // they acknowledge 256 deltas
inline constexpr std::size_t input_bytes_least = 590;  // room for an input with any one command
inline constexpr std::size_t input_commands_max = 32;
inline constexpr std::size_t command_bytes_max = 512;
// Commands of one client that a server keeps before their tick: numbers from the first one that is not done.
inline constexpr std::uint32_t commands_held_max = 64;
inline constexpr ecs::Tick view_lag_ticks_max = 0xffff;

/// A command of a player.
struct InputCommand {
  ecs::Tick tick = 0;  // due in this tick; not before the tick of the command before it
  // The view: what the player was looking at, `view_fraction` of the way from view_tick to the next tick. Not after
  // `tick`, and at most view_lag_ticks_max before it.
  ecs::Tick view_tick = 0;
  std::uint8_t view_fraction = 0;  // 1/256
  core::ByteView bytes;
  const char* fault = nullptr;  // names the mistake of a malformed command; null if there is none
};

/// A decoded input.
struct InputDatagram {
  std::uint32_t ack = 0;
  std::uint32_t newest = 0;
  std::uint8_t words = 1;  // number of words sent; deltas further back are neither acknowledged nor missing
  std::array<std::uint64_t, input_words_max> received{};
  std::uint32_t first_command = 0;  // number of the first command; numbers begin at 1
  std::vector<InputCommand> commands{};
  const char* commands_fault = nullptr;  // names the mistake for which all commands are left out; null if there is none

  // Whether it states if delta newest - age was received, and whether it was.
  [[nodiscard]] bool covers(std::uint32_t age) const { return age < 64u * words; }
  [[nodiscard]] bool has(std::uint32_t age) const { return (received[age / 64] >> (age % 64) & 1) != 0; }
};

/// State of a client's commands, sent by the server in deltas until the client has received it.
struct CommandFeedback {
  std::uint32_t done = 0;  // numbers up to this one are carried out, dropped or given up
  std::uint8_t held = 0;   // commands after `done` that wait for their tick: they need not be sent again
  std::int8_t margin = 0;  // ticks by which the latest of the newest commands was early; negative if late

  bool operator==(const CommandFeedback&) const = default;
};

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
