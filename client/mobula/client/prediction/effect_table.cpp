#include <algorithm>
#include <mobula/client/prediction/effect_table.hpp>
#include <utility>

namespace mobula::client {

void EffectTable::clear_notices() {
  kinds_.clear();
  noticed_.clear();
}

void EffectTable::begin_pass(ecs::Tick tick) {
  for (std::size_t i = 0; i < size_; ++i)
    if (entries_[i].running && entries_[i].tick > tick) entries_[i].emitted = false;
}

EffectTable::Entry* EffectTable::find(const prediction::Effect& effect) {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(size_);
  const auto found = std::find_if(
      entries_.begin(), end, [&](const Entry& each) { return each.name == effect.name && each.key == effect.key; });
  return found == end ? nullptr : &*found;
}

void EffectTable::notify(EffectNotice::Kind kind, const Entry& entry) {
  kinds_.push_back(kind);
  noticed_.add({entry.name, entry.key, entry.tick, entry.payload});
}

void EffectTable::emit(const prediction::Effect& effect) {
  if (Entry* const known = find(effect)) {
    if (!known->running) known->tick = std::max(known->tick, effect.tick);
    if (!known->running || known->emitted) return;
    known->emitted = true;
    known->tick = effect.tick;
    return;
  }
  if (size_ == effects_max) return void(++dropped_);
  if (size_ == entries_.size()) entries_.emplace_back();
  Entry& entry = entries_[size_++];
  entry.name = effect.name;
  entry.key = effect.key;
  entry.tick = effect.tick;
  entry.running = true;
  entry.emitted = true;
  entry.payload.assign(effect.payload.begin(), effect.payload.end());
  notify(EffectNotice::Kind::begun, entry);
}

void EffectTable::settle(ecs::Tick tick) {
  for (std::size_t i = 0; i < size_;) {
    Entry& entry = entries_[i];
    if (entry.running && entry.tick <= tick) {
      entry.running = false;
      notify(entry.emitted ? EffectNotice::Kind::confirmed : EffectNotice::Kind::cancelled, entry);
    }
    if (!entry.running && tick - std::min(tick, entry.tick) > remembered_ticks) {
      std::swap(entry, entries_[--size_]);
    } else {
      ++i;
    }
  }
}

void EffectTable::cancel_running() {
  for (std::size_t i = 0; i < size_; ++i)
    if (std::exchange(entries_[i].running, false)) notify(EffectNotice::Kind::cancelled, entries_[i]);
}

void EffectTable::clear() {
  cancel_running();
  size_ = 0;
}

std::size_t EffectTable::running() const {
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(size_),
                                                [](const Entry& each) { return each.running; }));
}

}  // namespace mobula::client
