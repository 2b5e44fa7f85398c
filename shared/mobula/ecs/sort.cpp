#include <array>
#include <mobula/ecs/sort.hpp>

namespace mobula::ecs {
namespace detail {
namespace {

constexpr std::size_t digit_bits = 11;
constexpr std::size_t digit_values = 1u << digit_bits;
constexpr std::size_t few_entries = 512;  // below it, sorting by comparison is faster than counting all digits

template <class Entry>
constexpr std::size_t key_digits = (sizeof(std::declval<Entry>().key()) * 8 + digit_bits - 1) / digit_bits;

template <class Entry>
std::size_t digit(const Entry& entry, std::size_t place) {
  return entry.key() >> (place * digit_bits) & (digit_values - 1);
}

// Start of each value of each digit. Digits that all entries share are left out.
template <class Entry>
struct Digits {
  std::array<std::array<std::uint32_t, digit_values>, key_digits<Entry>> starts{};
  std::array<std::size_t, key_digits<Entry>> places{};
  std::size_t count = 0;

  explicit Digits(std::span<const Entry> entries) {
    for (const Entry& entry : entries)
      for (std::size_t place = 0; place < key_digits<Entry>; ++place) ++starts[place][digit(entry, place)];
    for (std::size_t place = 0; place < key_digits<Entry>; ++place) {
      if (starts[place][digit(entries[0], place)] == entries.size()) continue;
      places[count++] = place;
      std::uint32_t sum = 0;
      for (std::uint32_t& start : starts[place]) sum += std::exchange(start, sum);
    }
  }
};

// Sorts entries that are in order of their positions: stable, from the last digit to the first. The last pass writes
// only the positions.
template <class Entry>
void radix_sort(std::span<Entry> entries, Entry* spare, std::uint32_t* order) {
  Digits<Entry> digits(entries);
  Entry* from = entries.data();
  Entry* to = spare;
  for (std::size_t i = 0; i + 1 < digits.count; ++i) {
    std::array<std::uint32_t, digit_values>& starts = digits.starts[digits.places[i]];
    for (std::size_t e = 0; e < entries.size(); ++e) to[starts[digit(from[e], digits.places[i])]++] = from[e];
    std::swap(from, to);
  }
  const std::size_t last = digits.places[digits.count - 1];
  for (std::size_t e = 0; e < entries.size(); ++e)
    order[digits.starts[last][digit(from[e], last)]++] = from[e].position();
}

template <class Entry>
const std::uint32_t* find_key_order(std::span<Entry> entries, SortScratch& scratch) {
  const auto sort_all = [](std::span<Entry> all, Entry* spare, std::uint32_t* order) {
    if (all.size() >= few_entries) return radix_sort(all, spare, order);
    std::sort(all.begin(), all.end());
    for (const Entry& entry : all) *order++ = entry.position();
  };
  return find_order(entries, scratch, std::less<>(), sort_all);
}

}  // namespace

const std::uint32_t* find_order(std::span<SmallKey> entries, SortScratch& scratch) {
  return find_key_order(entries, scratch);
}
const std::uint32_t* find_order(std::span<LargeKey> entries, SortScratch& scratch) {
  return find_key_order(entries, scratch);
}

void SortTarget::apply(const std::uint32_t* order, Scratch& components) const {
  if (group == nullptr) {
    if (order != nullptr) components.room(pool->reorder_bytes(size()));  // may throw, therefore before the claim
    pool->claim_order(OrderOwner::sort);
  } else {
    for (const std::vector<Pool*>* part : {&group->pools().owned, &group->pools().required})
      for (const Pool* member : *part)
        MOBULA_CHECK(!member->is_iterated(),
                     "a group is sorted while its pool " + member->instance_name() + " is iterated");
  }
  std::uint32_t first = 0;
  std::uint32_t end = order == nullptr ? 0 : size();
  while (first < end && order[first] == first) ++first;
  while (first < end && order[end - 1] == end - 1) --end;
  if (first == end) return;
  const std::span<const std::uint32_t> moving(order + first, order + end);
  if (group == nullptr) {
    pool->reorder(first, moving, components);
  } else {
    group->reorder(first, moving, components);
  }
}

Pool& find_pool(const GroupSet& group, core::StringId32 type) {
  for (const std::vector<Pool*>* part : {&group.pools().owned, &group.pools().required})
    for (Pool* pool : *part)
      if (pool->type().id == type) return *pool;
  MOBULA_CHECK(false, "a group is sorted by one of its components");
  return *group.pools().owned[0];
}

template <class Function>
void SortGuard::each_pool(Function function) const {
  Iterations::Link* link = links_;
  if (target_.group == nullptr) return function(*target_.pool, *link);
  const GroupPools& pools = target_.group->pools();
  for (const std::vector<Pool*>* part : {&pools.owned, &pools.required, &pools.excluded})
    for (Pool* pool : *part) function(*pool, *link++);
}

SortGuard::SortGuard(const SortTarget& target, SortScratch& scratch)
    : target_(target),
      scratch_(scratch),
      progress_(target.group != nullptr ? target.group->set() : target.pool->set()) {
  MOBULA_CHECK(!scratch.in_use, "one SortScratch is used by a sort and by the sort of its key or comparator");
  std::size_t pools = 1;
  if (target.group != nullptr) {
    const GroupPools& all = target.group->pools();
    pools = all.owned.size() + all.required.size() + all.excluded.size();
  }
  links_ = scratch.links.room_for<Iterations::Link>(pools);
  scratch_.in_use = true;
  each_pool(
      [this](Pool& pool, Iterations::Link& link) { pool.begin_sort(*::new (&link) Iterations::Link{&progress_}); });
}

SortGuard::~SortGuard() {
  each_pool([](Pool& pool, Iterations::Link& link) { pool.end_sort(link); });
  scratch_.in_use = false;
}

}  // namespace detail

void sort_as(Pool& pool, const Pool& lead, SortScratch& scratch) {
  std::uint32_t* const order = scratch.order.room_for<std::uint32_t>(pool.size());
  std::uint32_t* next = order;
  for (const std::uint32_t index : lead.indices()) {
    const std::uint32_t position = pool.find(index);
    if (position != Pool::none) *next++ = position;
  }
  for (std::uint32_t position = 0; position < pool.size(); ++position)
    if (!lead.contains(pool.indices()[position])) *next++ = position;
  detail::SortTarget{&pool, nullptr}.apply(order, scratch.components);
}

void sort_as(Pool& pool, const Pool& lead) {
  SortScratch scratch;
  sort_as(pool, lead, scratch);
}

}  // namespace mobula::ecs
