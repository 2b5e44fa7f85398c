// Selection and encoding of what goes out of a view in a tick.
#include <algorithm>
#include <mobula/core/golomb.hpp>
#include <mobula/server/replication/client_view.hpp>

namespace mobula::server {
namespace {

// Expected size of an encoded delta that has not been made yet.
constexpr std::size_t expected_bits = 48;
constexpr std::size_t bits_of_lists = 64;  // counts, and padding of the last byte
// Waiting time, in ticks, of an entity that the client has nothing of; it rises by one every new_deltas_per_tick
// deltas. That is ahead of most changes, but not of all while thousands of entities gain visibility.
constexpr float new_waiting = 8;
constexpr float new_deltas_per_tick = 8;

}  // namespace

// Selection -----------------------------------------------------------------------------------------------------------

void ClientView::trim_moving() {
  for (std::size_t word = 0; word < moving_ids_.words().size(); ++word)
    core::each_bit(moving_ids_.words()[word], word * core::BitSet::word_bits, [&](std::size_t id) {
      if (newest_tick_ - slots_[id].baseline > wire::moving_age_max) moving_ids_.erase(id);
    });
}

void ClientView::find_candidates() {
  trim_moving();
  std::uint32_t moving_before = 0;
  for (std::size_t word = 0; word < pending_ids_.words().size(); ++word) {
    const std::uint64_t moving = moving_ids_.words()[word];
    const std::uint64_t pending = pending_ids_.words()[word];
    core::each_bit(moving | pending, 0, [&](std::size_t bit) {
      const bool moves = (moving >> bit & 1) != 0;
      if ((pending >> bit & 1) != 0)
        work_.candidates.push_back(
            {static_cast<std::uint32_t>(word * core::BitSet::word_bits + bit), moving_before, moves});
      moving_before += moves ? 1 : 0;
    });
  }
}

std::size_t ClientView::expected_bytes() const { return work_.candidates.size() * expected_bits / 8; }

float ClientView::waiting(std::uint32_t id, ecs::Tick tick) const {
  const Slot& slot = slots_[id];
  if (slot.state != State::visible) return 1e30f;  // few bits, and they free an id
  const ecs::Tick last = std::max(slot.sent, slot.baseline);
  if (last == 0) return new_waiting + static_cast<float>(sent_.last() + 1 - slot.first_sequence) / new_deltas_per_tick;
  return static_cast<float>(tick - last);
}

// Keeps the candidates in the order of their ids.
void ClientView::keep_most_important(std::size_t bytes_max) {
  const std::size_t count = std::max<std::size_t>(bytes_max * 8 / expected_bits, 1);
  if (count >= work_.candidates.size()) return;
  const auto end = work_.candidates.begin() + static_cast<std::ptrdiff_t>(count);
  const auto more = [](const Candidate& a, const Candidate& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.id < b.id;
  };
  std::nth_element(work_.candidates.begin(), end, work_.candidates.end(), more);
  work_.candidates.erase(end, work_.candidates.end());
  std::sort(work_.candidates.begin(), work_.candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
}

void ClientView::make_lists(ecs::Tick tick) {
  for (List* each : {&work_.moving, &work_.changed, &work_.gained, &work_.lost}) {
    each->items.clear();
    each->next = 0;
  }
  work_.large.clear();
  for (const Candidate& candidate : work_.candidates) {
    if (bodies_ != nullptr && is_under_way(candidate.id)) continue;  // stays pending
    const EncodedDeltaCache::EncodedDelta bits = delta_of(candidate.id);
    if (bits.available() && bits.count() <= wire::listed_bits_max) {
      (candidate.moving ? work_.moving : work_.changed).items.push_back({candidate.id, candidate.moving_before, bits});
    } else {
      list_removal_or_full(candidate.id);
    }
  }
  chosen_ =
      work_.moving.items.size() + work_.changed.items.size() + work_.gained.items.size() + work_.lost.items.size();
  listed_ = true;
  if (!work_.large.empty()) begin_bodies(tick);
}

// Returns the delta of an id. Not available if there is no baseline.
EncodedDeltaCache::EncodedDelta ClientView::delta_of(std::uint32_t id) const {
  const Slot& slot = slots_[id];
  if (slot.state != State::visible || slot.baseline == 0 ||
      slot.baseline < std::max(published_.entity(slot.index).structure_tick, reset_of(id)))
    return EncodedDeltaCache::unavailable();
  return cache_.delta(slot.index, slot.baseline, previous_baseline_of(slot), slot.owner);
}

// Lists an id that lost visibility, or whose full state is to be sent.
void ClientView::list_removal_or_full(std::uint32_t id) {
  const Slot& slot = slots_[id];
  if (slot.state != State::visible) return work_.lost.items.push_back({id, 0, EncodedDeltaCache::empty()});
  if (is_encoded_against_level(slot)) return list_full(id, cache_.delta_from_level(slot.index));
  if (prototypes_.find_or_want(published_.entity(slot.index).prototype) == AnnouncedPrototypes::unknown)
    return;  // stays pending
  list_full(id, cache_.full_state(slot.index, slot.owner));
}

void ClientView::list_full(std::uint32_t id, EncodedDeltaCache::EncodedDelta bits) {
  (bits.count() <= wire::listed_bits_max ? work_.gained.items : work_.large).push_back({id, 0, bits});
}

// Whether the client has the entity's level state, with the same composition.
bool ClientView::matches_level(std::uint32_t index) const {
  const PublishedEntity& entity = published_.entity(index);
  return level_ != nullptr && level_->copy().contains(entity.entity) && entity.structure_tick <= level_->tick() &&
         published_.codecs().prototype_hash(entity.prototype) == level_->copy().prototype_hash(index);
}

// A wrong state at the client may be wrong in its level too: was_reset excludes the level as a baseline.
bool ClientView::is_encoded_against_level(const Slot& slot) const {
  return !slot.was_reset && !slot.owner && matches_level(slot.index);
}

// Writing -------------------------------------------------------------------------------------------------------------

// Number of entries of each list in the next datagram.
struct ClientView::Plan {
  std::size_t moving = 0;
  std::size_t changed = 0;
  std::size_t gained = 0;
  std::size_t lost = 0;
};

ClientView::Plan ClientView::plan(std::size_t room) const {
  Plan plan;
  std::uint32_t before = 0;
  const auto take = [&](std::span<const Item> items, auto&& bits_of) {
    std::size_t count = 0;
    for (const Item& item : items) {
      const std::size_t bits = bits_of(item, count == 0);
      if (bits > room) break;
      room -= bits;
      ++count;
    }
    return count;
  };
  plan.moving = take(work_.moving.rest(), [&](const Item& item, bool first) {
    const std::uint32_t flags = first ? 1 : item.moving_before - before;
    before = item.moving_before;
    return flags + item.bits.count() + (first ? core::golomb_bits(item.id, wire::first_id_order) : 0);
  });
  std::uint32_t next = 0;
  const auto listed = [&](const Item& item, bool first) {
    const std::uint32_t gap = first ? item.id : item.id - next;
    next = item.id + 1;
    return core::golomb_bits(gap, wire::id_order) + item.bits.count();
  };
  plan.changed = take(work_.changed.rest(), listed);
  plan.gained = take(work_.gained.rest(), [&](const Item& item, bool first) {
    const std::uint32_t index = slots_[item.id].index;
    return listed(item, first) + core::golomb_bits(index, wire::index_order) + 34 + 64;
  });
  plan.lost = take(work_.lost.rest(), [&](const Item& item, bool first) {
    const std::uint32_t index = slots_[item.id].index;
    return listed(item, first) + 2 + core::golomb_bits(index, wire::index_order);
  });
  return plan;
}

std::uint64_t ClientView::note_sent(std::uint32_t id, ecs::Tick tick) {
  Slot& slot = slots_[id];
  slot.sent = tick;
  clear_pending(id);
  if (!verifies_ || slot.state != State::visible) return 0;
  const PublishedEntity& entity = published_.entity(slot.index);
  return entity.hash + (slot.owner ? entity.owner_hash : 0);
}

void ClientView::measure_item(std::uint32_t id, SentDeltas::Kind kind) {
  const Slot& slot = slots_[id];
  if (kind == SentDeltas::Kind::delta)
    return cache_.measure_delta(slot.index, slot.baseline, previous_baseline_of(slot), slot.owner, *measured_);
  if (is_encoded_against_level(slot)) return cache_.measure_delta_from_level(slot.index, *measured_);
  cache_.measure_full(slot.index, slot.owner, *measured_);
}

void ClientView::write_moving(std::size_t count, core::BitWriter& bits, ecs::Tick tick) {
  bits.write_golomb(static_cast<std::uint32_t>(count), wire::moving_count_order);
  if (count == 0) return;
  const std::span<const Item> items = work_.moving.rest().first(count);
  bits.write_golomb(items.front().id, wire::first_id_order);
  SentDeltas::Recorder recorder(sent_, SentDeltas::Kind::delta);
  std::uint32_t next = items.front().moving_before;
  for (const Item& item : items) {
    for (; next < item.moving_before; ++next) bits.write_bool(false);
    ++next;
    cache_.copy(true, item.bits, bits);
    if (measured_ != nullptr) measure_item(item.id, SentDeltas::Kind::delta);
    recorder.add(item.id, note_sent(item.id, tick));
  }
  work_.moving.next += count;
}

void ClientView::write_gained(std::uint32_t id, core::BitWriter& bits) {
  const Slot& slot = slots_[id];
  const bool known = is_encoded_against_level(slot);
  bits.write_golomb(slot.index, wire::index_order);
  bits.write_bool(known);
  if (known) return;
  bits.write(lives_[id].generation, 32);
  bits.write_bool(slot.owner);
  bits.write_golomb(prototypes_.find_or_want(published_.entity(slot.index).prototype), wire::prototype_order);
}

void ClientView::write_list(List& list, std::size_t count, SentDeltas::Kind kind, core::BitWriter& bits,
                            ecs::Tick tick) {
  bits.write_golomb(static_cast<std::uint32_t>(count), wire::count_order);
  SentDeltas::Recorder recorder(sent_, kind);
  std::uint32_t next = 0;
  for (const Item& item : list.rest().first(count)) {
    const Slot& slot = slots_[item.id];
    bits.write_golomb(item.id - next, wire::id_order);
    next = item.id + 1;
    if (kind == SentDeltas::Kind::full) write_gained(item.id, bits);
    if (kind == SentDeltas::Kind::lost) {
      bits.write_bool(slot.state == State::destroyed);
      bits.write_bool(slot.of_level);
      if (slot.of_level) bits.write_golomb(slot.index, wire::index_order);
    } else {
      cache_.copy(item.bits, bits);
      if (measured_ != nullptr) measure_item(item.id, kind);
    }
    recorder.add(item.id, note_sent(item.id, tick));
  }
  list.next += count;
}

std::size_t ClientView::write_delta(core::MutableBytes datagram, ecs::Tick tick,
                                    const wire::CommandFeedback& commands) {
  MOBULA_ASSERT(!has_chosen() || work_.user == this, "another view chose before this one had written all");
  if (!listed_) make_lists(tick);
  const bool may_carry = this->may_carry();
  if (sent_.unsettled() < SentDeltas::window_max) sent_.begin(tick);
  wire::DeltaHeader header{.sequence = sent_.last(),
                           .tick = sent_.last_tick(),
                           .ack = last_ack_,
                           .commands = commands,
                           .verifies = verifies_ && last_ack_ != 0,
                           .hash = hash_};
  const std::size_t begin = wire::header_size(header);
  core::BitWriter bits(datagram.subspan(begin));
  const Plan plan = may_carry ? this->plan((datagram.size() - begin) * 8 - bits_of_lists) : Plan{};
  MOBULA_ASSERT(!may_carry || !has_chosen() || plan.moving + plan.changed + plan.gained + plan.lost > 0,
                "every entity fits a datagram of its own");
  write_moving(plan.moving, bits, tick);
  write_list(work_.changed, plan.changed, SentDeltas::Kind::delta, bits, tick);
  write_list(work_.gained, plan.gained, SentDeltas::Kind::full, bits, tick);
  write_list(work_.lost, plan.lost, SentDeltas::Kind::lost, bits, tick);
  MOBULA_ASSERT(bits.ok(), "the planned entries fit");
  written_ += plan.moving + plan.changed + plan.gained + plan.lost;
  if (!may_carry) written_ = chosen_;
  header.complete = !has_pending() && !has_waiting_ && may_carry;
  wire::write_header(header, datagram);
  if (measured_ != nullptr) measured_->bytes += begin + bits.bytes();
  return begin + bits.bytes();
}

}  // namespace mobula::server
