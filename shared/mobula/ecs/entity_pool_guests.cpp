// Entities that live in several worlds one after another. Each keeps its handle, and its index is reserved at home.
//
//   home:     living ◄─ set_ghost() ─► ghost ── destroy() ──► abroad ── end_abroad() ─► free
//               ▲                        ▲                     │
//               └─────── receive() ──────┴─────────────────────┘
//
//   home, restored from an older save:   free, unused or dead in a range ── note_abroad() ─► abroad
//
//   others:   guest ◄── set_ghost() ─► ghost
//               both: unused ── receive() ─►   ── destroy() ─► unused
#include <mobula/core/running_code.hpp>
#include <mobula/ecs/entity_pool.hpp>

namespace mobula::ecs {

// Returns the index of a new entity; no_link if own indices are used up.
std::uint32_t EntityPool::create_below_guests(PrototypeId prototype) {
  const std::uint32_t index = fresh();
  if (index >= own_end_) return no_link;
  add_slots(1, prototype);
  ++alive_;
  return index;
}

bool EntityPool::is_abroad(Entity entity) const {
  return is_own(entity.index) && has_slot(entity.index) && is_abroad(slots_[entity.index]) &&
         slots_[entity.index].generation == entity.generation;
}

Entity EntityPool::elsewhere_at(std::uint32_t index) const {
  if (!is_own(index) || !has_slot(index)) return null_entity;
  const EntitySlot& slot = slots_[index];
  const bool is_elsewhere = is_abroad(slot) || (slot.state & (dead_bit | ghost_bit)) == ghost_bit;
  return is_elsewhere ? Entity{index, slot.generation} : null_entity;
}

// Returns the flags of a living slot.
std::uint32_t EntityPool::flags(std::uint32_t index, bool ghost) const {
  if (ghost) return in_range_bit | ghost_bit;
  if (!is_own(index)) return in_range_bit;
  return find_range(index) != nullptr ? in_range_bit : 0;
}

// Returns the range that has an index; null if none has it.
const EntityRangeSlot* EntityPool::find_range(std::uint32_t index) const {
  const std::size_t count = ranges_up_to(index);
  const bool in_range = count > 0 && index - ranges_[count - 1].range.first < ranges_[count - 1].range.count;
  return in_range ? &ranges_[count - 1] : nullptr;
}

bool EntityPool::can_receive(Entity entity) const {
  if (!entity || entity.index >= config_.entities_max || at(entity.index)) return false;
  return !is_own(entity.index) || is_abroad(entity);
}

bool EntityPool::receive(Entity entity, bool ghost) {
  MOBULA_CHECK(config_.recycling == Recycling::queue, "receive needs the policy `queue`");
  if (!can_receive(entity)) return false;
  if (entity.index >= slot_end()) {
    const std::uint32_t first = fresh();
    slots_.resize(entity.index + 1, unused_slot);
    fresh_ = first;
    fresh_max_ = 0;
  }
  slots_[entity.index] = {entity.generation, flags(entity.index, ghost)};
  is_own(entity.index) ? --abroad_ : ++guests_;
  ++alive_;
  return true;
}

void EntityPool::set_ghost(Entity entity, bool ghost) {
  MOBULA_CHECK(config_.recycling == Recycling::queue, "ghosts need the policy `queue`");
  MOBULA_CHECK(valid(entity), "entity " + to_string(entity) + " is dead: it cannot become a ghost, or cease to be one");
  EntitySlot& slot = slots_[entity.index];
  slot.state = (slot.state & link_mask) | flags(entity.index, ghost);
}

// Destroys a guest or a ghost.
PrototypeId EntityPool::leave(std::uint32_t index) {
  EntitySlot& slot = slots_[index];
  MOBULA_CHECK((slot.state & ghost_bit) == 0 || core::running_code().empty(),
               "entity " + to_string({index, slot.generation}) + " is a ghost: the world that has it destroys it");
  const PrototypeId had = slot.state & link_mask;
  --alive_;
  if (is_own(index)) {
    slot.state = dead_bit | in_range_bit;
    ++abroad_;
  } else {
    slot = unused_slot;
    --guests_;
  }
  return had;
}

bool EntityPool::end_abroad(Entity entity) {
  if (!is_abroad(entity)) return false;
  static_cast<void>(receive(entity, false));
  destroy(entity);
  return true;
}

EntityRange EntityPool::range_or_index(std::uint32_t index) const {
  const EntityRangeSlot* const slot = find_range(index);
  return slot != nullptr ? slot->range : EntityRange{index, 1, 0};
}

// A range is reused as a whole, so the entities of one that are elsewhere have one generation.
bool EntityPool::may_note_abroad(Entity entity) const {
  const bool is_made = std::uint64_t{entity.generation} >> config_.reuse_bits <= config_.incarnation;
  if (!is_made || used_up(entity.generation) || !is_own(entity.index) || elsewhere_at(entity.index)) return false;
  const EntityRange range = range_or_index(entity.index);
  for (std::uint32_t i = range.first; i < range.first + range.count && has_slot(i); ++i) {
    const bool is_elsewhere = static_cast<bool>(elsewhere_at(i));
    if (is_elsewhere && slots_[i].generation != entity.generation) return false;
    if (!is_elsewhere && (at(i) == entity || at(i).generation > entity.generation)) return false;
  }
  return true;
}

std::vector<Entity> EntityPool::former_of(Entity entity) const {
  std::vector<Entity> former;
  const EntityRange range = range_or_index(entity.index);
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
    if (const Entity other = at(i); other && other.generation != entity.generation) former.push_back(other);
  return former;
}

bool EntityPool::note_abroad(Entity entity) {
  MOBULA_CHECK(config_.recycling == Recycling::queue, "entities are abroad under the policy `queue` only");
  if (!may_note_abroad(entity) || !former_of(entity).empty()) return false;
  const auto [index, generation] = entity;
  const std::uint32_t first = fresh();
  if (index >= first) {
    add_slots(index + 1 - first, dead_bit | no_link);
    for (std::uint32_t below = first; below < index; ++below) link_free(below);
  } else if ((slots_[index].state & in_range_bit) != 0) {
    take_from_range(index, generation);
  } else if (is_unused(slots_[index])) {
    --retired_;
  } else {
    unlink_free(index);
  }
  slots_[index] = {generation, dead_bit | in_range_bit};
  ++abroad_;
  return true;
}

// An index of a range whose living entities have this generation, if there are any.
void EntityPool::take_from_range(std::uint32_t index, std::uint32_t generation) {
  EntityRangeSlot& slot = range_of(index);
  if (slot.alive == 0 && slot.range.generation != 0) unlink_free_range(slot);
  if (slot.alive == 0 && slot.range.generation == 0) {
    retired_ -= slot.range.count;
    dead_in_ranges_ += slot.range.count;
  }
  slot.range.generation = generation;
  ++slot.alive;
  --dead_in_ranges_;
}

void EntityPool::unlink_free(std::uint32_t index) {
  std::uint32_t before = no_link;
  for (std::uint32_t each = free_head_; each != index; each = slots_[each].state & link_mask) before = each;
  const std::uint32_t next = slots_[index].state & link_mask;
  if (before == no_link)
    free_head_ = next;
  else
    slots_[before].state = dead_bit | next;
  if (free_tail_ == index) free_tail_ = before;
}

void EntityPool::unlink_free_range(EntityRangeSlot& slot) {
  EntityRangeList& list = *list_from(slot.range.count);
  const auto place = static_cast<std::uint32_t>(&slot - ranges_.data());
  std::uint32_t before = no_link;
  for (std::uint32_t each = list.head; each != place; each = ranges_[each].next) before = each;
  (before == no_link ? list.head : ranges_[before].next) = slot.next;
  if (list.tail == place) list.tail = before;
  slot.next = no_link;
}

}  // namespace mobula::ecs
