// Entities that live in several worlds one after another. Each keeps its handle, and its index is reserved at home.
//
//   home:     living ◄─ set_ghost() ─► ghost ── destroy() ──► abroad ── end_abroad() ─► free
//               ▲                        ▲                     │
//               └─────── receive() ──────┴─────────────────────┘
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
  const std::size_t count = ranges_up_to(index);
  const bool in_range = count > 0 && index - ranges_[count - 1].range.first < ranges_[count - 1].range.count;
  return in_range ? in_range_bit : 0;
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

}  // namespace mobula::ecs
