// The rules of client::Mirror (mirror.cpp, delta_decoder.cpp), without values.
#include <algorithm>
#include <mobula/server/replication/shadow_mirror.hpp>
#include <utility>

namespace mobula::server {

void ShadowMirror::apply(std::uint32_t sequence) {
  CarriedStates::Delta& delta = carried_.at(sequence);
  const Arrival arrival{.sequence = sequence, .tick = delta.tick, .late = sequence < newest_};
  carried_.each(delta, [&](const Carried& entry) {
    switch (entry.kind) {
      case Carried::Kind::delta: return apply_delta(entry, delta.tick);
      case Carried::Kind::full: return apply_full(entry, arrival);
      case Carried::Kind::lost: return apply_lost(entry, arrival);
    }
  });
  delta.state = CarriedStates::State::applied;
  newest_ = std::max(newest_, sequence);
  newest_tick_ = std::max(newest_tick_, delta.tick);
  if (first_tick_ == 0) first_tick_ = delta.tick;
}

ShadowMirror::Known& ShadowMirror::at(std::uint32_t id) {
  if (id >= known_.size()) {
    known_.resize(id + std::size_t{1});
    shown_.resize(known_.size(), none);
    oldest_.resize(known_.size(), none);
  }
  return known_[id];
}

void ShadowMirror::take_ticks(Known& known) {
  if (known.ticks != none) return;
  if (free_ticks_.empty()) {
    free_ticks_.push_back(static_cast<std::uint32_t>(ticks_.size()));
    ticks_.emplace_back();
  }
  known.ticks = free_ticks_.back();
  free_ticks_.pop_back();
  ticks_[known.ticks].clear();
}

void ShadowMirror::free_ticks(Known& known) {
  if (known.ticks != none) free_ticks_.push_back(std::exchange(known.ticks, none));
}

void ShadowMirror::note_oldest(std::uint32_t id) {
  const Known& known = known_[id];
  oldest_[id] =
      known.shown && known.ticks != none && !ticks_[known.ticks].empty() ? ticks_[known.ticks].oldest() : none;
}

// Returns whether the client may have received a full state or a loss before the last one of its id. Both came between
// the same two commands, and a client does not read deltas that are late_max behind.
bool ShadowMirror::is_unordered(const Known& known, const Arrival& arrival) const {
  return known.interval == interval_ && arrival.sequence - known.sequence < wire::late_max;
}

// Notes that a full state or a loss of an id arrived, which may `depend` on what was there.
void ShadowMirror::note_arrival(Known& known, const Arrival& arrival, bool depends) {
  if (depends && is_unordered(known, arrival)) known.unsure_until = std::max(known.unsure_until, arrival.tick);
  known.interval = interval_;
  known.sequence = arrival.sequence;
}

void ShadowMirror::apply_delta(const Carried& entry, ecs::Tick tick) {
  Known& known = at(entry.id);
  if (known.entity != entry.entity || known.lost) return;
  known.newest_tick = std::max(known.newest_tick, tick);
  PictureTicks* const states = ticks(known);
  if (states == nullptr) return;
  states->add(tick);
  states->forget_before(moment_);
  if (known.shown) oldest_[entry.id] = states->oldest();
}

// Whether a full state is shown at an index that may have another entity.
bool ShadowMirror::may_show(const Carried& entry, const Arrival& arrival) const {
  return tick_at(entry.entity.index) < arrival.tick && (!arrival.late || !ended_since(entry.entity, arrival.tick));
}

// Whether a newer state of a despawned entity was received, or another entity had its index by that tick.
bool ShadowMirror::ended_since(ecs::Entity entity, ecs::Tick tick) const {
  for (std::uint32_t id = former_ids_.find(entity.index); id != none; id = known_[id].next)
    if (known_[id].newest_tick >= tick || (known_[id].destroyed && known_[id].former == entity)) return true;
  return false;
}

void ShadowMirror::set_former(std::uint32_t id, ecs::Entity former) {
  known_[id].former = former;
  if (!former) return;
  known_[id].next = former_ids_.find(former.index);
  former_ids_.set(former.index, id);
}

// Few ids had the same index before, as each of them was given up.
void ShadowMirror::drop_former(std::uint32_t id) {
  const ecs::Entity former = std::exchange(known_[id].former, {});
  if (!former) return;
  std::uint32_t at = former_ids_.find(former.index);
  const std::uint32_t next = std::exchange(known_[id].next, none);
  if (at != id) {
    while (known_[at].next != id) at = known_[at].next;
    known_[at].next = next;
  } else if (next != none) {
    former_ids_.set(former.index, next);
  } else {
    former_ids_.erase(former.index);
  }
}

void ShadowMirror::apply_full(const Carried& entry, const Arrival& arrival) {
  const ecs::Tick tick = arrival.tick;
  Known& known = at(entry.id);
  const bool continues = known.shown && known.entity == entry.entity;
  const bool newest = known.lost ? tick > known.lost_tick : known.entity != entry.entity || known.newest_tick < tick;
  const bool shown = newest && (continues || may_show(entry, arrival));
  const bool same = known.entity == entry.entity && !known.lost;
  const bool fits = same && known.prototype == entry.prototype && known.owner == entry.owner;
  note_arrival(known, arrival, !fits);
  if (newest && !fits) begin_phase(known, entry);
  if (!newest && !fits) return;
  known.first_tick = std::min(known.first_tick, tick);
  known.newest_tick = std::max(known.newest_tick, tick);
  if (PictureTicks* const states = ticks(known)) states->add(tick);
  if (shown) bring_in(entry.id);
  note_oldest(entry.id);
}

// Begins states of other components, of another owner, or of another entity.
void ShadowMirror::begin_phase(Known& known, const Carried& entry) {
  const bool same = known.entity == entry.entity && !known.lost;
  if (!same) replace(known, entry);
  known.entity = entry.entity;
  known.prototype = entry.prototype;
  known.owner = entry.owner;
  if (entry.kept && known.ticks == none) {
    take_ticks(known);
    if (same) ticks_[known.ticks].begin_bare();
  }
  if (PictureTicks* const states = ticks(known)) states->begin_phase(entry.owner);
}

void ShadowMirror::replace(Known& known, const Carried& entry) {
  const auto id = static_cast<std::uint32_t>(&known - known_.data());
  if (known.shown) {
    hide(id);
    set_stale(known.entity);
  }
  free_ticks(known);
  drop_former(id);
  const Known before = std::exchange(known, {});
  known.unsure_until = before.unsure_until;
  known.interval = before.interval;
  known.sequence = before.sequence;
  if (!is_as_loaded(entry.entity)) return;
  known.first_tick = level_->tick();
  take_ticks(known);
  ticks_[known.ticks].begin_of_level(level_->tick());
  here_[entry.entity.index - level_->copy().range().first] = false;
}

// Shows an entity. Whatever had its index, also the entity itself under another id, is no longer shown.
void ShadowMirror::bring_in(std::uint32_t id) {
  const ecs::Entity entity = known_[id].entity;
  const std::uint32_t before = ids_.find(entity.index);
  if (before != none && before != id) hide(before);
  if (level_ != nullptr) {
    const std::uint32_t place = entity.index - level_->copy().range().first;
    if (place < here_.size()) here_[place] = false;
  }
  std::erase_if(stale_, [&](ecs::Entity stale) { return stale.index == entity.index; });
  ids_.set(entity.index, id);
  shown_[id] = entity.index;
  known_[id].shown = true;
}

void ShadowMirror::hide(std::uint32_t id) {
  if (ids_.find(shown_[id]) == id) ids_.erase(shown_[id]);
  known_[id].shown = false;
  shown_[id] = oldest_[id] = none;
}

void ShadowMirror::set_stale(ecs::Entity entity) {
  if (stale_.size() == stale_max) stale_.erase(stale_.begin());
  stale_.push_back(entity);
}

void ShadowMirror::end_loaded(ecs::Entity entity, bool destroyed) {
  here_[entity.index - level_->copy().range().first] = false;
  if (!destroyed) set_stale(entity);
}

void ShadowMirror::apply_lost(const Carried& entry, const Arrival& arrival) {
  if (entry.of_level && is_as_loaded(entry.entity)) end_loaded(entry.entity, entry.destroyed);
  Known& known = at(entry.id);
  const bool is_unsure = is_unordered(known, arrival);  // the client may have received the loss first
  note_arrival(known, arrival, true);
  known.lost_tick = std::max(known.lost_tick, arrival.tick);
  if (std::exchange(known.lost, true)) return;
  set_former(entry.id, known.entity ? known.entity : entry.of_level ? entry.entity : ecs::null_entity);
  known.destroyed = entry.destroyed;
  free_ticks(known);
  if (!known.shown) return;
  hide(entry.id);
  if (is_unsure) {
    // Then it never had this state, and may show whatever it had at the index.
    set_stale({known.entity.index, any_generation});
  } else if (!entry.destroyed) {
    set_stale(known.entity);
  }
}

}  // namespace mobula::server
