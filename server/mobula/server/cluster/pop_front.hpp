// The queues of what is polled.
#pragma once

#include <deque>
#include <optional>
#include <utility>

namespace mobula::cluster {

/// Removes the first element and returns it. Null if there is none.
template <class T>
std::optional<T> pop_front(std::deque<T>& queue) {
  if (queue.empty()) return std::nullopt;
  T first = std::move(queue.front());
  queue.pop_front();
  return first;
}

}  // namespace mobula::cluster
