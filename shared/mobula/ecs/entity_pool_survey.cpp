// Checks every slot of a pool, for restored images and for check().
#include <algorithm>
#include <mobula/ecs/entity_pool.hpp>

namespace mobula::ecs {
namespace {

// Generations that slots can have. Branch-free, so that loops over slots are vectorised.
struct LegalGenerations {
  std::uint32_t first;
  std::uint32_t reuse_mask;
  std::uint32_t last = first - 1 + reuse_mask;

  [[nodiscard]] std::uint32_t of_living(std::uint32_t generation) const {  // older incarnations included
    return static_cast<std::uint32_t>((generation & reuse_mask) != 0) &
           static_cast<std::uint32_t>(generation - 1 < last);
  }
  [[nodiscard]] std::uint32_t of_next(std::uint32_t generation) const {
    return static_cast<std::uint32_t>(generation - first < reuse_mask);
  }
};

}  // namespace

// Returns the first fault as a sentence, null if there is none. Never reads outside the arrays, whatever they hold;
// takes time in proportion to them.
const char* EntityPool::survey(PrototypeId prototype_count, Counts& counts) const {
  const PrototypeId prototypes = std::min(prototype_count, link_mask + 1);
  const bool given = config_.recycling == Recycling::given;
  if (given && fresh_ != 0) return "a mirror has no indices of its own";
  if (!given && (fresh() < config_.own.first || fresh() > own_end_ || fresh() > slot_end()))
    return "its own indices end outside the index space";
  const std::uint32_t own_end = given ? slot_end() : fresh();
  std::uint32_t end = config_.own.first;
  if (const char* const fault = survey_guests(0, end, prototypes, counts)) return fault;
  for (const EntityRangeSlot& slot : ranges_) {
    const auto [first, count, generation] = slot.range;
    if (given) return "a mirror has no index ranges";
    if (count == 0 || first < end || first > own_end || count > own_end - first)
      return "index ranges overlap or end outside the index space";
    if (const char* const fault = survey_singles(end, first, prototypes, counts)) return fault;
    if (const char* const fault = survey_range(slot, prototypes, counts)) return fault;
    end = first + count;
  }
  if (const char* const fault = survey_singles(end, own_end, prototypes, counts)) return fault;
  if (const char* const fault = survey_guests(own_end, slot_end(), prototypes, counts)) return fault;
  if (const char* const fault = survey_free_list(counts.free)) return fault;
  return survey_range_lists();
}

// Own indices there were never used.
const char* EntityPool::survey_guests(std::uint32_t begin, std::uint32_t end, PrototypeId prototypes,
                                      Counts& counts) const {
  for (std::uint32_t index = begin; index < end; ++index) {
    if (is_unused(slots_[index])) continue;
    const auto [generation, state] = slots_[index];
    if (is_own(index) || generation == 0 || ((state & ~ghost_bit) ^ in_range_bit) >= prototypes)
      return "a slot beyond its own indices is not of a guest";
    ++counts.alive;
    ++counts.guests;
  }
  return nullptr;
}

// Counts valid slots instead of looking for invalid ones; looks for unused indices only if the sum does not match.
const char* EntityPool::survey_singles(std::uint32_t begin, std::uint32_t end, PrototypeId prototypes,
                                       Counts& counts) const {
  const LegalGenerations legal{first_generation_, reuse_mask_};
  const std::span singles = std::span(slots_).subspan(begin, end - begin);
  std::uint32_t alive = 0;
  std::uint32_t free = 0;
  for (const auto& [generation, state] : singles) {
    alive += static_cast<std::uint32_t>(state < prototypes) & legal.of_living(generation);
    free += static_cast<std::uint32_t>((state & ~link_mask) == dead_bit) & legal.of_next(generation);
  }
  if (free > 0 && config_.recycling == Recycling::given) return "a mirror has no free indices";
  std::uint32_t unused = 0;
  std::uint32_t abroad = 0;
  std::uint32_t ghosts = 0;
  if (alive + free != singles.size() && config_.recycling != Recycling::lifo) {
    for (const EntitySlot slot : singles) {
      unused += is_unused(slot) ? 1u : 0u;
      abroad += is_abroad(slot) ? legal.of_living(slot.generation) : 0;
      ghosts += (slot.state ^ (in_range_bit | ghost_bit)) < prototypes ? legal.of_living(slot.generation) : 0;
    }
  }
  if (abroad + ghosts > 0 && config_.recycling != Recycling::queue)
    return "only a pool of the policy `queue` has entities of other worlds";
  alive += ghosts;
  if (alive + free + unused + abroad != singles.size())
    return "a slot is neither of a living entity nor of a free index";
  counts.alive += alive;
  counts.free += free;
  counts.abroad += abroad;
  if (config_.recycling == Recycling::queue) counts.retired += unused;
  return nullptr;
}

const char* EntityPool::survey_range(const EntityRangeSlot& slot, PrototypeId prototype_count, Counts& counts) const {
  const auto [first, count, generation] = slot.range;
  std::uint32_t alive = 0;
  std::uint32_t dead = 0;
  std::uint32_t abroad = 0;
  std::uint32_t ghosts = 0;
  for (const EntitySlot& entity : std::span(slots_).subspan(first, count)) {
    alive += static_cast<std::uint32_t>(((entity.state & ~ghost_bit) ^ in_range_bit) < prototype_count) &
             static_cast<std::uint32_t>(entity.generation == generation);
    dead += static_cast<std::uint32_t>(entity.state == (dead_bit | in_range_bit) && entity.generation == 0);
    abroad += static_cast<std::uint32_t>(is_abroad(entity) && entity.generation == generation);
    ghosts += static_cast<std::uint32_t>((entity.state & (dead_bit | ghost_bit)) == ghost_bit);
  }
  if (alive + dead + abroad != count || alive + abroad != slot.alive)
    return "a slot in an index range has no right state";
  if (abroad + ghosts > 0 && config_.recycling != Recycling::queue)
    return "only a pool of the policy `queue` has entities of other worlds";
  const bool retired = slot.alive == 0 && generation == 0 && config_.recycling == Recycling::queue;
  const LegalGenerations legal{first_generation_, reuse_mask_};
  if (!retired && (slot.alive > 0 ? legal.of_living(generation) : legal.of_next(generation)) == 0)
    return "an index range has a generation that it cannot have";
  if ((retired || slot.alive > 0) && slot.next != no_link) return "an index range is in a free list, but is not free";
  counts.alive += alive;
  counts.abroad += abroad;
  (retired ? counts.retired : counts.dead_in_ranges) += dead;
  return nullptr;
}

// A list that ends has met no index twice. So if it has met as many as are free, it has met each once.
const char* EntityPool::survey_free_list(std::uint32_t expected) const {
  constexpr const char* fault = "the free list does not hold every free index once";
  std::uint32_t met = 0;
  std::uint32_t last = no_link;
  for (std::uint32_t index = free_head_; index != no_link; index = slots_[index].state & link_mask) {
    if (met++ == expected || index < config_.own.first || index >= fresh()) return fault;
    const EntitySlot slot = slots_[index];
    if (slot.generation == 0 || (slot.state & ~link_mask) != dead_bit) return fault;
    last = index;
  }
  if (met != expected) return fault;
  if (config_.recycling != Recycling::queue) last = no_link;
  return last == free_tail_ || free_head_ == no_link ? nullptr : "the tail of the free list is not its last index";
}

const char* EntityPool::survey_range_lists() const {
  constexpr const char* fault = "the lists of free index ranges do not hold each of them once";
  std::vector<std::uint32_t> counts;
  std::size_t expected = 0;
  for (const EntityRangeSlot& slot : ranges_) {
    counts.push_back(slot.range.count);
    expected += slot.alive == 0 && slot.range.generation != 0 ? 1u : 0u;
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  if (!std::equal(counts.begin(), counts.end(), free_range_lists_.begin(), free_range_lists_.end(),
                  [](std::uint32_t count, const EntityRangeList& list) { return list.count == count; }))
    return "the lists of free index ranges are not one per size";
  std::size_t met = 0;
  for (const EntityRangeList& list : free_range_lists_) {
    std::uint32_t last = no_link;
    for (std::uint32_t place = list.head; place != no_link; place = ranges_[place].next) {
      if (met++ == expected || place >= ranges_.size()) return fault;
      const EntityRangeSlot& slot = ranges_[place];
      if (slot.alive > 0 || slot.range.generation == 0 || slot.range.count != list.count) return fault;
      last = place;
    }
    if ((config_.recycling == Recycling::queue ? last : no_link) != list.tail) return fault;
  }
  return met == expected ? nullptr : fault;
}

}  // namespace mobula::ecs
