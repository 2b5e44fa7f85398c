// Unreliable events of one tick for one client, in a datagram of their own.
//
//   u8   kind, 1 (deltas have another)
//   u32  tick
//   then, by ascending sequence, until the end, at least one:
//     u16  sequence       among all of the tick's events for this client, reliable ones included
//     u16  bits 0..14 size, bit 15: about an entity
//     u32 index, u32 generation, if so
//     size bytes
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/pool.hpp>
#include <vector>

namespace mobula::wire {

inline constexpr std::uint8_t event_batch_kind = 1;
inline constexpr std::size_t event_batch_bytes_max = 1190;

struct EventBatch {
  struct Event {
    std::uint16_t sequence;
    ecs::Entity about;  // null: about no entity
    core::ByteView bytes;
  };

  ecs::Tick tick = 0;
  std::vector<Event> events;
};

// Begins a batch in `out`, whatever was in it.
void begin_event_batch(ecs::Tick tick, core::Bytes& out);
// False if there is no room for it. In an empty batch there is room for every event of at most max_event_bytes.
bool add_to_event_batch(const EventBatch::Event& event, core::Bytes& out);

// Reasons: "malformed events". `out` is reused, its bytes lie in the datagram; on failure its content means nothing.
core::Status decode_event_batch(core::ByteView datagram, EventBatch& out);

}  // namespace mobula::wire
