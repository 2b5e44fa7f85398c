#include <algorithm>
#include <iterator>
#include <mobula/client/connection/event_queue.hpp>
#include <mobula/core/format.hpp>
#include <tuple>

namespace mobula::client {

core::Status EventQueue::add(wire::Events&& message) {
  for (wire::Event& event : message.events) {
    const std::size_t bytes = weight(event.bytes.size());
    if (waiting_bytes_ + bytes > waiting_bytes_max)
      return core::Error{"too many events",
                         core::format("events that wait for their tick exceed {} bytes", waiting_bytes_max)};
    waiting_bytes_ += bytes;
    waiting_.push_back({message.tick, event.sequence, event.about, std::move(event.bytes)});
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
    waiting_.push_back({batch.tick, event.sequence, event.about, core::Bytes(event.bytes.begin(), event.bytes.end())});
  }
}

std::span<const ReceivedEvent> EventQueue::take_due(ecs::Tick tick) {
  reached_ = std::max(reached_, tick);
  due_.clear();
  const auto first_due =
      std::partition(waiting_.begin(), waiting_.end(), [&](const ReceivedEvent& event) { return event.tick > tick; });
  due_.assign(std::make_move_iterator(first_due), std::make_move_iterator(waiting_.end()));
  waiting_.erase(first_due, waiting_.end());
  for (const ReceivedEvent& event : due_) waiting_bytes_ -= weight(event.bytes.size());
  std::sort(due_.begin(), due_.end(), [](const ReceivedEvent& a, const ReceivedEvent& b) {
    return std::tie(a.tick, a.sequence) < std::tie(b.tick, b.sequence);
  });
  return due_;
}

}  // namespace mobula::client
