#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/server/replication/delta_bodies.hpp>
#include <utility>

namespace mobula::server {

DeltaBodies::Body* DeltaBodies::begin(std::uint32_t id, ecs::Tick tick) {
  MOBULA_ASSERT(find(id) == nullptr, "an entity has one body at a time");
  Body* free = nullptr;
  for (Body& body : bodies_) {
    if (body.state == State::free) {
      free = &body;
    } else if (last_number_ + 1 - body.number >= wire::delta_bodies_kept) {
      return nullptr;  // the client would forget it
    }
  }
  if (free == nullptr) return nullptr;
  core::Bytes bytes = std::move(free->bytes);  // keeps its memory
  *free = {.state = State::sending, .id = id, .number = ++last_number_, .tick = tick, .bytes = std::move(bytes)};
  return free;
}

DeltaBodies::Body* DeltaBodies::find(std::uint32_t id) {
  const auto found =
      std::ranges::find_if(bodies_, [id](const Body& body) { return body.state != State::free && body.id == id; });
  return found == bodies_.end() ? nullptr : &*found;
}

void DeltaBodies::cancel(std::uint32_t id) {
  if (Body* body = find(id)) body->state = State::free;
}

wire::DeltaBody DeltaBodies::Body::part(std::size_t bytes_max) const {
  const core::ByteView rest = core::ByteView(bytes).subspan(queued);
  const core::ByteView part = rest.first(std::min(rest.size(), bytes_max));
  return {.number = number,
          .offset = static_cast<std::uint32_t>(queued),
          .size = static_cast<std::uint32_t>(bytes.size()),
          .bytes = {part.begin(), part.end()}};
}

template <class Condition>
DeltaBodies::Body* DeltaBodies::oldest(Condition&& condition) {
  Body* found = nullptr;
  for (Body& body : bodies_)
    if (condition(body) && (found == nullptr || body.number < found->number)) found = &body;
  return found;
}

DeltaBodies::Body* DeltaBodies::next_to_send() {
  return oldest([](const Body& body) { return body.state == State::sending && body.queued < body.bytes.size(); });
}

DeltaBodies::Body* DeltaBodies::next_delivered() {
  return oldest([](const Body& body) { return body.state == State::delivered; });
}

DeltaBodies::Body* DeltaBodies::announced_by(std::uint32_t sequence) {
  const auto found = std::ranges::find_if(
      bodies_, [&](const Body& body) { return body.state == State::announced && body.sequence == sequence; });
  return found == bodies_.end() ? nullptr : &*found;
}

const DeltaBodies::Body* DeltaBodies::received(std::uint32_t sequence) {
  Body* body = announced_by(sequence);
  if (body != nullptr) body->state = State::free;
  return body;
}

const DeltaBodies::Body* DeltaBodies::missing(std::uint32_t sequence) {
  Body* body = announced_by(sequence);
  if (body != nullptr) body->state = State::delivered;
  return body;
}

void DeltaBodies::begin_again() {
  std::array<Body*, wire::delta_bodies_kept> all{};
  std::ranges::transform(bodies_, all.begin(), [](Body& body) { return &body; });
  std::ranges::sort(all, {}, &Body::number);
  for (Body* body : all) {
    if (body->state == State::free) continue;
    body->state = State::sending;
    body->number = ++last_number_;
    body->queued = 0;
  }
}

bool DeltaBodies::any_unannounced() const {
  return std::ranges::any_of(
      bodies_, [](const Body& body) { return body.state == State::sending || body.state == State::delivered; });
}

}  // namespace mobula::server
