#include <algorithm>
#include <cstring>
#include <mobula/core/bit_set.hpp>
#include <mobula/server/replication/followed_rows.hpp>
#include <utility>

namespace mobula::server {

FollowedRows::FollowedRows(const wire::RowCodec& codec, std::vector<GivenVelocity> velocities)
    : places_(ecs::PoolConfig{}.sparse_page_shift),
      velocities_(std::move(velocities)),
      stats_(codec.courses().size()),
      other_ranges_(codec.other_ranges()) {
  MOBULA_ASSERT(velocities_.size() == codec.courses().size(), "each course has an entry");
  units_.reserve(codec.courses().size());
  for (std::size_t i = 0; i < velocities_.size(); ++i)
    units_.emplace_back(codec.courses()[i], velocities_[i].is_known());
  for (const wire::ByteRange& range : other_ranges_) other_bytes_ += range.size;
}

bool FollowedRows::has_moved(const std::byte* component, const std::byte* before) const {
  return std::ranges::any_of(units_, [&](const FollowedUnit& unit) { return unit.has_moved(component, before); });
}

bool FollowedRows::has_velocity(const ecs::Registry& registry, std::uint32_t index) const {
  return std::ranges::any_of(velocities_,
                             [&](const GivenVelocity& each) { return each.read(registry, index).has_value(); });
}

void FollowedRows::add(std::uint32_t index, const std::uint32_t* row, const std::byte* component, bool has_moved) {
  push(index, component);
  const EntryPast past = has_moved ? EntryPast::changed : EntryPast::unchanged;
  for (FollowedUnit& unit : units_) unit.push(row, component, past);
}

void FollowedRows::add_new(const ecs::Registry& registry, std::uint32_t index, const std::uint32_t* row,
                           const std::byte* component) {
  push(index, component);
  for (std::size_t i = 0; i < units_.size(); ++i)
    units_[i].push(row, component, velocities_[i].read(registry, index) ? EntryPast::given : EntryPast::empty);
}

// Adds an entry to all arrays but those of the units.
void FollowedRows::push(std::uint32_t index, const std::byte* component) {
  places_.push(index);
  others_.resize(others_.size() + other_bytes_);
  copy_others(component, others_.data() + others_.size() - other_bytes_);
}

void FollowedRows::erase(std::uint32_t index, const std::uint32_t* row) {
  const std::uint32_t entry = places_.find(index);
  for (std::size_t i = 0; i < units_.size(); ++i)
    stats_[i].under_way -= wire::is_under_way(units_[i].unit(), row) ? 1 : 0;
  places_.erase(entry);
  for (FollowedUnit& unit : units_) unit.erase(entry);
  const auto place = [&](std::uint32_t which) {
    return others_.begin() + static_cast<std::ptrdiff_t>(which * other_bytes_);
  };
  std::copy_n(place(size()), other_bytes_, place(entry));  // the last one: there is one entry less already
  others_.resize(others_.size() - other_bytes_);
}

void FollowedRows::copy_others(const std::byte* component, std::byte* others) const {
  for (const auto& [offset, size] : other_ranges_) others = std::copy_n(component + offset, size, others);
}

void FollowedRows::find_changed(const ecs::Registry& registry, const ecs::Pool& pool, ecs::Tick tick, ecs::Tick since) {
  changed_.clear();
  places_.update(pool);
  for (FollowedUnit& unit : units_) unit.begin_tick(tick);
  for (std::uint32_t first = 0; first < size(); first += block_size) {
    const std::uint32_t count = std::min(block_size, size() - first);
    check_block(pool, since, first, count);
    note_speeds(registry, first, count);
  }
  for (std::size_t i = 0; i < units_.size(); ++i) stats_[i].checks += units_[i].compared();
}

void FollowedRows::note_speeds(const ecs::Registry& registry, std::uint32_t first, std::uint32_t count) {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (!velocities_[i].is_known()) continue;
    units_[i].note_speeds(first, count,
                          [&](std::uint32_t entry) { return velocities_[i].read(registry, places_.index(entry)); });
  }
}

void FollowedRows::count(std::size_t which, const std::uint32_t* before, const std::uint32_t* row) {
  const wire::CourseUnit& unit = units_[which].unit();
  if (before != nullptr) return count_state(unit, before, row, stats_[which]);
  stats_[which].under_way += wire::is_under_way(unit, row) ? 1 : 0;
}

void FollowedRows::check_block(const ecs::Pool& pool, ecs::Tick since, std::uint32_t first, std::uint32_t count) {
  const std::byte* const* const components = places_.components().data() + first;
  std::uint64_t changed = other_bytes_ > 0 ? other_changes(pool, since, first, count) : 0;
  for (FollowedUnit& unit : units_) changed |= unit.check(first, count, components);
  core::each_bit(changed, first, [&](std::size_t entry) {
    const auto place = static_cast<std::uint32_t>(entry);
    changed_.push_back({place, places_.index(place), places_.components()[place]});
  });
}

// Returns a bit for each entry in which another field than those with courses differs from what was published.
std::uint64_t FollowedRows::other_changes(const ecs::Pool& pool, ecs::Tick since, std::uint32_t first,
                                          std::uint32_t count) const {
  std::uint64_t changed = 0;
  const std::byte* others = others_.data() + first * other_bytes_;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (pool.change_ticks()[places_.positions()[first + i] >> ecs::Pool::block_shift] <= since) {
      others += other_bytes_;
      continue;
    }
    bool differs = false;
    for (const auto& [offset, size] : other_ranges_) {
      differs |= std::memcmp(places_.components()[first + i] + offset, others, size) != 0;
      others += size;
    }
    changed |= static_cast<std::uint64_t>(differs) << i;
  }
  return changed;
}

bool FollowedRows::note_published(const Changed& row) {
  copy_others(row.component, others_.data() + row.entry * other_bytes_);
  return std::ranges::all_of(units_, [&](const FollowedUnit& unit) { return unit.has_settled(row.entry); });
}

void FollowedRows::check_entry(std::uint32_t index, const std::uint32_t* row) const {
  const std::uint32_t entry = places_.find(index);
  MOBULA_ASSERT(entry != ecs::SparseSet::none, "a followed row has an entry");
  for (const FollowedUnit& unit : units_) unit.check_entry(entry, row);
}

}  // namespace mobula::server
