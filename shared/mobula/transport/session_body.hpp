// Datagram body of a session: a header, then entries up to the end.
//
//   0  u16  sequence      of this datagram; the first is 1
//   2  u16  ack           a sequence received from the peer; 0 before the first, then ack_bits have no meaning
//   4  u32  ack_bits      bit n: sequence ack - 1 - n was received too
//   8  entries, each:
//      u16  bits 0..10 size, 11..12 kind, 13..15 lane (chunks only; otherwise zero)
//      u16  chunk number  (chunks only; the first of a lane is 0)
//      size bytes
//
//   kind 0  an unreliable message
//   kind 1  a chunk of a reliable lane, at least one byte
//   kind 2  disconnect: u8 reason code, then its text. It is the only entry of its body, and the body's header is zero:
//           it has no sequence, is never acknowledged, and is valid at any time.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/transport/address.hpp>
#include <mobula/transport/reason.hpp>
#include <optional>

namespace mobula::transport {

/// Reliable lanes (= channels); each is ordered in itself. Bulk gets the rate that control and unreliable messages
/// leave.
enum class Lane : std::uint8_t { control, bulk, count };
inline constexpr std::size_t lane_count = static_cast<std::size_t>(Lane::count);

/// Kinds of entries, with their numbers on the wire.
enum class EntryKind : std::uint8_t { unreliable, chunk, disconnect, count };

inline constexpr std::size_t session_body_bytes_max = payload_bytes_max;
/// An unreliable message must fit into one datagram.
inline constexpr std::size_t max_unreliable_size = 1190;

inline constexpr std::size_t body_header_bytes = 8;
inline constexpr std::size_t entry_header_bytes = 2;
inline constexpr std::size_t chunk_header_bytes = 4;
inline constexpr std::uint16_t entry_size_mask = 0x7ff;
static_assert(body_header_bytes + entry_header_bytes + max_unreliable_size <= session_body_bytes_max);
static_assert(session_body_bytes_max <= entry_size_mask);

/// One parsed entry of a datagram body.
struct Entry {
  core::ByteView bytes;
  std::uint16_t chunk = 0;
  EntryKind kind = EntryKind::unreliable;
  Lane lane = Lane::control;
};

constexpr std::uint16_t entry_header(EntryKind kind, Lane lane, std::size_t size) {
  return static_cast<std::uint16_t>(size | static_cast<std::size_t>(kind) << 11 | static_cast<std::size_t>(lane) << 13);
}

/// Removes the first entry from `rest`. Returns false if it is malformed.
inline bool next_entry(core::ByteView& rest, Entry& entry) {
  if (rest.size() < entry_header_bytes) return false;
  const auto word = core::load<std::uint16_t>(rest.data());
  const std::size_t size = word & entry_size_mask;
  entry.kind = static_cast<EntryKind>(word >> 11 & 3);
  entry.lane = static_cast<Lane>(word >> 13);
  if (entry.kind >= EntryKind::count || entry.lane >= Lane::count) return false;
  const bool chunk = entry.kind == EntryKind::chunk;
  if (!chunk && entry.lane != Lane::control) return false;
  const std::size_t header = chunk ? chunk_header_bytes : entry_header_bytes;
  if (rest.size() < header + size) return false;
  if (chunk) entry.chunk = core::load<std::uint16_t>(rest.data() + entry_header_bytes);
  entry.bytes = rest.subspan(header, size);
  rest = rest.subspan(header + size);
  return true;
}

/// Writes a disconnect body and returns its size. The text is truncated to reason_text_bytes_max.
std::size_t encode_disconnect(const Reason& reason, core::MutableBytes out);
/// Returns the reason, or nothing if the body is not a well-formed disconnect.
std::optional<Reason> decode_disconnect(core::ByteView body);

}  // namespace mobula::transport
