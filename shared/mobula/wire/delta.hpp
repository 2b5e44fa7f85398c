// Delta datagrams: the unreliable message with what has changed for one client, and its header.
//
// Each delta has a sequence of its own. It is encoded against acknowledgement `ack` of the client. The baseline of an
// entity is the newest state that the client had received when it sent that acknowledgement. The previous baseline is
// the next older one.
//
//   DeltaHeader (schema/wire.fbs), u64 hash if the header says so, then the body, as bits:
//   moving      count golomb(4); if not 0: first id golomb(6), then for each moving id from that one on, by rising ids:
//               a bit, whether it is included, and if so its delta; until there were `count`. An id is moving if its
//               baseline is at most moving_age_max ticks older than the newest delta received at `ack`.
//   changed     count golomb(2); each: id, delta
//   gained      count golomb(2); each: id, index golomb(12), a bit: an entity of the level that the client has
//               of the level: its delta; the baseline is the level's state, of age level_age
//               else: generation 32 bits, a bit: the client owns it, prototype golomb(4), the full state
//   lost        count golomb(2); each: id, a bit: destroyed (0: out of view), a bit: the client has nothing of it but
//               the level's state; then index golomb(12)
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

// First byte of an unreliable message of the server; event_batch.hpp has the other kind.
inline constexpr std::uint8_t delta_kind = 0;

/// Header of a delta.
struct DeltaHeader {
  std::uint32_t sequence = 0;  // from 1
  ecs::Tick tick = 0;
  std::uint32_t ack = 0;  // acknowledgement that it is encoded against; 0 if none
  CommandFeedback commands{};
  bool complete = false;
  bool verifies = false;
  std::uint64_t hash = 0;
  std::uint32_t body = 0;  // number of the DeltaBody that is its body; 0 if the body follows
};

inline constexpr std::size_t delta_header_size = 20;
inline constexpr std::size_t delta_hash_size = 8;
inline constexpr std::size_t delta_body_number_size = 4;
// Size of a delta, header included.
inline constexpr std::size_t delta_bytes_max = 1150;
// Bits around the only entity of a body: counts, id, handle, prototype.
inline constexpr std::uint32_t entry_bits_max = 256;
// Bits of an entity that fits a delta of this size. Longer ones are bodies of their own.
constexpr std::uint32_t listed_bits_max(std::size_t delta_bytes) {
  return static_cast<std::uint32_t>(delta_bytes - delta_header_size - delta_hash_size) * 8 - entry_bits_max;
}
// Size of a DeltaBody: the largest entity.
inline constexpr std::size_t delta_body_bytes_max = (ecs::SentSize::bits_max + entry_bits_max) / 8;
// A client keeps bodies whose number is less than this below the newest.
inline constexpr std::uint32_t delta_bodies_kept = 8;

inline constexpr unsigned moving_count_order = 4;
inline constexpr unsigned first_id_order = 6;
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
// Number of deltas that one input can acknowledge.
inline constexpr std::uint32_t ack_history = 64 * input_words_max;

/// Returns the size of the header, with the hash and the number of the body if there are any, in bytes.
constexpr std::size_t header_size(const DeltaHeader& header) {
  return delta_header_size + (header.verifies ? delta_hash_size : 0) + (header.body != 0 ? delta_body_number_size : 0);
}
/// Writes the header. Returns its size in bytes.
std::size_t write_header(const DeltaHeader& header, core::MutableBytes to);
/// Reads the header at the beginning of a datagram. Errors: "malformed delta".
core::Result<DeltaHeader> read_delta_header(core::ByteView datagram);

}  // namespace mobula::wire
