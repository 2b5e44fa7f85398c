// The hot datagram: what is new for one client. It has a number of its own, and rests on what the client has said that
// it has: with its acknowledgement `ack`. Of each entity b1 is then the newest state that was received by then, b2 the
// one received before it.
//
//   DeltaHeader          (schema/wire.fbs), then, if it says so, u64 hash; then bits:
//   moving on   count golomb(4); if not 0: first id golomb(6), then for each id from there on whose b1 is at most 2
//               ticks older than the newest delta received by then, a bit: it is here; its change. Until there are
//               `count`.
//   changed     count golomb(2); each: id, change
//   appeared    count golomb(2); each: id, index golomb(12), a bit: it is of the level that the client has
//               of the level: its change, b1 what the level has, very long ago
//               else: generation 32 bits, a bit: the client's own, prototype golomb(4), the whole entity
//   gone        count golomb(2); each: id, a bit: destroyed (0: out of view), a bit: it is of the level, and may not
//               have appeared; then index golomb(12)
//
//   An id is golomb(3) of what it is above the one before it in its list + 1; the first of what it is above 0.
//   The datagram ends within 7 zero bits of the last entry.
//
// Ids are the client's own, small numbers below ids_max. One serves another entity when the client has acknowledged
// that the former is gone.
#pragma once

#include <cstdint>
#include <mobula/core/bit_stream.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::wire {

// The first byte of what the server sends unreliably says what it is; event_batch.hpp has the other kind.
inline constexpr std::uint8_t delta_kind = 0;

struct DeltaHeader {
  std::uint32_t sequence = 0;  // from 1
  ecs::Tick tick = 0;
  std::uint32_t ack = 0;  // the acknowledgement that it rests on; 0: none
  CommandFeedback commands{};
  bool complete = false;
  bool verifies = false;
  std::uint64_t hash = 0;
};

inline constexpr std::size_t delta_header_size = 20;
inline constexpr std::size_t delta_hash_size = 8;
// What goes into one datagram, header included.
inline constexpr std::size_t delta_bytes_max = 1150;
// The bits of one entity: it must fit a delta of its own.
inline constexpr std::uint32_t entity_bits_max = (delta_bytes_max - delta_header_size - delta_hash_size) * 8 - 256;

inline constexpr unsigned moving_count_order = 4;
inline constexpr unsigned first_id_order = 6;
inline constexpr unsigned count_order = 2;
inline constexpr unsigned id_order = 3;
inline constexpr unsigned index_order = 12;
inline constexpr unsigned prototype_order = 4;
inline constexpr ecs::Tick moving_age_max = 2;
inline constexpr std::uint32_t ids_max = 1u << 18;
// Deltas that come so much later than the newest are not taken any more.
inline constexpr std::uint32_t late_max = 32;
// The age of what the level has.
inline constexpr std::uint32_t level_age = 1u << 16;
// b2 is at most so many ticks before b1.
inline constexpr std::uint32_t b2_age_max = 32;
// Deltas whose fate one input can tell.
inline constexpr std::uint32_t ack_history = 64 * input_words_max;

constexpr std::size_t header_size(const DeltaHeader& header) {
  return delta_header_size + (header.verifies ? delta_hash_size : 0);
}
// Gives how many bytes it takes.
std::size_t write_header(const DeltaHeader& header, core::MutableBytes to);
// Reason: "malformed delta".
core::Result<DeltaHeader> read_delta_header(core::ByteView datagram);

}  // namespace mobula::wire
