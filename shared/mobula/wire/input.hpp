// What a client says once per tick of its own: which deltas it has, and its commands, each again until the server has
// it.
//
//   InputStart     (schema/wire.fbs)
//   `words` u64    received bits: bit n of all of them is delta newest - n
//   if commands > 0:
//     u32          number of the first command; the others' follow
//     u32          the first command's tick
//     bits, for each command:
//       step  golomb(0)   its tick - the tick of the one before; not for the first
//       size  golomb(4)
//       lag   golomb(10)  how far its view lies behind its tick, in 1/256 of a tick
//     zero bits until the byte is full, then each command's bytes
//
// A client that does not play sends 20 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/pool.hpp>
#include <vector>

namespace mobula::wire {

inline constexpr std::size_t input_start_size = 12;
inline constexpr std::size_t input_bytes_max = 1190;  // all of it
inline constexpr std::size_t input_words_max = 4;     // 256 deltas
inline constexpr std::size_t input_commands_max = 32;
inline constexpr std::size_t command_bytes_max = 512;
// What a server keeps of one client before their tick: so many from the first that is not done.
inline constexpr std::uint32_t commands_held_max = 64;
inline constexpr ecs::Tick view_lag_ticks_max = 0xffff;

struct InputCommand {
  ecs::Tick tick = 0;  // that it is meant for; not before that of the command before it
  // What the player was looking at: so much of the way from this tick to the next. Not after `tick`, and not more than
  // view_lag_ticks_max before it.
  ecs::Tick view_tick = 0;
  std::uint8_t view_fraction = 0;  // 1/256
  core::ByteView bytes;
};

struct InputDatagram {
  std::uint32_t ack = 0;
  std::uint32_t newest = 0;
  std::uint8_t words = 1;  // of `received`, that are said; nothing is said of deltas further back
  std::array<std::uint64_t, input_words_max> received{};
  std::uint32_t first_command = 0;  // number of the first, from 1
  std::vector<InputCommand> commands{};

  // Whether anything is said of delta newest - age, and whether it came.
  [[nodiscard]] bool says(std::uint32_t age) const { return age < 64u * words; }
  [[nodiscard]] bool has(std::uint32_t age) const { return (received[age / 64] >> (age % 64) & 1) != 0; }
};

// Server to client, in every delta: what has become of the commands.
struct CommandFeedback {
  std::uint32_t done = 0;  // all up to this number have been carried out, dropped or given up
  std::uint8_t held = 0;   // so many after it are there and wait for their tick: they need not be sent again
  std::int8_t margin = 0;  // ticks that the latest of the newest came before it was due; below 0: too late
};

struct EncodedInput {
  std::size_t bytes = 0;
  std::size_t commands = 0;  // that had room. The oldest go first: their order must be kept
};

// `to` has input_bytes_max bytes or more.
EncodedInput encode_input(const InputDatagram& input, core::MutableBytes to);
// Reasons: "malformed input". `out` is reused, its commands lie in the datagram; on failure its content means nothing.
core::Status decode_input(core::ByteView datagram, InputDatagram& out);

}  // namespace mobula::wire
