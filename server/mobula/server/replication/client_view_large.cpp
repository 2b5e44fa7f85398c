// Entities that do not fit a datagram: their states become bodies, and deltas that announce these.
#include <algorithm>
#include <mobula/server/replication/client_view.hpp>

namespace mobula::server {

// Returns whether a state of an entity is on its way as a body. One that is of use no more is dropped.
bool ClientView::is_under_way(std::uint32_t id) {
  const DeltaBodies::Body* const body = bodies_->find(id);
  if (body != nullptr && !is_current(*body)) bodies_->cancel(id);
  return body != nullptr && body->state != DeltaBodies::State::free;
}

bool ClientView::is_current(const DeltaBodies::Body& body) const {
  return published_.entity(slots_[body.id].index).structure_tick <= body.tick;
}

// Freezes the listed states as far as bodies are free, those of the entities that have waited longest first.
void ClientView::begin_bodies(ecs::Tick tick) {
  if (bodies_ == nullptr) bodies_ = std::make_unique<DeltaBodies>();
  std::ranges::stable_sort(work_.large, std::ranges::greater(),
                           [&](const Item& item) { return waiting(item.id, tick); });
  for (const Item& item : work_.large) {
    DeltaBodies::Body* const body = bodies_->begin(item.id, tick);
    if (body == nullptr) return;
    freeze(item, *body);
  }
}

// Writes the body of a delta that has nothing but this full state.
void ClientView::freeze(const Item& item, DeltaBodies::Body& body) {
  work_.body.resize(wire::delta_body_bytes_max);
  core::BitWriter bits(work_.body);
  bits.write_golomb(0, wire::moving_count_order);
  bits.write_golomb(0, wire::count_order);
  bits.write_golomb(1, wire::count_order);
  bits.write_golomb(item.id, wire::id_order);
  write_gained(item.id, bits);
  cache_.copy(item.bits, bits);
  bits.write_golomb(0, wire::count_order);
  MOBULA_CHECK(bits.ok(), "an entity is at most as large as its composition allows");
  body.bytes.assign(work_.body.begin(), work_.body.begin() + static_cast<std::ptrdiff_t>(bits.bytes()));
  if (measured_ != nullptr) {
    measure_item(item.id, SentDeltas::Kind::full);
    measured_->bytes += body.bytes.size();
  }
  body.hash = note_sent(item.id, body.tick);
}

std::size_t ClientView::write_announcement(core::MutableBytes datagram, const wire::CommandFeedback& commands) {
  if (bodies_ == nullptr || !may_carry()) return 0;
  DeltaBodies::Body* body = bodies_->next_delivered();
  for (; body != nullptr && !is_current(*body); body = bodies_->next_delivered()) bodies_->cancel(body->id);
  if (body == nullptr) return 0;
  const wire::CommandFeedback feedback = feedback_to_send(commands);
  begin_delta(body->tick);
  SentDeltas::Recorder(sent_, SentDeltas::Kind::full).add(body->id, body->hash);
  carry(body->id, SentDeltas::Kind::full);
  body->state = DeltaBodies::State::announced;
  body->sequence = sent_.last();
  body->announced_at = published_.registry().tick();
  const wire::DeltaHeader header{.sequence = sent_.last(),
                                 .tick = body->tick,
                                 .ack = last_ack_,
                                 .commands = feedback,
                                 .complete = is_complete(),
                                 .verifies = carries_hash(),
                                 .hash = hash_,
                                 .body = body->number,
                                 .short_numbers = can_shorten(body->announced_at, body->tick)};
  const std::size_t size = wire::write_header(header, datagram);
  if (measured_ != nullptr) measured_->bytes += size;
  return size;
}

}  // namespace mobula::server
