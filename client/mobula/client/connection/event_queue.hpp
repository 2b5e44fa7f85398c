// Holds received events until the mirror has reached their tick, and has the entity that they are about.
//
// Events are handed out by tick; those of one tick in the order in which the server sent them. A reliable event is
// handed out however late it arrives, also after later ones. An unreliable event that is more than late_ticks_max ticks
// late is dropped.
//
// Events and entities travel apart, so an event may arrive before the first state of its entity. It then waits, for
// held_ticks_max ticks at most, and delays no other event: later ones overtake it, except those about the same entity.
// It is handed out when the entity is in view or known to be removed, or when its time is up. The oldest is handed out
// early if all that wait so exceed held_bytes_max.
#pragma once

#include <algorithm>
#include <mobula/client/mirror/mirror_state.hpp>
#include <mobula/core/result.hpp>
#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mobula::client {

/// An event, as it is handed out.
struct ReceivedEvent {
  ecs::Tick tick = 0;
  std::uint16_t sequence = 0;
  /// Entity that the event is about; null if there is none.
  ecs::Entity about;
  core::Bytes bytes;
  /// Whether the mirror has that entity when the event is handed out; in_view if it is about none. Unknown if its
  /// time was up, or without a mirror: the entity may still come.
  Presence presence = Presence::in_view;
  bool reliable = false;
};

/// Counters of an event queue.
struct EventQueueStats {
  std::uint64_t late = 0;     ///< Unreliable events dropped because they were late.
  std::uint64_t dropped = 0;  ///< Unreliable events dropped because the queue was full.
  std::uint64_t unknown = 0;  ///< Events handed out although nothing is known of their entity.
};

class EventQueue {
 public:
  static constexpr ecs::Tick late_ticks_max = 16;
  static constexpr std::size_t waiting_bytes_max = 1024 * 1024;
  static constexpr ecs::Tick held_ticks_max = 256;           ///< Time that an event waits for its entity.
  static constexpr std::size_t held_bytes_max = 256 * 1024;  ///< Part of waiting_bytes_max, for such events.

  /// Adds reliable events. Reason: "too many events". Some are missing then, so the connection must be closed.
  core::Status add(wire::Events&& message);
  /// Adds unreliable events; drops those that are late or do not fit.
  void add(const wire::EventBatch& batch);

  /// Removes the events of `tick` and of earlier ticks, except those that wait for their entity, and returns them.
  /// Valid until the next call. presence_of(event) is asked about events with an entity, and returns std::nullopt if
  /// they may wait.
  template <class PresenceOf>
  std::span<const ReceivedEvent> take_due(ecs::Tick tick, PresenceOf&& presence_of);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }  // events that wait for their tick or entity
  [[nodiscard]] const EventQueueStats& stats() const { return stats_; }

 private:
  static std::size_t weight(std::size_t bytes) { return bytes + sizeof(ReceivedEvent); }
  // Decides an event that is due, or lets it wait.
  bool decide(ReceivedEvent& event, std::optional<Presence> presence) const;
  std::span<const ReceivedEvent> finish(std::size_t held_bytes);
  void release_oldest(std::size_t held_bytes);

  std::vector<ReceivedEvent> waiting_;
  std::vector<ReceivedEvent> due_;
  std::size_t waiting_bytes_ = 0;
  ecs::Tick reached_ = 0;
  EventQueueStats stats_;
};

template <class PresenceOf>
std::span<const ReceivedEvent> EventQueue::take_due(ecs::Tick tick, PresenceOf&& presence_of) {
  reached_ = std::max(reached_, tick);
  due_.clear();
  std::size_t kept = 0;
  std::size_t held_bytes = 0;
  for (ReceivedEvent& event : waiting_) {
    const bool reached = event.tick <= tick;
    if (reached && (!event.about || decide(event, presence_of(event)))) {
      due_.push_back(std::move(event));
      continue;
    }
    if (reached) held_bytes += weight(event.bytes.size());
    if (&event != &waiting_[kept]) waiting_[kept] = std::move(event);
    ++kept;
  }
  waiting_.resize(kept);
  return finish(held_bytes);
}

}  // namespace mobula::client
