#include <algorithm>
#include <mobula/server/client_view.hpp>

namespace mobula::server {

ClientView::ClientView(const ecs::Registry& registry, const wire::RowTable& rows)
    : registry_(registry), rows_(rows), in_flight_(wire::ack_history) {
  for (std::uint32_t index = 0; index < rows.index_end(); ++index)
    if (rows.entity(index).entity) enqueue(index);
}

void ClientView::enqueue(std::uint32_t index) {
  if (index >= known_.size()) known_.resize(std::max(index + 1, rows_.index_end()));
  if (known_[index].pending) return;
  known_[index].pending = true;
  pending_.push_back(index);
}

void ClientView::on_published(std::span<const std::uint32_t> indices) {
  for (const std::uint32_t index : indices) enqueue(index);
}

core::Status ClientView::acknowledge(const wire::InputHeader& input) {
  if (input.newest > last_sequence_)
    return core::Error{"acknowledges the future", "the client acknowledges delta " + std::to_string(input.newest) +
                                                      ", the last sent is " + std::to_string(last_sequence_)};
  if (input.ack <= last_ack_) return core::Done{};
  last_ack_ = input.ack;
  for (; resolved_ < input.newest; ++resolved_) {
    const std::uint32_t sequence = resolved_ + 1;
    std::vector<Carried>& carried = in_flight_[sequence % wire::ack_history];
    const bool applied = input.has(input.newest - sequence);
    for (const Carried& entity : carried) applied ? delivered(entity, sequence) : lost(entity, sequence);
    carried.clear();
  }
  prototypes_.resolved(resolved_);
  return core::Done{};
}

void ClientView::delivered(const Carried& carried, std::uint32_t sequence) {
  Known& known = known_[carried.index];
  entities_ += (carried.generation != 0 ? 1u : 0u) - (known.generation != 0 ? 1u : 0u);
  hash_ += carried.hash - known.hash;
  known.hash = carried.hash;
  known.generation = carried.generation;
  known.tick = carried.tick;
  if (known.sequence == sequence) known.sequence = 0;
}

void ClientView::lost(const Carried& carried, std::uint32_t sequence) {
  Known& known = known_[carried.index];
  if (known.sequence != sequence) return;  // a later delta tells more
  known.sequence = 0;
  enqueue(carried.index);
}

ClientView::Need ClientView::need(std::uint32_t index, std::size_t& bits, const wire::DeltaWriter& writer) {
  const wire::EntityRow& now = rows_.entity(index);
  const Known& known = known_[index];
  if (known.sequence != 0 && known.sequence_tick >= now.tick && now.entity) return Need::nothing;
  if (!now.entity) {
    bits = wire::DeltaWriter::despawn_bits;
    const bool may_have_it = known.generation != 0 || known.sequence != 0;
    return may_have_it ? Need::despawn : Need::nothing;
  }
  if (known.generation == now.entity.generation && now.structure_tick <= known.tick) {
    bits = writer.update_bits(now, known.tick);
    return bits == 0 ? Need::nothing : Need::update;
  }
  if (prototypes_.find_or_want(now.prototype) == AnnouncedPrototypes::unknown) return Need::prototype;
  bits = writer.spawn_bits(now);
  return Need::spawn;
}

void ClientView::choose(std::size_t room_bits, const wire::DeltaWriter& writer) {
  deferred_.clear();
  while (!pending_.empty()) {
    const std::uint32_t index = pending_.front();
    std::size_t bits = 0;
    const Need needed = need(index, bits, writer);
    if (needed == Need::nothing || needed == Need::prototype) {
      if (needed == Need::prototype) deferred_.push_back(index);
    } else {
      if (bits > room_bits) break;  // Publisher made sure that every entity fits an empty datagram
      room_bits -= bits;
      chosen_.push_back({index, needed});
    }
    known_[index].pending = false;
    pending_.pop_front();
  }
  for (const std::uint32_t index : deferred_) enqueue(index);
  std::sort(chosen_.begin(), chosen_.end(), [](const Choice& a, const Choice& b) { return a.index < b.index; });
}

void ClientView::write(const Choice& choice, wire::DeltaWriter& writer, ecs::Tick tick) {
  const wire::EntityRow& now = rows_.entity(choice.index);
  Known& known = known_[choice.index];
  switch (choice.need) {
    case Need::update: writer.update(now, known.tick); break;
    case Need::spawn: writer.spawn(now, prototypes_.find_or_want(now.prototype)); break;
    default: writer.despawn(choice.index); break;
  }
  known.sequence = last_sequence_;
  known.sequence_tick = tick;
  in_flight_[last_sequence_ % wire::ack_history].push_back({choice.index, now.entity.generation, tick, now.hash});
}

bool ClientView::open_window() {
  if (in_flight() < window_max) ++last_sequence_;
  return in_flight() < window_max;  // the last one of a window carries nothing, so that it may be repeated
}

std::size_t ClientView::write_delta(core::MutableBytes datagram, ecs::Tick tick) {
  chosen_.clear();
  wire::DeltaWriter writer(datagram, registry_, rows_);
  if (open_window()) choose((datagram.size() - wire::delta_header_size) * 8, writer);
  for (const Choice& choice : chosen_) write(choice, writer, tick);
  MOBULA_ASSERT(writer.ok(), "what was chosen fits");
  wire::write_header({.sequence = last_sequence_,
                      .tick = tick,
                      .verified_ack = last_ack_,
                      .entities = writer.entities(),
                      .complete = pending_.empty(),
                      .verified_hash = hash_},
                     datagram);
  return writer.size();
}

}  // namespace mobula::server
