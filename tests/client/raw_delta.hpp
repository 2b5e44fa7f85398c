// Deltas written bit by bit, in ways that Mobula's server would not send. docs/protocol.md has their layout.
//
//   header, count of moving, count of changed, changed…, count of gained, gained…, count of lost, lost…
#pragma once

#include <functional>
#include <mobula/core/bit_stream.hpp>
#include <mobula/wire/delta.hpp>

namespace mobula::test {

using WriteBits = std::function<void(core::BitWriter&)>;

// Returns a delta with a header. `write` writes the rest.
inline core::Bytes raw_delta(const wire::DeltaHeader& header, const WriteBits& write) {
  core::Bytes bytes(1u << 16);
  const std::size_t begin = wire::header_size(header);
  wire::write_header(header, bytes);
  core::BitWriter bits(core::MutableBytes(bytes).subspan(begin));
  write(bits);
  bytes.resize(begin + bits.bytes());
  return bytes;
}

inline void write_counts(core::BitWriter& bits, std::uint32_t moving, std::uint32_t changed) {
  bits.write_golomb(moving, wire::moving_count_order);
  bits.write_golomb(changed, wire::count_order);
}

// Returns a delta without moving and changed ids. `write` begins with the count of gained.
inline core::Bytes raw_lists(const wire::DeltaHeader& header, const WriteBits& write) {
  return raw_delta(header, [&](core::BitWriter& bits) {
    write_counts(bits, 0, 0);
    write(bits);
  });
}

inline void write_count(core::BitWriter& bits, std::size_t count) {
  bits.write_golomb(static_cast<std::uint32_t>(count), wire::count_order);
}

// Writes an entity gained that is neither of the level nor owned. Its values follow. `gap` is its id minus (former id
// + 1).
inline void write_gained(core::BitWriter& bits, std::uint32_t gap, ecs::Entity entity, std::uint32_t prototype) {
  bits.write_golomb(gap, wire::id_order);
  bits.write_golomb(entity.index, wire::index_order);
  bits.write_bool(false);
  bits.write(entity.generation, 32);
  bits.write_bool(false);
  bits.write_golomb(prototype, wire::prototype_order);
}

// Writes an entity lost that is not of the level.
inline void write_lost(core::BitWriter& bits, std::uint32_t gap, bool destroyed) {
  bits.write_golomb(gap, wire::id_order);
  bits.write_bool(destroyed);
  bits.write_bool(false);
}

}  // namespace mobula::test
