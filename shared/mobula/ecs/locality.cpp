#include <algorithm>
#include <mobula/ecs/locality.hpp>

namespace mobula::ecs {

std::vector<std::uint32_t> iteration_order(const SparseSet& lead, const Pool& pool) {
  std::vector<std::uint32_t> order;
  for (const std::uint32_t index : lead.indices()) {
    const std::uint32_t position = pool.find(index);
    if (position != Pool::none) order.push_back(position);
  }
  return order;
}

double locality(const SparseSet& lead, const Pool& pool) {
  const std::vector<std::uint32_t> order = iteration_order(lead, pool);
  if (order.size() < 2) return 1;
  std::size_t straight = 0;
  for (std::size_t step = 1; step < order.size(); ++step) straight += order[step] == order[step - 1] + 1 ? 1u : 0u;
  return static_cast<double>(straight) / static_cast<double>(order.size() - 1);
}

core::Bytes draw_iteration(std::span<const std::uint32_t> order, std::uint32_t width, std::uint32_t height) {
  MOBULA_CHECK(width > 0 && height > 0, "a picture has dots");
  const std::string header = "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
  const std::size_t steps = order.size();
  const std::size_t positions = order.empty() ? 1 : std::size_t{*std::max_element(order.begin(), order.end())} + 1;
  std::vector<std::size_t> hits(std::size_t{width} * height);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t column = step * width / steps;
    const std::size_t row = height - 1 - order[step] * std::size_t{height} / positions;
    ++hits[row * width + column];
  }
  // A pixel with all steps of its column is black; one with any is grey.
  constexpr std::size_t white = 255;
  constexpr std::size_t faintest = 64;
  const std::size_t steps_per_column = std::max<std::size_t>(1, (steps + width - 1) / width);
  const core::ByteView head = core::as_bytes(header.data(), header.size());
  core::Bytes picture(head.begin(), head.end());
  for (const std::size_t count : hits) {
    const std::size_t dark = count == 0 ? 0 : faintest + (white - faintest) * count / steps_per_column;
    picture.push_back(static_cast<std::byte>(white - std::min(white, dark)));
  }
  return picture;
}

namespace {

// Returns the entity's position. Usually the pool is in order, which saves the lookup in the sparse array.
std::uint32_t find_near(const Pool& pool, std::uint32_t expected, std::uint32_t index) {
  return expected < pool.size() && pool.indices()[expected] == index ? expected : pool.find(index);
}

}  // namespace

Defragmenter::Defragmenter(Registry& registry, PoolId lead, const std::vector<PoolId>& followers)
    : registry_(registry), lead_(lead) {
  for (const PoolId follower : followers) {
    MOBULA_CHECK(follower < registry.pool_count(), "a follower is a pool of the registry");
    MOBULA_CHECK(follower != lead, "a pool does not follow itself");
    MOBULA_CHECK(std::count(followers.begin(), followers.end(), follower) == 1,
                 "pool " + registry.pool(follower).instance_name() + " follows twice");
    followers_.push_back({follower, 0, 0});
  }
  start_round();
}

void Defragmenter::start_round() {
  cursor_ = 0;
  back_ = registry_.pool(lead_).size();
  for (Follower& follower : followers_) follower.next = 0;
}

void Defragmenter::leave_owned_alone() {
  for (Follower& follower : followers_)
    if (registry_.pool(follower.pool).order_owner() != OrderOwner::nobody) follower.next = Pool::none;
}

bool Defragmenter::in_all(std::uint32_t index) const {
  return std::all_of(followers_.begin(), followers_.end(), [&](const Follower& follower) {
    return follower.next == Pool::none || find_near(registry_.pool(follower.pool), follower.next, index) != Pool::none;
  });
}

// Returns false if the allowance does not suffice.
bool Defragmenter::swap(Pool& pool, std::uint32_t a, std::uint32_t b, Allowance& allowance) const {
  if (a == b) return true;
  if (allowance.moves < 2) return false;
  pool.swap(a, b);
  allowance.moves -= 2;
  return true;
}

// Brings an entity that all followers have to the cursor, from the back of the lead if needed. Returns false if the
// allowance is used up.
bool Defragmenter::fetch_to_cursor(Pool& lead, Allowance& allowance) {
  back_ = std::min(back_, lead.size());
  if (lead.order_owner() != OrderOwner::nobody || cursor_ >= back_ || in_all(lead.indices()[cursor_])) return true;
  while (back_ > cursor_ + 1 && !in_all(lead.indices()[back_ - 1])) {
    if (allowance.examined == 0) return false;
    --allowance.examined;
    --back_;
  }
  if (back_ == cursor_ + 1) {
    back_ = cursor_;
    return true;
  }
  if (!swap(lead, cursor_, back_ - 1, allowance)) return false;
  --back_;
  return true;
}

// Moves the entity to its position in each follower. Returns false if the allowance is used up: the call is then
// repeated.
bool Defragmenter::place(std::uint32_t index, Allowance& allowance) {
  for (Follower& follower : followers_) {
    Pool& pool = registry_.pool(follower.pool);
    follower.found = follower.next < pool.size() ? find_near(pool, follower.next, index) : Pool::none;
    if (follower.found != Pool::none && !swap(pool, follower.found, follower.next, allowance)) return false;
  }
  for (Follower& follower : followers_)
    if (follower.found != Pool::none) ++follower.next;
  return true;
}

// Prefetches components some entities ahead of the cursor, as swaps touch cold memory.
void Defragmenter::prefetch(const Pool& lead) const {
  constexpr std::uint32_t ahead = 16;
  if (cursor_ + ahead >= lead.size()) return;
  const std::uint32_t index = lead.indices()[cursor_ + ahead];
  for (const Follower& follower : followers_) {
    if (follower.next == Pool::none) continue;
    const Pool& pool = registry_.pool(follower.pool);
    const std::uint32_t expected = follower.next + ahead;
    const std::uint32_t position = find_near(pool, expected, index);
    if (position == Pool::none || position == expected) continue;
    __builtin_prefetch(pool.address(position), 1);
    __builtin_prefetch(&pool.indices()[position], 1);
  }
}

std::uint32_t Defragmenter::defragment(std::uint32_t budget_moves) {
  Pool& lead = registry_.pool(lead_);
  MOBULA_CHECK(!lead.is_iterated(), "pool " + lead.instance_name() + " is defragmented while it is iterated");
  for (const Follower& follower : followers_)
    MOBULA_CHECK(!registry_.pool(follower.pool).is_iterated(), "a pool is defragmented while it is iterated");
  leave_owned_alone();
  Allowance allowance{budget_moves, std::uint64_t{budget_moves} * examined_per_move};
  for (; cursor_ < lead.size() && allowance.examined > 0; ++cursor_) {
    --allowance.examined;
    prefetch(lead);
    if (!fetch_to_cursor(lead, allowance)) break;
    if (!place(lead.indices()[cursor_], allowance)) break;
  }
  if (cursor_ >= lead.size()) {
    start_round();
    ++rounds_;
  }
  return budget_moves - allowance.moves;
}

}  // namespace mobula::ecs
