// The hot datagram: what changed for one client.
//
//   DeltaHeader  (schema/wire.fbs), then `entities` entries as bits, by ascending index:
//     gap     golomb(3)   index - (index of the entry before + 1); the first counts from 0
//     kind    2 bits      0 update, 1 spawn, 2 despawn
//     spawn:  generation 32 bits, prototype golomb(4), a row for each of its components
//     update: mask, one bit for each component of the entity's prototype, a row for each 1
//   A row is a component as its ComponentCodec writes it; components stand in canonical order.
//   The datagram ends within 7 zero bits of the last entry.
//
// A spawn says all of an entity, and replaces whatever had its index. An update is relative
// to a state that the client has acknowledged.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/bit_stream.hpp>
#include <mobula/core/result.hpp>
#include <mobula/wire/row_table.hpp>
#include <span>
#include <vector>

namespace mobula::wire {

struct DeltaHeader {
  std::uint32_t sequence = 0;
  ecs::Tick tick = 0;
  std::uint32_t verified_ack = 0;  // 0: verified_hash says nothing
  std::uint16_t entities = 0;
  bool complete = false;
  std::uint64_t verified_hash = 0;
};

inline constexpr std::size_t delta_header_size = 24;
// What goes into one datagram, header included.
inline constexpr std::size_t delta_bytes_max = 1150;
// The rows of one entity: an entity must fit a delta of its own.
inline constexpr std::uint32_t entity_bits_max = (delta_bytes_max - delta_header_size) * 8 - 256;

void write_header(const DeltaHeader& header, core::MutableBytes to);

inline constexpr std::uint32_t ack_history = 256;  // deltas

// Client to server: which deltas were applied, and one command.
struct InputHeader {
  std::uint32_t ack = 0;
  std::uint32_t newest = 0;
  std::array<std::uint64_t, ack_history / 64> received{};

  [[nodiscard]] bool has(std::uint32_t age) const { return (received[age / 64] >> (age % 64) & 1) != 0; }
};

inline constexpr std::size_t input_header_size = 40;

void write_header(const InputHeader& header, core::MutableBytes to);
// Refused: "truncated".
core::Result<InputHeader> read_input_header(core::ByteView bytes);

// Writes the entries of one delta. Entities come by ascending index.
class DeltaWriter {
 public:
  // Writes behind the header's place in `datagram`.
  DeltaWriter(core::MutableBytes datagram, const ecs::Registry& registry, const RowTable& rows)
      : bits_(datagram.subspan(delta_header_size)), registry_(registry), rows_(rows) {}

  // Upper bounds in bits of what the next calls write; update: 0 if nothing is newer than `since`.
  [[nodiscard]] std::size_t spawn_bits(const EntityRow& entity) const;
  [[nodiscard]] std::size_t update_bits(const EntityRow& entity, ecs::Tick since) const;
  static constexpr std::size_t despawn_bits = 72;

  // `prototype`: the client's id of the entity's.
  void spawn(const EntityRow& entity, std::uint32_t prototype);
  void update(const EntityRow& entity, ecs::Tick since);
  void despawn(std::uint32_t index);

  [[nodiscard]] std::uint16_t entities() const { return entities_; }
  // Bytes of the whole datagram, header included.
  [[nodiscard]] std::size_t size() const { return delta_header_size + bits_.bytes(); }
  [[nodiscard]] bool ok() const { return bits_.ok(); }

 private:
  void begin(std::uint32_t index, std::uint64_t kind);

  core::BitWriter bits_;
  const ecs::Registry& registry_;
  const RowTable& rows_;
  std::uint32_t next_index_ = 0;
  std::uint16_t entities_ = 0;
};

// A delta taken apart and checked, not applied.
struct DecodedDelta {
  enum class Kind : std::uint8_t { update, spawn, despawn };
  struct Part {
    ecs::PoolId pool;
    std::size_t bit;  // where its row starts in the body
    std::uint32_t bits;
    std::size_t value;  // where the component lies in `values`
  };
  struct Entry {
    Kind kind;
    ecs::Entity entity;
    ecs::PrototypeId prototype;
    std::uint32_t first_part;
    std::uint32_t parts;
  };

  DeltaHeader header;
  core::ByteView body;  // of the datagram that was decoded
  std::vector<Entry> entries;
  std::vector<Part> all_parts;
  std::vector<std::byte> values;

  [[nodiscard]] std::span<const Part> parts_of(const Entry& entry) const {
    return std::span(all_parts).subspan(entry.first_part, entry.parts);
  }
};

// What a decoder must know of the mirror's state. All its prototypes are of pools that are sent.
struct DeltaContext {
  const ecs::Registry& registry;
  RowTable& rows;
  std::span<const ecs::PrototypeId> prototypes;  // by announced id; empty_prototype where not known (0 is known)
  std::uint32_t index_limit;
};

// Reasons: "malformed delta". `out` is reused; on failure its content means nothing.
core::Status decode_delta(core::ByteView datagram, const DeltaContext& context, DecodedDelta& out);

// Only the header: to tell late deltas before decoding them.
core::Result<DeltaHeader> read_delta_header(core::ByteView datagram);

}  // namespace mobula::wire
