// Events that wait until the mirror has reached the tick they belong to, however they came.
//
// They come out by tick, those of one tick in the order in which the server sent them. Reliable ones come out whenever
// they come, also after later ones. Unreliable ones whose tick is more than late_ticks_max back are dropped.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/messages.hpp>
#include <span>
#include <vector>

namespace mobula::client {

struct ReceivedEvent {
  ecs::Tick tick = 0;
  std::uint16_t sequence = 0;
  ecs::Entity about;  // null: about no entity. The mirror may not have it (any more)
  core::Bytes bytes;
};

struct EventQueueStats {
  std::uint64_t late = 0;     // unreliable ones, dropped
  std::uint64_t dropped = 0;  // unreliable ones, the queue was full
};

class EventQueue {
 public:
  static constexpr ecs::Tick late_ticks_max = 16;
  static constexpr std::size_t waiting_bytes_max = 1024 * 1024;

  // Reason: "too many events", and then not all of them are there: the client is lost.
  core::Status take(wire::Events&& message);
  void take(const wire::EventBatch& batch);

  // Those of this tick and of ticks before, each once. Valid until the next call.
  std::span<const ReceivedEvent> take_due(ecs::Tick tick);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] const EventQueueStats& stats() const { return stats_; }

 private:
  static std::size_t weight(std::size_t bytes) { return bytes + sizeof(ReceivedEvent); }

  std::vector<ReceivedEvent> waiting_;
  std::vector<ReceivedEvent> due_;
  std::size_t waiting_bytes_ = 0;
  ecs::Tick reached_ = 0;
  EventQueueStats stats_;
};

}  // namespace mobula::client
