#include <mobula/server/host/forward_queue.hpp>
#include <mobula/server/interest/ghost.hpp>
#include <utility>

namespace mobula::server {

void ForwardQueue::add(std::vector<wire::Forward>&& abroad, core::Nanoseconds now) {
  for (wire::Forward& each : abroad) {
    if (bytes_ + weight(each) > bytes_max) {
      ++dropped_;
      continue;
    }
    bytes_ += weight(each);
    waiting_.push_back({std::move(each), now});
  }
}

void ForwardQueue::update(World& world, core::Nanoseconds now, const Send& send) {
  std::erase_if(waiting_, [&](Waiting& each) {
    const std::size_t bytes = weight(each.content);
    const bool over = advance(world, each, now, send);
    if (over) bytes_ -= bytes;
    return over;
  });
}

// Returns true if it waits no longer.
bool ForwardQueue::advance(World& world, Waiting& waiting, core::Nanoseconds now, const Send& send) {
  wire::Forward& content = waiting.content;
  const core::Nanoseconds waited = now - waiting.since;
  const auto* const ghost = std::as_const(world.registry()).try_get<const Ghost>(content.entity);
  if (world.registry().valid(content.entity) && ghost == nullptr) {
    world.messages().receive(std::move(content));
    return true;
  }
  if (ghost != nullptr && content.passed < passed_max && (content.passed == 0 || waited >= wait_for_entity)) {
    ++content.passed;
    if (send(ghost->neighbour, content)) {
      ++passed_on_;
      return true;
    }
    --content.passed;
  }
  if (waited < patience) return false;
  ++dropped_;
  return true;
}

}  // namespace mobula::server
