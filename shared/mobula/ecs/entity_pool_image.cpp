// Builds an image from the living entities alone, for saves that store entities in another form.
#include <algorithm>
#include <mobula/ecs/entity_pool.hpp>

namespace mobula::ecs {
namespace {

std::uint64_t end_of(std::span<const LivingEntity> living, std::span<const Entity> abroad,
                     std::span<const EntityRange> ranges) {
  std::uint64_t end = 0;
  for (const LivingEntity& each : living) end = std::max(end, std::uint64_t{each.entity.index} + 1);
  for (const Entity each : abroad) end = std::max(end, std::uint64_t{each.index} + 1);
  for (const EntityRange& range : ranges) end = std::max(end, std::uint64_t{range.first} + range.count);
  return end;
}

}  // namespace

core::Result<EntityPoolImage> EntityPool::image_of(const EntityPoolConfig& config, std::span<const LivingEntity> living,
                                                   std::span<const Entity> abroad, std::span<const EntityRange> ranges,
                                                   EntityPoolImageRoom& room) {
  MOBULA_ASSERT(config.recycling == Recycling::queue,
                "only a pool of policy `queue` is rebuilt from its living entities");
  const std::uint64_t end = std::max<std::uint64_t>(end_of(living, abroad, ranges), config.own.first);
  if (end > config.entities_max)
    return core::Error{"too many entities", "it has " + std::to_string(end) + " indices, this world has room for " +
                                                std::to_string(config.entities_max)};
  const EntityPool empty(config);
  const std::uint32_t first_generation = empty.first_generation_;
  room.slots.assign(end, unused_slot);
  for (const EntityRange& range : ranges)
    std::fill_n(room.slots.begin() + range.first, range.count, EntitySlot{0, dead_bit | in_range_bit});
  for (const Entity entity : abroad) room.slots[entity.index] = {entity.generation, dead_bit | in_range_bit};
  for (const auto& [entity, prototype] : living) {
    EntitySlot& slot = room.slots[entity.index];
    const bool flagged = (slot.state & in_range_bit) != 0 || !empty.is_own(entity.index);
    slot = {entity.generation, (flagged ? in_range_bit : 0) | (prototype & link_mask)};
  }
  std::uint32_t fresh = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, empty.own_end_));
  while (fresh > config.own.first && is_unused(room.slots[fresh - 1])) --fresh;

  // Free ranges form one queue per size.
  room.ranges.clear();
  room.free_range_lists.clear();
  for (const EntityRange& range : ranges) {
    const auto slots = std::span(room.slots).subspan(range.first, range.count);
    const auto alive = static_cast<std::uint32_t>(
        std::ranges::count_if(slots, [](const EntitySlot& slot) { return !is_dead(slot) || is_abroad(slot); }));
    const auto place = static_cast<std::uint32_t>(room.ranges.size());
    room.ranges.push_back({range, alive, no_link});
    auto list = std::ranges::lower_bound(room.free_range_lists, range.count, {}, &EntityRangeList::count);
    if (list == room.free_range_lists.end() || list->count != range.count)
      list = room.free_range_lists.insert(list, {range.count, no_link, no_link});
    if (alive > 0) continue;
    room.ranges.back().range.generation = first_generation;
    (list->head == no_link ? list->head : room.ranges[list->tail].next) = place;
    list->tail = place;
  }

  EntityPoolImage image{static_cast<std::uint32_t>(config.recycling),
                        config.incarnation,
                        config.reuse_bits,
                        no_link,
                        no_link,
                        config.own.first,
                        fresh,
                        room.slots,
                        room.ranges,
                        room.free_range_lists};
  for (std::uint32_t index = config.own.first; index < fresh; ++index) {
    EntitySlot& slot = room.slots[index];
    if ((slot.state & (dead_bit | in_range_bit)) != dead_bit) continue;
    slot.generation = first_generation;
    (image.free_head == no_link ? image.free_head : room.slots[image.free_tail].state) =
        image.free_head == no_link ? index : dead_bit | index;
    image.free_tail = index;
  }
  return image;
}

}  // namespace mobula::ecs
