#include <algorithm>
#include <mobula/client/connection/event_queue.hpp>
#include <mobula/core/format.hpp>
#include <tuple>

namespace mobula::client {
namespace {

bool is_earlier(const ReceivedEvent& a, const ReceivedEvent& b) {
  return std::tie(a.tick, a.sequence) < std::tie(b.tick, b.sequence);
}

}  // namespace

core::Status EventQueue::add(wire::Events&& message) {
  for (wire::Event& event : message.events) {
    const std::size_t bytes = weight(event.bytes.size());
    if (waiting_bytes_ + bytes > waiting_bytes_max)
      return core::Error{"too many events",
                         core::format("events that wait for their tick exceed {} bytes", waiting_bytes_max)};
    waiting_bytes_ += bytes;
    waiting_.push_back({.tick = message.tick,
                        .sequence = event.sequence,
                        .about = event.about,
                        .bytes = std::move(event.bytes),
                        .reliable = true});
  }
  return core::Done{};
}

void EventQueue::add(const wire::EventBatch& batch) {
  if (std::uint64_t{batch.tick} + late_ticks_max < reached_) {
    stats_.late += batch.events.size();
    return;
  }
  for (const wire::EventBatch::Event& event : batch.events) {
    const std::size_t bytes = weight(event.bytes.size());
    if (waiting_bytes_ + bytes > waiting_bytes_max) {
      ++stats_.dropped;
      continue;
    }
    waiting_bytes_ += bytes;
    waiting_.push_back({.tick = batch.tick,
                        .sequence = event.sequence,
                        .about = event.about,
                        .bytes = core::Bytes(event.bytes.begin(), event.bytes.end())});
  }
}

bool EventQueue::decide(ReceivedEvent& event, std::optional<Presence> presence) const {
  event.presence = presence.value_or(Presence::unknown);
  return presence || std::uint64_t{event.tick} + held_ticks_max < reached_;
}

std::span<const ReceivedEvent> EventQueue::finish(std::size_t held_bytes) {
  if (held_bytes > held_bytes_max) release_oldest(held_bytes);
  std::sort(due_.begin(), due_.end(), is_earlier);
  for (const ReceivedEvent& event : due_) {
    waiting_bytes_ -= weight(event.bytes.size());
    if (event.presence == Presence::unknown) ++stats_.unknown;
  }
  return due_;
}

void EventQueue::release_oldest(std::size_t held_bytes) {
  std::sort(waiting_.begin(), waiting_.end(), is_earlier);
  auto next = waiting_.begin();
  for (; held_bytes > held_bytes_max; ++next) {
    held_bytes -= weight(next->bytes.size());
    due_.push_back(std::move(*next));
  }
  waiting_.erase(waiting_.begin(), next);
}

}  // namespace mobula::client
