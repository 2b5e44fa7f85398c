// Selection and encoding of what goes out of a view in a tick.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mobula/core/golomb.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr std::size_t bits_of_lists = 64;  // counts, and padding of the last byte
// Bits of an entry besides the encoded entity, at most.
constexpr std::size_t id_bits_max = core::golomb_bits(wire::ids_max - 1, wire::id_order);
constexpr std::size_t index_bits_max = core::golomb_bits(wire::entities_max_limit - 1, wire::index_order);
constexpr std::size_t lost_bits_max = id_bits_max + 3 + index_bits_max;
constexpr std::size_t gained_bits_max = id_bits_max + index_bits_max + 34 + 64;
// Waiting time, in ticks, of an entity that the client has nothing of; it rises by one every new_deltas_per_tick
// deltas. That is ahead of most changes, but not of all while thousands of entities gain visibility.
constexpr float new_waiting = 8;
constexpr float new_deltas_per_tick = 8;
constexpr std::uint32_t raised_max = 32;  // parents above one entity

}  // namespace

// Number of entries of each list in the next datagram.
struct ClientView::Plan {
  std::size_t moving = 0;
  std::size_t changed = 0;
  std::size_t gained = 0;
  std::size_t lost = 0;

  [[nodiscard]] std::size_t entries() const { return moving + changed + gained + lost; }
};

// Bits of the lengths of runs in the list of moving ids.
class ClientView::RunBits {
 public:
  // Adds an included id before which there are this number of moving ones. Returns the number of further bits.
  std::size_t add(std::uint32_t moving_before) {
    const std::uint32_t gap = run_ == 0 ? 0 : moving_before - last_ - 1;
    last_ = moving_before;
    if (run_ > 0 && gap == 0) {
      // A code is two bits longer from each power of two on.
      return std::has_single_bit(run_++ + (1u << wire::run_order)) ? 2 : 0;
    }
    run_ = 1;
    return core::golomb_bits(0, wire::run_order) + (gap == 0 ? 0 : core::golomb_bits(gap - 1, wire::gap_order));
  }

 private:
  std::uint32_t last_ = 0;
  std::uint32_t run_ = 0;  // ids of the run so far
};

// Size of the listed entries, at most.
struct ClientView::ListedSize {
  std::size_t bits = 0;
  std::size_t largest = 0;

  void add(std::span<const Item> items, std::size_t entry_bits) {
    for (const Item& item : items) {
      bits += item.bits.count();
      largest = std::max<std::size_t>(largest, item.bits.count());
    }
    bits += items.size() * entry_bits;
  }
  // Each datagram but the last one may be left with less room than one entry needs.
  [[nodiscard]] bool surely_fits(std::size_t datagrams, std::size_t room) const {
    const std::size_t wasted = largest + gained_bits_max;
    return wasted < room && bits + id_bits_max <= datagrams * (room - wasted);
  }
};

// Selection -----------------------------------------------------------------------------------------------------------

