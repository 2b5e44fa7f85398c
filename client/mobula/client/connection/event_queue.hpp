// Holds received events until the mirror has reached their tick.
//
// Events are handed out by tick; those of one tick in the order in which the server sent them. A reliable event is
// handed out however late it arrives, also after later ones. An unreliable event that is more than late_ticks_max ticks
// late is dropped.
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
  /// Entity that the event is about; null if there is none. The mirror may not have it, or no longer.
  ecs::Entity about;
  core::Bytes bytes;
};

struct EventQueueStats {
  std::uint64_t late = 0;     ///< Unreliable events dropped because they were late.
  std::uint64_t dropped = 0;  ///< Unreliable events dropped because the queue was full.
};

class EventQueue {
 public:
  static constexpr ecs::Tick late_ticks_max = 16;
  static constexpr std::size_t waiting_bytes_max = 1024 * 1024;

  /// Adds reliable events. Reason: "too many events". Some are missing then, so the connection must be closed.
  core::Status add(wire::Events&& message);
  /// Adds unreliable events; drops those that are late or do not fit.
  void add(const wire::EventBatch& batch);

  /// Removes the events of `tick` and of earlier ticks, and returns them. Valid until the next call.
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
