// Delta datagrams: the unreliable message with what has changed for one client, and its header.
//
// Each delta has a sequence of its own. It is encoded against acknowledgement `ack` of the client. The baseline of an
// entity is the newest state that the client had received when it sent that acknowledgement. The previous baseline is
// the next older one. The early baseline is the oldest one that is at most early_baseline_age_max ticks older than the
// baseline.
//
//   header:
//   u8          flags: 2 complete, 4 a hash, 8 the number of a body, 16 feedback on commands, 32 long numbers,
//               64 encoded without early baselines, 128 lost_continue. Bit 0 is 0: an event batch has 1
//   sequence, tick, ack   u16 each: the low 16 bits; u32 each if they are long
//   u32 done, u8 held, i8 margin   if there is feedback; without it they are 0. Bit 7 of `held`: outcomes follow
//   outcomes                       bits for commands done, done - 1, …: 0, or 1 and 5 bits: ticks late, 0 not run,
//                                  31 no more. They end after 64 commands at the latest; then zeros until the byte
//                                  is full
//   u64 hash, u32 number           if there are
//   then the body, as bits:
//   moving      count golomb(4); if not 0: first id golomb(6), then the moving ids from that one on, by rising ids, in
//               runs: n golomb(1) of n - 1, then the deltas of n ids; n golomb(0) of n - 1, then n ids are left out;
//               and so on, until there were `count` deltas. An id is moving if its baseline is at most moving_age_max
//               ticks older than the newest delta received at `ack`.
//   changed     count golomb(2); each: id, delta
//   gained      count golomb(2); each: id, index golomb(12), a bit: an entity of the level that the client has
//               of the level: its delta; the baseline is the level's state, of age level_age
//               else: generation 32 bits, a bit: the client owns it, prototype golomb(4), the full state
//   lost        count golomb(2); each: id, a bit: destroyed (0: out of view); if out of view, and the header has
//               lost_continue, a bit: its courses continue; a bit: the client has nothing of it but the level's state;
//               then index golomb(12)
//
//   An id is golomb(3) of its distance to the id before it in its list + 1; of the first, to 0.
//   The body ends within 7 zero bits of the last entry.
//
// A body that does not fit a datagram has one entry, a full state. It is sent ahead, as reliable DeltaBody messages.
// Once the client has it, a delta follows that has its u32 number in place of a body. That delta is of the tick of the
// state, which may be earlier than the ticks of deltas before it.
//
// Ids are the client's own, small numbers below ids_max. An id is reused once the client has acknowledged that its
// entity was lost from view.
#pragma once

#include <cstdint>
#include <mobula/core/bit_stream.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/sent_size.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::wire {

/// Numbers that the receiver of a delta has reached. They complete short numbers, which are near them.
struct KnownNumbers {
  std::uint32_t sequence = 0;       // newest sequence of a delta
  ecs::Tick tick = 0;               // newest tick of a delta
  std::uint32_t ack = 0;            // the receiver's newest acknowledgement
  std::uint32_t long_sequence = 0;  // newest sequence of a delta with long numbers
};

/// Header of a delta.
struct DeltaHeader {
  std::uint32_t sequence = 0;  // from 1
  ecs::Tick tick = 0;
  std::uint32_t ack = 0;  // acknowledgement that it is encoded against; 0 if none
  CommandFeedback commands{};
  bool complete = false;
  bool verifies = false;
  std::uint64_t hash = 0;
  bool lost_continue = false;  // entries of entities out of view have the bit: their courses continue
  std::uint32_t body = 0;      // number of the DeltaBody that is its body; 0 if the body follows
  bool short_numbers = false;  // sequence, tick and ack are sent as their low 16 bits
  bool without_early = false;  // no delta in it is encoded against an early baseline
};

// Size of a header at most, without hash, number of a body and outcomes.
inline constexpr std::size_t delta_header_size_max = 19;
inline constexpr std::size_t delta_hash_size = 8;
inline constexpr std::size_t delta_body_number_size = 4;
// Size of the outcomes of commands at most. Nearly all headers have none.
inline constexpr std::size_t delta_outcomes_size_max = 48;
// Size of a delta, header included.
inline constexpr std::size_t delta_bytes_max = 1150;
// Bits around the only entity of a body: counts, id, handle, prototype.
inline constexpr std::uint32_t entry_bits_max = 256;
// Bits of an entity that fits a delta of this size, of which outcomes take nothing. Longer ones are bodies of their
// own.
constexpr std::uint32_t listed_bits_max(std::size_t delta_bytes) {
  return static_cast<std::uint32_t>(delta_bytes - delta_header_size_max - delta_hash_size) * 8 - entry_bits_max;
}
// Size of a DeltaBody: the largest entity.
inline constexpr std::size_t delta_body_bytes_max = (ecs::SentSize::bits_max + entry_bits_max) / 8;
// A client keeps bodies whose number is less than this below the newest.
inline constexpr std::uint32_t delta_bodies_kept = 8;

inline constexpr unsigned moving_count_order = 4;
inline constexpr unsigned first_id_order = 6;
inline constexpr unsigned run_order = 1;
inline constexpr unsigned gap_order = 0;
inline constexpr unsigned count_order = 2;
inline constexpr unsigned id_order = 3;
inline constexpr unsigned index_order = 12;
inline constexpr unsigned prototype_order = 4;
inline constexpr ecs::Tick moving_age_max = 2;
inline constexpr std::uint32_t ids_max = 1u << 18;
// A delta that is this many or more behind the newest received is discarded.
inline constexpr std::uint32_t late_max = 32;
// Age of the baseline if that is the level's state.
inline constexpr std::uint32_t level_age = 1u << 16;
// Ticks that the previous baseline is older than the baseline, at most.
inline constexpr std::uint32_t previous_baseline_age_max = 32;
// Ticks that the early baseline is older than the baseline, at most. It is the oldest state within them.
inline constexpr std::uint32_t early_baseline_age_max = 8;
// Number of deltas that one input can acknowledge.
inline constexpr std::uint32_t ack_history = 64 * input_words_max;

// Numbers are short while the receiver is known to have a delta at most this number of ticks old. Within that time a
// client sends at most 16,384 inputs, so their numbers stay within 16 bits.
inline constexpr ecs::Tick short_numbers_ticks_max = 1024;

/// Returns the size of the outcomes in a header, in bytes.
std::size_t outcomes_size(const CommandFeedback& feedback);
/// Returns the size of the header in bytes.
std::size_t header_size(const DeltaHeader& header);
/// Writes the header. Returns its size in bytes.
std::size_t write_header(const DeltaHeader& header, core::MutableBytes to);
/// Reads the header at the beginning of a datagram, for a receiver that has reached `known`.
///
/// Errors: "malformed delta"; "too late". A delta with short numbers is too late after a later one with long numbers.
/// The ticks between the two may exceed 16 bits.
core::Result<DeltaHeader> read_delta_header(core::ByteView datagram, const KnownNumbers& known = {});

}  // namespace mobula::wire
