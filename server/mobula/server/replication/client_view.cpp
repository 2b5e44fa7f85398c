#include <algorithm>
#include <mobula/server/replication/client_view.hpp>
#include <utility>

namespace mobula::server {

ClientView::ClientView(Published& published, EncodedDeltaCache& cache, ViewWorkspace& workspace, bool verifies)
    : published_(published), cache_(cache), work_(workspace), verifies_(verifies), sent_(verifies) {
  if (published.keeps_past()) shadow_ = std::make_unique<ShadowMirror>();
}

// Visibility ------------------------------------------------------------------------------------------------------

std::uint32_t ClientView::take_id() {
  while (lowest_free_ < slots_.size() && slots_[lowest_free_].state != State::free) ++lowest_free_;
  if (lowest_free_ == slots_.size()) {
    slots_.emplace_back();
    lives_.emplace_back();
    visible_.push_back(none);
    pending_ids_.make_room(slots_.size());
    moving_ids_.make_room(slots_.size());
    if (verifies_) hashes_.push_back(0);
  }
  return lowest_free_++;
}

void ClientView::free_id(std::uint32_t id) {
  Slot& slot = slots_[id];
  clear_pending(id);
  cancel_body(id);
  moving_ids_.erase(id);
  visible_[id] = none;
  if (verifies_) hash_ -= std::exchange(hashes_[id], 0);
  if (is_removed_from_level(slot)) --removed_from_level_;
  slot = {};
  lives_[id] = {};
  --used_ids_;
  lowest_free_ = std::min(lowest_free_, id);
}

std::uint32_t ClientView::find(std::uint32_t index) const {
  return static_cast<std::uint32_t>(std::ranges::find(visible_, index) - visible_.begin());
}

bool ClientView::add_visible(std::uint32_t index, bool owner) {
  const PublishedEntity& entity = published_.entity(index);
  MOBULA_ASSERT(entity.entity, "an entity that gains visibility is published");
  if (has_unmodified(index)) {  // the client has it, without an owner
    if (owner) slots_[take_unmodified_slot(index)].owner = true;
    return true;
  }
  const auto is_known = [&](const Slot& slot) { return is_removed_from_level(slot) && slot.index == index; };
  const bool still_known = removed_from_level_ > 0 && std::any_of(slots_.begin(), slots_.end(), is_known);
  // Each entity of the level may need an id of its own.
  const std::uint32_t reserved = level_ != nullptr ? level_->copy().range().count : 0;
  if (still_known || used_ids_ >= wire::ids_max - reserved) {
    has_waiting_ = true;
    return false;
  }
  slots_[take_slot(index, entity.entity.generation)].owner = owner;
  return true;
}

std::uint32_t ClientView::take_slot(std::uint32_t index, std::uint32_t generation) {
  const std::uint32_t id = take_id();
  ++used_ids_;
  Slot& slot = slots_[id];
  slot.index = index;
  slot.state = State::visible;
  slot.first_sequence = sent_.last() + 1;
  lives_[id] = {.generation = generation};
  visible_[id] = index;
  note_pending(id);
  return id;
}

// Takes a slot for an entity that the client has as the level has it.
std::uint32_t ClientView::take_level_slot(std::uint32_t index) {
  const std::uint32_t id = take_slot(index, level_->copy().range().generation);
  slots_[id].of_level = true;
  if (verifies_) hashes_[id] = level_->copy().hash(index);
  return id;
}

// Takes a slot for an unmodified entity, of which something is to be sent all the same.
std::uint32_t ClientView::take_unmodified_slot(std::uint32_t index) {
  const ecs::EntityRange& range = level_->copy().range();
  resent_.resize(range.count);
  resent_[index - range.first] = true;
  return take_level_slot(index);
}

void ClientView::begin_with_level(std::shared_ptr<const LevelOffer> level) {
  level_ = std::move(level);
  modified_seen_ = level_->modified().size();
  if (verifies_) hash_ = level_->hash();
  if (shadow_ != nullptr) shadow_->begin_with_level(level_);
}

// Gives ids to entities of the level that the client has and that have been modified.
bool ClientView::note_modified() {
  if (level_ == nullptr || modified_seen_ == level_->modified().size()) return false;
  for (; modified_seen_ < level_->modified().size(); ++modified_seen_) {
    const std::uint32_t index = level_->modified()[modified_seen_];
    if (is_resent(index)) continue;
    const std::uint32_t id = take_level_slot(index);
    if (!is_alive(id)) begin_removal(id, State::destroyed);
  }
  return true;
}

void ClientView::remove_visible(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> continuing) {
  for (std::uint32_t id = 0; id < visible_.size() && !indices.empty(); ++id) {
    if (visible_[id] != indices.front()) continue;
    begin_removal(id, State::out_of_view);
    if (!continuing.empty() && continuing.front() == indices.front()) {
      slots_[id].continues = slots_[id].state == State::out_of_view;
      continuing = continuing.subspan(1);
    }
    indices = indices.subspan(1);
  }
  MOBULA_ASSERT(indices.empty() && continuing.empty(), "an entity that loses visibility was visible");
}

void ClientView::begin_removal(std::uint32_t id, State state) {
  if (slots_[id].sent == 0 && !slots_[id].of_level) {  // the client has never received it
    if (state == State::destroyed) unsent_.push_back({slots_[id].index, lives_[id].generation});
    return free_id(id);
  }
  cancel_body(id);
  slots_[id].state = state;
  visible_[id] = none;
  if (slots_[id].of_level) ++removed_from_level_;
  note_pending(id);
}

void ClientView::set_owner(std::uint32_t id, bool owner) {
  if (slots_[id].owner == owner) return;
  slots_[id].owner = owner;
  resend(id);
}

bool ClientView::is_alive(std::uint32_t id) const {
  const PublishedEntity& now = published_.entity(slots_[id].index);
  const bool as_it_was = now.entity && now.structure_tick <= slots_[id].sent;
  return as_it_was || now.entity.generation == lives_[id].generation;
}

bool ClientView::is_visible(ecs::Entity entity) const {
  for (std::uint32_t id = 0; id < slots_.size(); ++id)
    if ((slots_[id].state == State::visible || slots_[id].state == State::destroyed) &&
        slots_[id].index == entity.index && lives_[id].generation == entity.generation)
      return true;
  return std::ranges::find(unsent_, entity) != unsent_.end();
}

bool ClientView::has_unmodified(ecs::Entity entity) const {
  return has_unmodified(entity.index) && level_->copy().contains(entity);
}

bool ClientView::note_published() {
  has_waiting_ = false;
  unsent_.clear();
  if (unsent_.capacity() > unsent_kept_max) unsent_.shrink_to_fit();
  const bool more_is_seen = note_modified();
  const ecs::Tick noted = std::exchange(noted_, published_.last_change());
  if (noted == noted_) return more_is_seen;
  const bool in_one_tick = noted == published_.change_before();
  for (std::uint32_t id = 0; id < visible_.size(); ++id) {
    const std::uint32_t index = visible_[id];
    if (index == none || (in_one_tick && !published_.changed_last(index))) continue;
    if (published_.changed(index, slots_[id].owner) <= slots_[id].sent) continue;
    is_alive(id) ? note_pending(id) : begin_removal(id, State::destroyed);
  }
  return more_is_seen;
}

std::span<const std::uint32_t> ClientView::visible() {
  work_.visible.clear();
  for (const std::uint32_t index : visible_)
    if (index != none) work_.visible.push_back(index);
  return work_.visible;
}

// Acknowledgements -------------------------------------------------------------------------------------------------

core::Status ClientView::acknowledge(const wire::InputDatagram& input) {
  if (input.newest > sent_.last())
    return core::Error{"acknowledges the future", "the client acknowledges delta " + std::to_string(input.newest) +
                                                      ", the last sent is " + std::to_string(sent_.last())};
  if (input.ack <= last_ack_) return core::Done{};
  last_ack_ = input.ack;
  sent_.acknowledge(
      input, [&](const SentDeltas::Delta& delta) { handle_received(delta); },
      [&](const SentDeltas::Delta& delta) { handle_missing(delta); });
  prototypes_.resolved(sent_.settled());
  return core::Done{};
}

// Whether the delta carried the entity that had the id before.
bool ClientView::is_of_former_entity(std::uint32_t sequence, std::uint32_t id) const {
  return slots_[id].state == State::free || sequence < slots_[id].first_sequence;
}

void ClientView::handle_received(const SentDeltas::Delta& delta) {
  const DeltaBodies::Body* const body = bodies_ != nullptr ? bodies_->received(delta.sequence) : nullptr;
  if (shadow_ != nullptr) shadow_->note_acknowledged(delta.sequence);
  newest_tick_ = std::max(newest_tick_, delta.tick);
  feedback_received_ = feedback_received_ || delta.sequence >= feedback_sequence_;
  if (outcomes_sequence_ != 0 && delta.sequence >= outcomes_sequence_) {
    known_done_ = outcomes_done_;
    outcomes_sequence_ = 0;
  }
  sent_.each(delta, [&](std::uint32_t id, SentDeltas::Kind kind, std::uint64_t hash) {
    if (is_of_former_entity(delta.sequence, id)) return;
    if (kind == SentDeltas::Kind::lost) {
      free_id(id);
    } else if (Slot& slot = slots_[id]; delta.tick <= slot.baseline) {
      handle_received_late(id, delta.tick, kind == SentDeltas::Kind::full);
    } else {
      const ecs::Tick steps = delta.tick - slot.baseline;
      const bool full = kind == SentDeltas::Kind::full;
      const bool near = slot.baseline != 0 && !full && steps <= wire::previous_baseline_age_max;
      slot.older = near ? static_cast<std::uint32_t>((std::uint64_t{slot.older} << 1 | 1) << (steps - 1)) : 0;
      slot.baseline = delta.tick;
      moving_ids_.insert(id);
      if (is_removed_from_level(slot)) --removed_from_level_;
      slot.of_level = false;
      if (full) lives_[id].full = lives_[id].had = delta.tick;
      if (verifies_) hash_ += hash - std::exchange(hashes_[id], hash);
    }
  });
  if (body != nullptr) lives_[body->id].had = body->announced_at;
}

// Notes a state that is not newer than the baseline.
void ClientView::handle_received_late(std::uint32_t id, ecs::Tick tick, bool full) {
  Slot& slot = slots_[id];
  if (tick < slot.baseline && tick > lives_[id].full && slot.baseline - tick <= wire::previous_baseline_age_max) {
    const std::uint32_t place = slot.baseline - tick - 1;
    if (full) slot.older &= (1u << place) - 1;
    slot.older |= 1u << place;
  }
  if (!full) return;
  lives_[id].full = std::max(lives_[id].full, tick);
  lives_[id].had = std::max(lives_[id].had, tick);
}

void ClientView::handle_missing(const SentDeltas::Delta& delta) {
  if (bodies_ != nullptr && bodies_->missing(delta.sequence) != nullptr) return;  // it is announced again
  sent_.each(delta, [&](std::uint32_t id, SentDeltas::Kind /*kind*/, std::uint64_t /*hash*/) {
    if (slots_[id].sent == delta.tick && !is_of_former_entity(delta.sequence, id)) note_pending(id);
  });
}

void ClientView::check() const {
  std::size_t pending = 0;
  std::size_t removed_from_level = 0;
  std::uint64_t hash = 0;
  std::size_t used = 0;
  for (std::size_t id = 0; id < slots_.size(); ++id) {
    const Slot& slot = slots_[id];
    pending += pending_ids_.contains(id) ? 1 : 0;
    used += slot.state != State::free ? 1 : 0;
    removed_from_level += is_removed_from_level(slot) ? 1 : 0;
    if (verifies_) hash += hashes_[id];
    MOBULA_ASSERT(slot.state != State::free || !pending_ids_.contains(id), "a free id has nothing pending");
    MOBULA_ASSERT(visible_[id] == (slot.state == State::visible ? slot.index : none), "visible entities are listed");
    const bool moving = slot.baseline != 0 && newest_tick_ - slot.baseline <= wire::moving_age_max;
    MOBULA_ASSERT(!moving || moving_ids_.contains(id), "moving ids are listed");
    MOBULA_ASSERT(
        bodies_ == nullptr || slot.state == State::visible || bodies_->find(static_cast<std::uint32_t>(id)) == nullptr,
        "only visible entities have bodies");
    MOBULA_ASSERT(lives_[id].full <= slot.baseline, "the newest full state is not newer than the baseline");
  }
  MOBULA_ASSERT(pending == pending_ && used == used_ids_ && removed_from_level == removed_from_level_ && hash == hash_,
                "sums agree with the slots");
}

}  // namespace mobula::server
