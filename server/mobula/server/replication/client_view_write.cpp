// What of a client's view goes out in a tick, and how it is written.
#include <algorithm>
#include <mobula/core/golomb.hpp>
#include <mobula/server/replication/client_view.hpp>

namespace mobula::server {
namespace {

// Until it is made, a string is taken to have so many bits.
constexpr std::size_t expected_bits = 48;
constexpr std::size_t bits_of_lists = 64;  // counts, and what is left of the last byte
// What the client has never heard of has waited for so many ticks, and one more with every so many deltas: ahead of
// most changes, but not of all while thousands come into view.
constexpr float new_waiting = 8;
constexpr float new_deltas_per_tick = 8;

}  // namespace

// Choosing ------------------------------------------------------------------------------------------------------------

void ClientView::forget_resting() {
  for (std::size_t word = 0; word < moving_ids_.words().size(); ++word)
    core::each_bit(moving_ids_.words()[word], word * core::BitSet::word_bits, [&](std::size_t id) {
      if (newest_tick_ - slots_[id].b1 > wire::moving_age_max) moving_ids_.erase(id);
    });
}

void ClientView::find_candidates() {
  forget_resting();
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
  if (slot.state != State::seen) return 1e30f;  // a few bits, and its id is free again
  const ecs::Tick told = std::max(slot.sent, slot.b1);
  if (told == 0) return new_waiting + static_cast<float>(sent_.last() + 1 - slot.born) / new_deltas_per_tick;
  return static_cast<float>(tick - told);
}

// The candidates stay in order of their ids.
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

void ClientView::make_lists() {
  for (List* each : {&work_.moving, &work_.changed, &work_.appeared, &work_.gone}) {
    each->items.clear();
    each->next = 0;
  }
  for (const Candidate& candidate : work_.candidates) {
    const EncodedDeltaCache::Bits bits = change_of(candidate.id);
    if (bits.known()) {
      (candidate.moving ? work_.moving : work_.changed).items.push_back({candidate.id, candidate.moving_before, bits});
    } else {
      list_anew(candidate.id);
    }
  }
  chosen_ =
      work_.moving.items.size() + work_.changed.items.size() + work_.appeared.items.size() + work_.gone.items.size();
  listed_ = true;
}

// Not known: there is nothing that a change could rest on.
EncodedDeltaCache::Bits ClientView::change_of(std::uint32_t id) const {
  const Slot& slot = slots_[id];
  if (slot.state != State::seen || slot.b1 == 0 ||
      slot.b1 < std::max(published_.entity(slot.index).structure_tick, reset_of(id)))
    return EncodedDeltaCache::unknown_bits();
  return strings_.change(slot.index, slot.b1, b2_of(slot), slot.owner);
}

// What goes, or is told whole.
void ClientView::list_anew(std::uint32_t id) {
  const Slot& slot = slots_[id];
  if (slot.state != State::seen) return work_.gone.items.push_back({id, 0, EncodedDeltaCache::no_bits()});
  if (rests_on_level(slot)) return work_.appeared.items.push_back({id, 0, strings_.since_level(slot.index)});
  if (prototypes_.find_or_want(published_.entity(slot.index).prototype) == AnnouncedPrototypes::unknown)
    return;  // stays pending
  work_.appeared.items.push_back({id, 0, strings_.whole(slot.index, slot.owner)});
}

// Whether it is an entity of the level that the client has, and made of the same.
bool ClientView::knows_of_level(std::uint32_t index) const {
  const PublishedEntity& entity = published_.entity(index);
  return level_ != nullptr && level_->copy().contains(entity.entity) && entity.structure_tick <= level_->tick() &&
         published_.codecs().prototype_hash(entity.prototype) == level_->copy().prototype_hash(index);
}

// What is wrong at the client may be so because its level is.
bool ClientView::rests_on_level(const Slot& slot) const {
  return !slot.was_reset && !slot.owner && knows_of_level(slot.index);
}

// Writing -------------------------------------------------------------------------------------------------------------

// How many of each list the next datagram takes.
struct ClientView::Plan {
  std::size_t moving = 0;
  std::size_t changed = 0;
  std::size_t appeared = 0;
  std::size_t gone = 0;
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
  plan.appeared = take(work_.appeared.rest(), [&](const Item& item, bool first) {
    const std::uint32_t index = slots_[item.id].index;
    return listed(item, first) + core::golomb_bits(index, wire::index_order) + 34 + 64;
  });
  plan.gone = take(work_.gone.rest(), [&](const Item& item, bool first) {
    const std::uint32_t index = slots_[item.id].index;
    return listed(item, first) + 2 + core::golomb_bits(index, wire::index_order);
  });
  return plan;
}

std::uint64_t ClientView::note_sent(std::uint32_t id, ecs::Tick tick) {
  Slot& slot = slots_[id];
  slot.sent = tick;
  note_told(id);
  if (!verifies_ || slot.state != State::seen) return 0;
  const PublishedEntity& entity = published_.entity(slot.index);
  return entity.hash + (slot.owner ? entity.owner_hash : 0);
}

void ClientView::measure_item(std::uint32_t id, SentDeltas::Kind kind) {
  const Slot& slot = slots_[id];
  if (kind == SentDeltas::Kind::change)
    return strings_.measure_change(slot.index, slot.b1, b2_of(slot), slot.owner, *measured_);
  if (rests_on_level(slot)) return strings_.measure_since_level(slot.index, *measured_);
  strings_.measure_whole(slot.index, slot.owner, *measured_);
}

void ClientView::write_moving(std::size_t count, core::BitWriter& bits, ecs::Tick tick) {
  bits.write_golomb(static_cast<std::uint32_t>(count), wire::moving_count_order);
  if (count == 0) return;
  const std::span<const Item> items = work_.moving.rest().first(count);
  bits.write_golomb(items.front().id, wire::first_id_order);
  SentDeltas::Carrying carrying(sent_, SentDeltas::Kind::change);
  std::uint32_t next = items.front().moving_before;
  for (const Item& item : items) {
    for (; next < item.moving_before; ++next) bits.write_bool(false);
    ++next;
    strings_.copy(true, item.bits, bits);
    if (measured_ != nullptr) measure_item(item.id, SentDeltas::Kind::change);
    carrying.add(item.id, note_sent(item.id, tick));
  }
  work_.moving.next += count;
}

void ClientView::write_appearance(std::uint32_t id, core::BitWriter& bits) {
  const Slot& slot = slots_[id];
  const bool known = rests_on_level(slot);
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
  SentDeltas::Carrying carrying(sent_, kind);
  std::uint32_t next = 0;
  for (const Item& item : list.rest().first(count)) {
    const Slot& slot = slots_[item.id];
    bits.write_golomb(item.id - next, wire::id_order);
    next = item.id + 1;
    if (kind == SentDeltas::Kind::whole) write_appearance(item.id, bits);
    if (kind == SentDeltas::Kind::gone) {
      bits.write_bool(slot.state == State::destroyed);
      bits.write_bool(slot.of_level);
      if (slot.of_level) bits.write_golomb(slot.index, wire::index_order);
    } else {
      strings_.copy(item.bits, bits);
      if (measured_ != nullptr) measure_item(item.id, kind);
    }
    carrying.add(item.id, note_sent(item.id, tick));
  }
  list.next += count;
}

std::size_t ClientView::write_delta(core::MutableBytes datagram, ecs::Tick tick,
                                    const wire::CommandFeedback& commands) {
  MOBULA_ASSERT(!has_chosen() || work_.user == this, "another view chose before this one had written");
  if (!listed_) make_lists();
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
  MOBULA_ASSERT(!may_carry || !has_chosen() || plan.moving + plan.changed + plan.appeared + plan.gone > 0,
                "every entity fits a datagram of its own");
  write_moving(plan.moving, bits, tick);
  write_list(work_.changed, plan.changed, SentDeltas::Kind::change, bits, tick);
  write_list(work_.appeared, plan.appeared, SentDeltas::Kind::whole, bits, tick);
  write_list(work_.gone, plan.gone, SentDeltas::Kind::gone, bits, tick);
  MOBULA_ASSERT(bits.ok(), "what was planned fits");
  written_ += plan.moving + plan.changed + plan.appeared + plan.gone;
  if (!may_carry) written_ = chosen_;
  header.complete = pending_ == 0 && !has_waiting_ && may_carry;
  wire::write_header(header, datagram);
  if (measured_ != nullptr) measured_->bytes += begin + bits.bytes();
  return begin + bits.bytes();
}

}  // namespace mobula::server
