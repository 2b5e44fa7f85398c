#include <algorithm>
#include <mobula/server/replication/client_view.hpp>
#include <utility>

namespace mobula::server {

ClientView::ClientView(Published& published, EncodedDeltaCache& strings, ViewWorkspace& workspace, bool verifies)
    : published_(published), strings_(strings), work_(workspace), verifies_(verifies), sent_(verifies) {}

// Which are seen ------------------------------------------------------------------------------------------------------

std::uint32_t ClientView::take_id() {
  while (lowest_free_ < slots_.size() && slots_[lowest_free_].state != State::free) ++lowest_free_;
  if (lowest_free_ == slots_.size()) {
    slots_.emplace_back();
    lives_.emplace_back();
    seen_.push_back(none);
    pending_ids_.make_room(slots_.size());
    moving_ids_.make_room(slots_.size());
    if (verifies_) hashes_.push_back(0);
  }
  return lowest_free_++;
}

void ClientView::free_id(std::uint32_t id) {
  Slot& slot = slots_[id];
  note_told(id);
  moving_ids_.erase(id);
  seen_[id] = none;
  if (verifies_) hash_ -= std::exchange(hashes_[id], 0);
  if (leaves_level(slot)) --leaving_level_;
  slot = {};
  lives_[id] = {};
  --used_ids_;
  lowest_free_ = std::min(lowest_free_, id);
}

std::uint32_t ClientView::find(std::uint32_t index) const {
  return static_cast<std::uint32_t>(std::ranges::find(seen_, index) - seen_.begin());
}

bool ClientView::enter(std::uint32_t index, bool owner) {
  const PublishedEntity& entity = published_.entity(index);
  MOBULA_ASSERT(entity.entity, "what comes into view is published");
  if (has_pristine(index)) {  // the client has it, as it is, and does not know of an owner
    if (owner) slots_[take_pristine_slot(index)].owner = true;
    return true;
  }
  const auto leaves = [&](const Slot& slot) { return leaves_level(slot) && slot.index == index; };
  const bool still_leaves = leaving_level_ > 0 && std::any_of(slots_.begin(), slots_.end(), leaves);
  // Whatever the client has of the level may need an id of its own, once.
  const std::uint32_t reserved = level_ != nullptr ? level_->copy().range().count : 0;
  if (still_leaves || used_ids_ >= wire::ids_max - reserved) {
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
  slot.state = State::seen;
  slot.born = sent_.last() + 1;
  lives_[id] = {.generation = generation};
  seen_[id] = index;
  note_pending(id);
  return id;
}

// Of an entity of which the client has what the level has.
std::uint32_t ClientView::take_level_slot(std::uint32_t index) {
  const std::uint32_t id = take_slot(index, level_->copy().range().generation);
  slots_[id].of_level = true;
  if (verifies_) hashes_[id] = level_->copy().hash(index);
  return id;
}

// Of one that is as in the level, and of which there is something to tell all the same.
std::uint32_t ClientView::take_pristine_slot(std::uint32_t index) {
  const ecs::EntityRange& range = level_->copy().range();
  told_anew_.resize(range.count);
  told_anew_[index - range.first] = true;
  return take_level_slot(index);
}

void ClientView::begin_with(std::shared_ptr<const LevelOffer> level) {
  level_ = std::move(level);
  stirred_seen_ = level_->stirred().size();
  if (verifies_) hash_ = level_->hash();
}

// What the client has of the level is no longer so: from now on it has an id.
bool ClientView::note_stirred() {
  if (level_ == nullptr || stirred_seen_ == level_->stirred().size()) return false;
  for (; stirred_seen_ < level_->stirred().size(); ++stirred_seen_) {
    const std::uint32_t index = level_->stirred()[stirred_seen_];
    if (is_told_anew(index)) continue;
    const std::uint32_t id = take_level_slot(index);
    if (!is_alive(id)) begin_leaving(id, State::destroyed);
  }
  return true;
}

void ClientView::leave(std::span<const std::uint32_t> indices) {
  for (std::uint32_t id = 0; id < seen_.size() && !indices.empty(); ++id) {
    if (seen_[id] != indices.front()) continue;
    begin_leaving(id, State::out_of_view);
    indices = indices.subspan(1);
  }
  MOBULA_ASSERT(indices.empty(), "what goes out of view was seen");
}

void ClientView::begin_leaving(std::uint32_t id, State state) {
  if (slots_[id].sent == 0 && !slots_[id].of_level) return free_id(id);  // the client never heard of it
  slots_[id].state = state;
  seen_[id] = none;
  if (slots_[id].of_level) ++leaving_level_;
  note_pending(id);
}

void ClientView::set_owner(std::uint32_t id, bool owner) {
  if (slots_[id].owner == owner) return;
  slots_[id].owner = owner;
  tell_anew(id);
}

bool ClientView::is_alive(std::uint32_t id) const {
  const PublishedEntity& now = published_.entity(slots_[id].index);
  const bool as_it_was = now.entity && now.structure_tick <= slots_[id].sent;
  return as_it_was || now.entity.generation == lives_[id].generation;
}

bool ClientView::sees(ecs::Entity entity) const {
  for (std::uint32_t id = 0; id < slots_.size(); ++id)
    if ((slots_[id].state == State::seen || slots_[id].state == State::destroyed) && slots_[id].index == entity.index &&
        lives_[id].generation == entity.generation)
      return true;
  return false;
}

bool ClientView::has_pristine(ecs::Entity entity) const {
  return has_pristine(entity.index) && level_->copy().contains(entity);
}

bool ClientView::note_published() {
  has_waiting_ = false;
  const bool more_is_seen = note_stirred();
  const ecs::Tick noted = std::exchange(noted_, published_.last_change());
  if (noted == noted_) return more_is_seen;
  const bool in_one_tick = noted == published_.change_before();
  for (std::uint32_t id = 0; id < seen_.size(); ++id) {
    const std::uint32_t index = seen_[id];
    if (index == none || (in_one_tick && !published_.changed_last(index))) continue;
    if (published_.changed(index, slots_[id].owner) <= slots_[id].sent) continue;
    is_alive(id) ? note_pending(id) : begin_leaving(id, State::destroyed);
  }
  return more_is_seen;
}

std::span<const std::uint32_t> ClientView::seen() {
  work_.seen.clear();
  for (const std::uint32_t index : seen_)
    if (index != none) work_.seen.push_back(index);
  return work_.seen;
}

// What the client has -------------------------------------------------------------------------------------------------

core::Status ClientView::acknowledge(const wire::InputDatagram& input) {
  if (input.newest > sent_.last())
    return core::Error{"acknowledges the future", "the client acknowledges delta " + std::to_string(input.newest) +
                                                      ", the last sent is " + std::to_string(sent_.last())};
  if (input.ack <= last_ack_) return core::Done{};
  last_ack_ = input.ack;
  sent_.acknowledge(
      input, [&](const SentDeltas::Delta& delta) { came(delta); },
      [&](const SentDeltas::Delta& delta) { lost(delta); });
  prototypes_.resolved(sent_.settled());
  return core::Done{};
}

// Whether it is of who had the id before.
bool ClientView::is_of_former(std::uint32_t sequence, std::uint32_t id) const {
  return slots_[id].state == State::free || sequence < slots_[id].born;
}

void ClientView::came(const SentDeltas::Delta& delta) {
  newest_tick_ = std::max(newest_tick_, delta.tick);
  sent_.each(delta, [&](std::uint32_t id, SentDeltas::Kind kind, std::uint64_t hash) {
    if (is_of_former(delta.sequence, id)) return;
    if (kind == SentDeltas::Kind::gone) {
      free_id(id);
    } else if (Slot& slot = slots_[id]; delta.tick <= slot.b1) {
      came_late(id, delta.tick, kind == SentDeltas::Kind::whole);
    } else {
      const ecs::Tick steps = delta.tick - slot.b1;
      const bool whole = kind == SentDeltas::Kind::whole;
      const bool near = slot.b1 != 0 && !whole && steps <= wire::b2_age_max;
      slot.older = near ? static_cast<std::uint32_t>((std::uint64_t{slot.older} << 1 | 1) << (steps - 1)) : 0;
      slot.b1 = delta.tick;
      moving_ids_.insert(id);
      if (leaves_level(slot)) --leaving_level_;
      slot.of_level = false;
      if (whole) lives_[id].whole = delta.tick;
      if (verifies_) hash_ += hash - std::exchange(hashes_[id], hash);
    }
  });
}

// A state that is not newer than what it has.
void ClientView::came_late(std::uint32_t id, ecs::Tick tick, bool whole) {
  Slot& slot = slots_[id];
  if (tick < slot.b1 && tick > lives_[id].whole && slot.b1 - tick <= wire::b2_age_max) {
    const std::uint32_t place = slot.b1 - tick - 1;
    if (whole) slot.older &= (1u << place) - 1;
    slot.older |= 1u << place;
  }
  if (whole) lives_[id].whole = std::max(lives_[id].whole, tick);
}

void ClientView::lost(const SentDeltas::Delta& delta) {
  sent_.each(delta, [&](std::uint32_t id, SentDeltas::Kind /*kind*/, std::uint64_t /*hash*/) {
    if (slots_[id].sent == delta.tick && !is_of_former(delta.sequence, id)) note_pending(id);
  });
}

void ClientView::check() const {
  std::size_t pending = 0;
  std::size_t leaving_level = 0;
  std::uint64_t hash = 0;
  std::size_t used = 0;
  for (std::size_t id = 0; id < slots_.size(); ++id) {
    const Slot& slot = slots_[id];
    pending += pending_ids_.contains(id) ? 1 : 0;
    used += slot.state != State::free ? 1 : 0;
    leaving_level += leaves_level(slot) ? 1 : 0;
    if (verifies_) hash += hashes_[id];
    MOBULA_ASSERT(slot.state != State::free || !pending_ids_.contains(id), "nothing is sent of what is not seen");
    MOBULA_ASSERT(seen_[id] == (slot.state == State::seen ? slot.index : none), "what is seen is listed");
    const bool moving = slot.b1 != 0 && newest_tick_ - slot.b1 <= wire::moving_age_max;
    MOBULA_ASSERT(!moving || moving_ids_.contains(id), "what moves is listed");
    MOBULA_ASSERT(lives_[id].whole <= slot.b1, "a whole state is among those that the client has");
  }
  MOBULA_ASSERT(pending == pending_ && used == used_ids_ && leaving_level == leaving_level_ && hash == hash_,
                "sums are those of the slots");
}

}  // namespace mobula::server
