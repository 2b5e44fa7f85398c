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

std::size_t EffectTable::bucket_of(core::StringId32 name, std::uint64_t key) {
  std::uint64_t mixed = (key ^ std::uint64_t{name.value} << 32 ^ name.value) * 0x9e3779b97f4a7c15ull;
  mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ull;
  return static_cast<std::size_t>(mixed >> 32) % buckets;
}

EffectTable::Entry* EffectTable::find(const prediction::Effect& effect) {
  for (std::uint32_t at = first_[bucket_of(effect.name, effect.key)]; at != none; at = entries_[at].next)
    if (entries_[at].name == effect.name && entries_[at].key == effect.key) return &entries_[at];
  return nullptr;
}

void EffectTable::link(std::uint32_t place) {
  Entry& entry = entries_[place];
  entry.next = std::exchange(first_[bucket_of(entry.name, entry.key)], place);
}

void EffectTable::unlink(std::uint32_t place) {
  const Entry& entry = entries_[place];
  std::uint32_t* at = &first_[bucket_of(entry.name, entry.key)];
  while (*at != place) at = &entries_[*at].next;
  *at = entry.next;
}

void EffectTable::remove(std::uint32_t place) {
  const auto last = static_cast<std::uint32_t>(--size_);
  unlink(place);
  if (place == last) return;
  unlink(last);
  std::swap(entries_[place], entries_[last]);
  link(place);
}

std::uint32_t EffectTable::oldest_ended() const {
  std::uint32_t oldest = none;
  for (std::uint32_t place = 0; place < size_; ++place)
    if (!entries_[place].running && (oldest == none || entries_[place].tick < entries_[oldest].tick)) oldest = place;
  return oldest;
}

std::uint32_t EffectTable::take_place() {
  if (size_ == effects_max) {
    const std::uint32_t oldest = oldest_ended();
    if (oldest == none) return none;
    remove(oldest);
  }
  if (size_ == entries_.size()) entries_.emplace_back();
  return static_cast<std::uint32_t>(size_++);
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
  const std::uint32_t place = take_place();
  if (place == none) return void(++dropped_);
  Entry& entry = entries_[place];
  entry.name = effect.name;
  entry.key = effect.key;
  entry.tick = effect.tick;
  entry.running = true;
  entry.emitted = true;
  entry.payload.assign(effect.payload.begin(), effect.payload.end());
  link(place);
  notify(EffectNotice::Kind::begun, entry);
}

void EffectTable::settle(ecs::Tick tick) {
  for (std::uint32_t i = 0; i < size_;) {
    Entry& entry = entries_[i];
    if (entry.running && entry.tick <= tick) {
      entry.running = false;
      notify(entry.emitted ? EffectNotice::Kind::confirmed : EffectNotice::Kind::cancelled, entry);
    }
    if (!entry.running && tick - std::min(tick, entry.tick) > remembered_ticks) {
      remove(i);
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
  std::ranges::fill(first_, none);
}

std::size_t EffectTable::running() const {
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(size_),
                                                [](const Entry& each) { return each.running; }));
}

}  // namespace mobula::client
