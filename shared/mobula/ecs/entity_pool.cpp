#include <algorithm>
#include <mobula/ecs/entity_pool.hpp>
#include <type_traits>

namespace mobula::ecs {

static_assert(sizeof(EntitySlot) == 8 && sizeof(EntityRangeSlot) == 20 && sizeof(EntityRangeList) == 12);
static_assert(std::is_trivially_copyable_v<EntityRangeSlot>);

namespace {

// Ensures that the next push or insert cannot throw. Growth stays geometric.
template <class T>
void reserve_one_more(std::vector<T>& items) {
  if (items.size() == items.capacity()) items.reserve(items.size() * 2 + 4);
}

// Returns whether the incarnation fits the generation bits that do not count reuse.
bool fits(std::uint32_t incarnation, std::uint32_t reuse_bits) {
  return std::uint64_t{incarnation} << reuse_bits >> 32 == 0;
}

core::Error damaged_image(const char* sentence) { return {"damaged snapshot", sentence}; }

// Returns the first field that no pool writes, as a sentence; null if there is none.
const char* impossible(const EntityPoolImage& image) {
  if (image.recycling > static_cast<std::uint32_t>(Recycling::given)) return "its recycling policy is unknown";
  if (image.reuse_bits < 1 || image.reuse_bits > 32) return "its number of reuse bits is not 1 to 32";
  if (!fits(image.incarnation, image.reuse_bits)) return "its incarnation does not fit its generations";
  return nullptr;
}

core::Status check_numbers(const EntityPoolConfig& config, const EntityPoolImage& image) {
  if (const char* const fault = impossible(image)) return damaged_image(fault);
  if (image.recycling != static_cast<std::uint32_t>(config.recycling))
    return core::Error{"other recycling", "its recycling policy differs from this world's"};
  if (image.reuse_bits != config.reuse_bits)
    return core::Error{"other reuse bits", "its generations have " + std::to_string(image.reuse_bits) +
                                               " reuse bits, this world's have " + std::to_string(config.reuse_bits)};
  if (image.incarnation > config.incarnation)
    return core::Error{"later incarnation", "its incarnation " + std::to_string(image.incarnation) +
                                                " is later than this world's " + std::to_string(config.incarnation)};
  if (image.own_first != config.own.first)
    return core::Error{"other indices", "its entities begin at index " + std::to_string(image.own_first) +
                                            ", this world's at " + std::to_string(config.own.first)};
  if (image.slots.size() > config.entities_max)
    return core::Error{"too many entities", "it has " + std::to_string(image.slots.size()) +
                                                " indices, this world has room for " +
                                                std::to_string(config.entities_max)};
  return core::Done{};
}

}  // namespace

EntityPool::EntityPool(EntityPoolConfig config)
    : fresh_max_(std::min(config.own.end, config.entities_max)),
      config_(config),
      own_end_(fresh_max_),
      fresh_(config.own.first) {
  MOBULA_CHECK(config.reuse_bits >= 1 && config.reuse_bits <= 32, "1 to 32 bits count reuse");
  MOBULA_CHECK(fits(config.incarnation, config.reuse_bits), "the incarnation fits above the bits that count reuse");
  MOBULA_CHECK(config.entities_max <= no_link, "an index fits a link");
  MOBULA_CHECK(config.own.first <= config.entities_max, "own indices begin below entities_max");
  if (config.recycling == Recycling::given) given_ = core::Owned(new GivenEntities);
  MOBULA_CHECK(fresh_ == 0 || config.recycling == Recycling::queue, "own indices need the policy `queue`");
  slots_.resize(fresh_, unused_slot);
  count_generations();
}

void EntityPool::count_generations() {
  const bool given = config_.recycling == Recycling::given;  // then their meaning is the caller's
  reuse_mask_ = given ? ~0u : static_cast<std::uint32_t>((1ull << config_.reuse_bits) - 1);
  first_generation_ =
      given ? 1 : static_cast<std::uint32_t>(std::uint64_t{config_.incarnation} << config_.reuse_bits | 1);
}

std::string EntityPool::not_alive(Entity entity) {
  return "destroying entity " + to_string(entity) + ", which is not alive";
}

bool EntityPool::create(std::span<Entity> out, PrototypeId prototype) {
  MOBULA_CHECK(config_.recycling != Recycling::given, "under `given` handles come from the caller: use create_given");
  const std::size_t recycled = std::min<std::size_t>(out.size(), free_count());
  const std::size_t more = out.size() - recycled;
  const std::uint32_t first = fresh();
  if (more > own_end_ - first) return false;
  add_slots(static_cast<std::uint32_t>(more), prototype);
  for (Entity& entity : out.first(recycled)) entity = pop_free(prototype);
  const std::uint32_t generation = first_generation_;  // `out` might alias the member, for all the compiler knows
  std::uint32_t index = first;
  for (Entity& entity : out.subspan(recycled)) {
    entity.index = index++;
    entity.generation = generation;
  }
  alive_ += static_cast<std::uint32_t>(more);
  return true;
}

// Begins to use the next own indices. Guests may have slots beyond them.
void EntityPool::add_slots(std::uint32_t count, std::uint32_t state) {
  const EntitySlot slot{first_generation_, state};
  if (fresh_max_ != 0) return slots_.resize(slots_.size() + count, slot);
  const std::uint32_t below_guests = std::min(count, slot_end() - fresh_);
  slots_.resize(slots_.size() + count - below_guests, slot);
  std::fill_n(slots_.begin() + fresh_, below_guests, slot);
  fresh_ += count;
}

void EntityPool::grow() { slots_.reserve(slots_.size() * 2 + 64); }

bool EntityPool::create_given(Entity entity) {
  MOBULA_CHECK(config_.recycling == Recycling::given, "create_given needs the policy `given`");
  if (!entity || entity.index >= config_.entities_max || at(entity.index)) return false;
  given_->add(entity.index, {entity.generation, 0});
  ++alive_;
  return true;
}

Entity EntityPool::given_at(std::uint32_t index) const {
  const EntitySlot* const found = given_->find(index);
  return found == nullptr ? null_entity : Entity{index, found->generation};
}

const EntitySlot& EntityPool::given_slot(std::uint32_t index) const { return given_->slot(index); }

PrototypeId EntityPool::destroy_given(std::uint32_t index) {
  const PrototypeId had = prototype(index);
  given_->remove(index);
  --alive_;
  return had;
}

void EntityPool::destroy(std::span<const Entity> entities) {
  for (const Entity entity : entities) destroy(entity);
}

PrototypeId EntityPool::destroy_rare(std::uint32_t index) {
  EntitySlot& slot = slots_[index];
  const PrototypeId had = slot.state & link_mask;
  if (!is_own(index) || (slot.state & ghost_bit) != 0) return leave(index);
  --alive_;
  if ((slot.state & in_range_bit) != 0) {
    slot = {0, dead_bit | in_range_bit};
    ++dead_in_ranges_;
    EntityRangeSlot& range = range_of(index);
    if (--range.alive == 0) range_died(range);
  } else if (config_.recycling == Recycling::lifo) {
    slot.generation = first_generation_;
    link_free(index);
  } else {
    slot = unused_slot;
    ++retired_;
  }
  return had;
}

// Returns the number of ranges that begin at an index or before it: the last of them has it, if one has.
std::size_t EntityPool::ranges_up_to(std::uint32_t index) const {
  const auto first = [](const EntityRangeSlot& slot) { return slot.range.first; };
  return static_cast<std::size_t>(std::ranges::upper_bound(ranges_, index, {}, first) - ranges_.begin());
}

EntityRangeSlot& EntityPool::range_of(std::uint32_t index) {
  const std::size_t count = ranges_up_to(index);
  MOBULA_ASSERT(count > 0, "index " + std::to_string(index) + " is in a range");
  return ranges_[count - 1];
}

std::vector<EntityRangeList>::iterator EntityPool::list_from(std::uint32_t count) {
  return std::lower_bound(free_range_lists_.begin(), free_range_lists_.end(), count,
                          [](const EntityRangeList& list, std::uint32_t wanted) { return list.count < wanted; });
}

EntityRange EntityPool::create_range(std::uint32_t count, PrototypeId prototype) {
  MOBULA_CHECK(config_.recycling != Recycling::given, "under `given` handles come from the caller: use create_given");
  if (count == 0) return {0, 0, first_generation_};
  const auto list = list_from(count);
  if (list == free_range_lists_.end() || list->count != count || list->head == no_link)
    return create_fresh_range(count, prototype);
  EntityRangeSlot& slot = pop_free_range(*list);
  slot.alive = count;
  std::fill_n(slots_.begin() + slot.range.first, count, EntitySlot{slot.range.generation, in_range_bit | prototype});
  alive_ += count;
  dead_in_ranges_ -= count;
  return slot.range;
}

EntityRange EntityPool::create_fresh_range(std::uint32_t count, PrototypeId prototype) {
  const std::uint32_t first = fresh();
  if (count > own_end_ - first) return {};
  reserve_one_more(ranges_);
  reserve_one_more(free_range_lists_);
  add_slots(count, in_range_bit | prototype);
  ranges_.push_back({{first, count, first_generation_}, count, no_link});
  const auto list = list_from(count);
  if (list == free_range_lists_.end() || list->count != count)
    free_range_lists_.insert(list, {count, no_link, no_link});
  alive_ += count;
  return ranges_.back().range;
}

EntityRangeSlot& EntityPool::pop_free_range(EntityRangeList& list) {
  EntityRangeSlot& slot = ranges_[list.head];
  list.head = slot.next;
  if (list.head == no_link) list.tail = no_link;
  slot.next = no_link;
  return slot;
}

void EntityPool::link_free_range(EntityRangeSlot& slot) {
  const auto place = static_cast<std::uint32_t>(&slot - ranges_.data());
  EntityRangeList& list = *list_from(slot.range.count);
  if (config_.recycling == Recycling::lifo) {
    slot.next = list.head;
    list.head = place;
    return;
  }
  (list.head == no_link ? list.head : ranges_[list.tail].next) = place;
  list.tail = place;
}

void EntityPool::range_died(EntityRangeSlot& slot) {
  slot.range.generation = generation_after(slot.range.generation);
  if (used_up(slot.range.generation)) {
    slot.range.generation = config_.recycling == Recycling::lifo ? first_generation_ : 0;
  }
  if (slot.range.generation != 0) return link_free_range(slot);
  dead_in_ranges_ -= slot.range.count;
  retired_ += slot.range.count;
}

void EntityPool::check_range(const EntityRange& range) const {
  const auto made =
      std::lower_bound(ranges_.begin(), ranges_.end(), range.first,
                       [](const EntityRangeSlot& slot, std::uint32_t wanted) { return slot.range.first < wanted; });
  MOBULA_CHECK(made != ranges_.end() && made->range.first == range.first && made->range.count == range.count,
               "no range of " + std::to_string(range.count) + " entities from index " + std::to_string(range.first) +
                   " was made by create_range");
}

void EntityPool::destroy_range(const EntityRange& range) {
  if (range.count == 0) return;
  check_range(range);
  EntityRangeSlot& slot = range_of(range.first);
  if (slot.alive == 0 || slot.range.generation != range.generation) return;
  std::uint32_t ended = 0;
  for (std::uint32_t index = range.first; index < range.first + range.count; ++index) {
    EntitySlot& each = slots_[index];
    if (is_dead(each)) continue;
    if ((each.state & ghost_bit) != 0) {
      leave(index);
    } else {
      each = {0, dead_bit | in_range_bit};
      ++ended;
    }
  }
  alive_ -= ended;
  dead_in_ranges_ += ended;
  slot.alive -= ended;
  if (slot.alive == 0) range_died(slot);
}

EntityPoolImage EntityPool::image(std::vector<EntitySlot>& room) const {
  if (given_) {
    room.assign(given_->end(), unused_slot);
    each([&](Entity entity) { room[entity.index] = slot(entity.index); });
  }
  return {static_cast<std::uint32_t>(config_.recycling),
          config_.incarnation,
          config_.reuse_bits,
          free_head_,
          free_head_ == no_link ? no_link : free_tail_,
          config_.own.first,
          given_ ? 0 : fresh(),
          given_ ? std::span<const EntitySlot>(room) : std::span<const EntitySlot>(slots_),
          ranges_,
          free_range_lists_};
}

core::Result<EntityPool> EntityPool::restore(const EntityPoolConfig& config, const EntityPoolImage& image,
                                             PrototypeId prototype_count) {
  if (core::Status status = check_numbers(config, image); !status) return status.error();
  if (image.free_head == no_link && image.free_tail != no_link)
    return damaged_image("its free list has an end, but no head");

  EntityPoolConfig old = config;
  old.incarnation = image.incarnation;
  EntityPool pool(old);
  pool.slots_.assign(image.slots.begin(), image.slots.end());
  pool.ranges_.assign(image.ranges.begin(), image.ranges.end());
  pool.free_range_lists_.assign(image.free_range_lists.begin(), image.free_range_lists.end());
  pool.free_head_ = image.free_head;
  pool.free_tail_ = image.free_tail;
  pool.fresh_ = image.fresh;
  pool.fresh_max_ = image.fresh == pool.slot_end() ? pool.own_end_ : 0;
  Counts counts;
  if (const char* const fault = pool.survey(prototype_count, counts)) return damaged_image(fault);
  pool.alive_ = counts.alive;
  pool.retired_ = counts.retired;
  pool.dead_in_ranges_ = counts.dead_in_ranges;
  pool.abroad_ = counts.abroad;
  pool.guests_ = counts.guests;
  if (config.incarnation > image.incarnation) pool.begin_incarnation(config.incarnation);
  if (pool.given_) pool.fold();
  return pool;
}

// Moves checked slots from the image's order into given_.
void EntityPool::fold() {
  given_->extend(slot_end());
  for (std::uint32_t index = 0; index < slot_end(); ++index)
    if (!is_dead(slots_[index])) given_->add(index, slots_[index]);
  slots_ = {};
}

void EntityPool::begin_incarnation(std::uint32_t incarnation) {
  config_.incarnation = incarnation;
  if (config_.recycling == Recycling::given) return;
  count_generations();
  for (std::uint32_t index = config_.own.first; index < fresh(); ++index) {
    EntitySlot& slot = slots_[index];
    if ((slot.state & (dead_bit | in_range_bit)) != dead_bit) continue;
    if (slot.generation == 0) link_free(index);
    slot.generation = first_generation_;
  }
  for (EntityRangeSlot& slot : ranges_) {
    if (slot.alive > 0) continue;
    if (slot.range.generation == 0) {
      dead_in_ranges_ += slot.range.count;
      link_free_range(slot);
    }
    slot.range.generation = first_generation_;
  }
  retired_ = 0;
}

void EntityPool::check() const {
  if (given_) {
    given_->check();
    MOBULA_ASSERT(slots_.empty() && alive_ == given_->size(), "the given entities are elsewhere, and counted");
    return each([&](Entity entity) { MOBULA_ASSERT(entity && slot(entity.index).state < no_link, "none is dead"); });
  }
  Counts counts;
  const char* const fault = survey(link_mask + 1, counts);
  MOBULA_ASSERT(fault == nullptr, fault);
  MOBULA_ASSERT(counts.alive == alive_ && counts.dead_in_ranges == dead_in_ranges_ && counts.retired == retired_ &&
                    counts.abroad == abroad_ && counts.guests == guests_,
                "the counts are right");
  MOBULA_ASSERT(counts.free == free_count(), "nothing is lost");
}

}  // namespace mobula::ecs
