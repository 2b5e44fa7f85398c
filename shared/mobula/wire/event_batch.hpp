// Batches: unreliable events of one tick for one client, in a datagram of their own.
//
//   u8   kind, 1 (deltas have 0)
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
// Maximum size with several events: a batch goes to many clients, and some paths carry nothing larger.
inline constexpr std::size_t event_batch_bytes_shared = 590;

/// A decoded batch.
struct EventBatch {
  struct Event {
    std::uint16_t sequence;
    ecs::Entity about;  // null if it is about no entity
    core::ByteView bytes;
  };

  ecs::Tick tick = 0;
  std::vector<Event> events;
};

/// Replaces the content of `out` by an empty batch.
void begin_event_batch(ecs::Tick tick, core::Bytes& out);
/// Appends an event. False if it does not fit. An empty batch has room for any event of at most max_event_bytes; one
/// with events is full at event_batch_bytes_shared.
bool add_to_event_batch(const EventBatch::Event& event, core::Bytes& out);

/// Decodes a batch into `out`, whose events point into the datagram. After a failure `out` is unspecified. Errors:
/// "malformed events".
core::Status decode_event_batch(core::ByteView datagram, EventBatch& out);

}  // namespace mobula::wire