void ClientView::trim_moving() {
  moving_ids_.each([&](std::size_t id) {
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

float ClientView::waiting(std::uint32_t id, ecs::Tick tick) const {
  const Slot& slot = slots_[id];
  const ecs::Tick last = std::max(slot.sent, slot.baseline);
  if (last == 0) return new_waiting + static_cast<float>(sent_.last() + 1 - slot.first_sequence) / new_deltas_per_tick;
  return static_cast<float>(tick - last);
}

// Ranks entities that the client has nothing of just before the most important candidate below them. Otherwise a child
// could wait long for a parent that is far away, and would not be drawn until then.
void ClientView::raise_parents() {
  work_.above.clear();
  for (const Candidate& each : work_.candidates) {
    if (slots_[each.id].state != State::visible) continue;
    float priority = each.priority;
    std::uint32_t at = work_.parents->above(slots_[each.id].index);
    for (std::uint32_t depth = 0; depth < raised_max && at != InterestParents::none; ++depth) {
      priority = std::nextafter(priority, std::numeric_limits<float>::infinity());
      work_.above.push_back({at, priority});
      at = work_.parents->above(at);
    }
  }
  std::ranges::sort(work_.above, [](const ViewWorkspace::Above& a, const ViewWorkspace::Above& b) {
    return a.index != b.index ? a.index < b.index : a.priority > b.priority;
  });
  for (Candidate& each : work_.candidates) {
    const Slot& slot = slots_[each.id];
    if (slot.state != State::visible || slot.sent != 0) continue;
    const auto highest = std::ranges::lower_bound(work_.above, slot.index, {}, &ViewWorkspace::Above::index);
    if (highest != work_.above.end() && highest->index == slot.index)
      each.priority = std::max(each.priority, highest->priority);
  }
}

// Keeps the candidates in the order of their ids.
void ClientView::keep_most_important(std::size_t count) {
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

void ClientView::make_lists() {
  for (List* each : work_.lists()) {
    each->items.clear();
    each->next = 0;
  }
  work_.large.clear();
  uses_early_ = has_early_baselines();
  for (const Candidate& candidate : work_.candidates) {
    if (bodies_ != nullptr && is_under_way(candidate.id)) continue;  // stays pending
    const EncodedDeltaCache::EncodedDelta bits = delta_of(candidate.id);
    if (bits.available() && bits.count() <= wire::listed_bits_max(delta_bytes_)) {
      (candidate.moving ? work_.moving : work_.changed).items.push_back({candidate.id, candidate.moving_before, bits});
    } else {
      list_removal_or_full(candidate.id);
    }
  }
  chosen_ =
      work_.moving.items.size() + work_.changed.items.size() + work_.gained.items.size() + work_.lost.items.size();
  listed_ = true;
}

// Leaves out the least important candidates until the datagrams of this tick hold all others. Lists are in the order of
// ids, so without that the same entities would not fit in each tick. Runs once a tick has overflowed, until all clearly
// fits: those that did not fit then wait one tick longer than the others.
void ClientView::fit_lists(ecs::Tick tick) {
  ListedSize size = listed_size();
  expected_bits_ = std::max(expected_bits_min, size.bits / std::max<std::size_t>(chosen_, 1));
  const std::size_t room = bits_for_entries(delta_bytes_);
  const std::size_t window = SentDeltas::window_max - 1 - sent_.unsettled();
  const std::size_t datagrams = std::min(std::max<std::size_t>(bytes_max_ / delta_bytes_, 1), window);
  overflowed_ = ranked_ || !size.surely_fits(datagrams, room);
  if (!overflowed_) expected_bits_ = expected_bits_min;
  while (work_.candidates.size() > 1 && !size.surely_fits(datagrams, room)) {
    const std::size_t unfit = count_unfit(datagrams, room);
    if (unfit == 0) return;
    if (!std::exchange(ranked_, true)) rank(tick, [](std::uint32_t /*index*/) { return 1.0f; });
    // Some more than did not fit, so that few rounds are enough when the most important ones are large.
    const std::size_t count = work_.candidates.size();
    keep_most_important(std::max<std::size_t>(count - std::min(count, std::max(unfit, count / 8)), 1));
    make_lists();
    size = listed_size();
  }
}

ClientView::ListedSize ClientView::listed_size() const {
  ListedSize size;
  size.add(work_.moving.items, 0);
  RunBits runs;
  for (const Item& item : work_.moving.items) size.bits += runs.add(item.moving_before);
  size.add(work_.changed.items, id_bits_max);
  size.add(work_.gained.items, gained_bits_max);
  size.add(work_.lost.items, lost_bits_max);
  return size;
}

// Returns the number of listed entries that are left when `datagrams` datagrams of this tick are written.
std::size_t ClientView::count_unfit(std::size_t datagrams, std::size_t room) {
  std::size_t left = chosen_;
  for (; left > 0 && datagrams > 0; --datagrams) {
    const Plan plan = this->plan(room);
    work_.moving.next += plan.moving;
    work_.changed.next += plan.changed;
    work_.gained.next += plan.gained;
    work_.lost.next += plan.lost;
    left -= plan.entries();
  }
  for (List* each : work_.lists()) each->next = 0;
  return left;
}

// Returns the delta of an id. Not available if there is no baseline.
EncodedDeltaCache::EncodedDelta ClientView::delta_of(std::uint32_t id) const {
  const Slot& slot = slots_[id];
  if (slot.state != State::visible || slot.baseline == 0 ||
      slot.baseline < std::max(published_.entity(slot.index).structure_tick, reset_of(id)))
    return EncodedDeltaCache::unavailable();
  return cache_.delta(slot.index, baselines_of(slot), slot.owner);
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
  (bits.count() <= wire::listed_bits_max(delta_bytes_) ? work_.gained.items : work_.large).push_back({id, 0, bits});
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

std::size_t ClientView::bits_for_entries(std::size_t datagram_bytes) const {
  const std::size_t header = wire::delta_header_size_max + (carries_hash() ? wire::delta_hash_size : 0);
  return (datagram_bytes - header) * 8 - bits_of_lists;
}

ClientView::Plan ClientView::plan(std::size_t room) const {
  Plan plan;
  RunBits runs;
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
    return runs.add(item.moving_before) + item.bits.count() +
           (first ? core::golomb_bits(item.id, wire::first_id_order) : 0);
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
    return listed(item, first) + 3 + core::golomb_bits(index, wire::index_order);
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
    return cache_.measure_delta(slot.index, baselines_of(slot), slot.owner, *measured_);
  if (is_encoded_against_level(slot)) return cache_.measure_delta_from_level(slot.index, *measured_);
  cache_.measure_full(slot.index, slot.owner, *measured_);
}

void ClientView::write_moving(std::size_t count, core::BitWriter& bits, ecs::Tick tick) {
  bits.write_golomb(static_cast<std::uint32_t>(count), wire::moving_count_order);
  if (count == 0) return;
  const std::span<const Item> items = work_.moving.rest().first(count);
  bits.write_golomb(items.front().id, wire::first_id_order);
  SentDeltas::Recorder recorder(sent_, SentDeltas::Kind::delta);
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin + 1;
    while (end < count && items[end].moving_before == items[end - 1].moving_before + 1) ++end;
    bits.write_golomb(static_cast<std::uint32_t>(end - begin - 1), wire::run_order);
    for (const Item& item : items.subspan(begin, end - begin)) {
      cache_.copy(item.bits, bits);
      if (measured_ != nullptr) measure_item(item.id, SentDeltas::Kind::delta);
      recorder.add(item.id, note_sent(item.id, tick));
      carry(item.id, SentDeltas::Kind::delta);
    }
    if (end < count) bits.write_golomb(items[end].moving_before - items[end - 1].moving_before - 2, wire::gap_order);
    begin = end;
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

// Returns whether one of the next entities that are lost continues its courses.
bool ClientView::any_continues(std::size_t lost) const {
  return std::ranges::any_of(work_.lost.rest().first(lost),
                             [&](const Item& item) { return slots_[item.id].continues; });
}

void ClientView::write_lost(const Slot& slot, bool any_continues, core::BitWriter& bits) const {
  const bool destroyed = slot.state == State::destroyed;
  bits.write_bool(destroyed);
  if (any_continues && !destroyed) bits.write_bool(slot.continues);
  bits.write_bool(slot.of_level);
  if (slot.of_level) bits.write_golomb(slot.index, wire::index_order);
}

void ClientView::write_list(List& list, std::size_t count, SentDeltas::Kind kind, core::BitWriter& bits,
                            ecs::Tick tick) {
  bits.write_golomb(static_cast<std::uint32_t>(count), wire::count_order);
  SentDeltas::Recorder recorder(sent_, kind);
  const bool continues = kind == SentDeltas::Kind::lost && any_continues(count);
  std::uint32_t next = 0;
  for (const Item& item : list.rest().first(count)) {
    const Slot& slot = slots_[item.id];
    bits.write_golomb(item.id - next, wire::id_order);
    next = item.id + 1;
    if (kind == SentDeltas::Kind::full) write_gained(item.id, bits);
    if (kind == SentDeltas::Kind::lost) {
      write_lost(slot, continues, bits);
    } else {
      cache_.copy(item.bits, bits);
      if (measured_ != nullptr) measure_item(item.id, kind);
    }
    recorder.add(item.id, note_sent(item.id, tick));
    carry(item.id, kind);
  }
  list.next += count;
}

// Returns the feedback for the next delta, nothing if the client has received it. Each delta has all outcomes that the
// client is not known to have.
wire::CommandFeedback ClientView::feedback_to_send(const wire::CommandFeedback& commands) {
  if (commands != feedback_) {
    feedback_ = commands;
    feedback_sequence_ = sent_.last() + 1;
    feedback_received_ = false;
    if (outcomes_sequence_ == 0) {
      outcomes_sequence_ = feedback_sequence_;
      outcomes_done_ = commands.done;
    }
  }
  if (feedback_received_) return {};
  wire::CommandFeedback feedback = feedback_;
  feedback.drop_outcomes(known_done_);
  return feedback;
}

std::size_t ClientView::write_delta(core::MutableBytes datagram, ecs::Tick tick, const wire::CommandFeedback& commands,
                                    std::size_t delta_bytes_max) {
  MOBULA_ASSERT(!has_chosen() || work_.user == this, "another view chose before this one had written all");
  const bool may_carry = this->may_carry();
  const wire::CommandFeedback feedback = feedback_to_send(commands);
  if (!listed_) {
    delta_bytes_ = std::min(datagram.size(), delta_bytes_max) - wire::outcomes_size(feedback);
    make_lists();
    if (overflowed_ && may_carry) fit_lists(tick);
    if (!work_.large.empty()) begin_bodies(tick);
  }
  if (sent_.unsettled() < SentDeltas::window_max) begin_delta(tick);
  wire::DeltaHeader header{.sequence = sent_.last(),
                           .tick = sent_.last_tick(),
                           .ack = last_ack_,
                           .commands = feedback,
                           .verifies = carries_hash(),
                           .hash = hash_,
                           .short_numbers = can_shorten(tick, sent_.last_tick()),
                           .without_early = !uses_early_};
  last_delta_tick_ = header.tick;
  const std::size_t begin = wire::header_size(header);
  core::BitWriter bits(datagram.subspan(begin));
  const Plan plan = may_carry ? this->plan(bits_for_entries(delta_bytes_)) : Plan{};
  MOBULA_ASSERT(!may_carry || !has_chosen() || plan.entries() > 0, "every entity fits a datagram of its own");
  header.lost_continue = any_continues(plan.lost);
  write_moving(plan.moving, bits, tick);
  write_list(work_.changed, plan.changed, SentDeltas::Kind::delta, bits, tick);
  write_list(work_.gained, plan.gained, SentDeltas::Kind::full, bits, tick);
  write_list(work_.lost, plan.lost, SentDeltas::Kind::lost, bits, tick);
  MOBULA_ASSERT(bits.ok(), "the planned entries fit");
  written_ += plan.entries();
  if (!may_carry) written_ = chosen_;
  header.complete = is_complete() && may_carry;
  wire::write_header(header, datagram);
  if (measured_ != nullptr) measured_->bytes += begin + bits.bytes();
  return begin + bits.bytes();
}

}  // namespace mobula::server
