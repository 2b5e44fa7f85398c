#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/server/replication/followed_unit.hpp>
#include <mobula/wire/field_words.hpp>
#include <type_traits>

namespace mobula::server {
namespace {

// Quaternions that a game has normalised have squares within this of 1. For these (1 + square) / 2 is the root to 12
// digits.
constexpr double near_one = 1e-6;

}  // namespace

FollowedUnit::FollowedUnit(const wire::CourseUnit& unit, bool has_speeds) : courses_(unit), has_speeds_(has_speeds) {}

void FollowedUnit::push(const std::uint32_t* row, const std::byte* component, EntryPast past) {
  courses_.push(row);
  settles_at_.push_back(never);
  ends_at_.push_back(past == EntryPast::given ? 0 : never);
  // The first difference of a new value without a velocity follows after the next check.
  began_.push_back(past == EntryPast::changed ? 0 : ticks_ + (past == EntryPast::empty ? 2 : 1));
  if (has_speeds_)
    for (auto& speeds : speeds_) speeds.emplace_back();
  for (auto& parts : truths_)
    for (std::uint32_t i = 0; i < unit().parts; ++i) {
      const std::byte* const at = component + unit().part_offset(i);
      parts[i].insert(parts[i].end(), at, at + unit().part_bytes);
    }
}

void FollowedUnit::erase(std::uint32_t entry) {
  const std::size_t bytes = unit().part_bytes;
  for (auto& parts : truths_)
    for (std::uint32_t i = 0; i < unit().parts; ++i) {
      std::memmove(parts[i].data() + entry * bytes, parts[i].data() + parts[i].size() - bytes, bytes);
      parts[i].resize(parts[i].size() - bytes);
    }
  for (std::vector<std::uint32_t>* column : {&settles_at_, &ends_at_, &began_}) {
    (*column)[entry] = column->back();
    column->pop_back();
  }
  for (std::uint32_t i = 0; i < CourseTruth::speeds && has_speeds_; ++i) {
    speeds_[i][entry] = speeds_[i].back();
    speeds_[i].pop_back();
  }
  courses_.erase(entry);
}

bool FollowedUnit::has_moved(const std::byte* component, const std::byte* before) const {
  for (std::uint32_t i = 0; i < unit().parts; ++i)
    if (std::memcmp(component + unit().part_offset(i), before + unit().part_offset(i), unit().part_bytes) != 0)
      return true;
  return false;
}

void FollowedUnit::begin_tick(ecs::Tick tick) {
  tick_ = tick;
  ++ticks_;
  compared_ = 0;
  ends_.resize((size() + block_size - 1) / block_size);
  courses_.advance(tick);
}

std::uint64_t FollowedUnit::check(std::uint32_t first, std::uint32_t count, const std::byte* const* components) {
  return ends_[first / block_size] = unit().part_bytes == sizeof(double) ? check_as<double>(first, count, components)
                                                                         : check_as<float>(first, count, components);
}

template <class Float>
std::uint64_t FollowedUnit::check_as(std::uint32_t first, std::uint32_t count, const std::byte* const* components) {
  const Truths<Float> truths = note<Float>(first, count, components);
  if (have_settled(first, count)) return 0;
  count_compared(first, count);
  Values courses;
  Numbers slack;
  courses_.values(first, count, courses);
  unit().turns ? compare_turns(count, courses, truths, slack) : compare_paths(count, courses, truths, slack);
  return ended(first, count, slack);
}

template <class Float>
FollowedUnit::Truths<Float> FollowedUnit::note(std::uint32_t first, std::uint32_t count,
                                               const std::byte* const* components) {
  Truths<Float> truths{};
  for (std::uint32_t part = 0; part < unit().parts; ++part) {
    Float* const now = reinterpret_cast<Float*>(column(0, part).data()) + first;
    const std::uint32_t offset = unit().part_offset(part);
    for (std::uint32_t i = 0; i < count; ++i) now[i] = core::load<Float>(components[i] + offset);
    truths[part] = now;
  }
  note_changes(first, count, truths);
  return truths;
}

// Notes which true values have changed. These settle later.
template <class Float>
void FollowedUnit::note_changes(std::uint32_t first, std::uint32_t count, const Truths<Float>& truths) {
  using Bits = std::conditional_t<sizeof(Float) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  std::array<Bits, block_size> changed{};
  for (std::uint32_t part = 0; part < unit().parts; ++part) {
    const Float* const now = truths[part];
    const Float* const before = reinterpret_cast<const Float*>(column(1, part).data()) + first;
    for (std::uint32_t i = 0; i < count; ++i)
      changed[i] |= std::bit_cast<Bits>(now[i]) ^ std::bit_cast<Bits>(before[i]);
  }
  ecs::Tick* const settles_at = settles_at_.data() + first;
  const ecs::Tick later = tick_ + settle_ticks;
  for (std::uint32_t i = 0; i < count; ++i) settles_at[i] = changed[i] != 0 ? later : settles_at[i];
}

// Counts the entries that neither have settled nor settle now.
void FollowedUnit::count_compared(std::uint32_t first, std::uint32_t count) {
  const ecs::Tick* const settles_at = settles_at_.data() + first;
  const ecs::Tick next = tick_ + 1;
  std::uint32_t compared = 0;
  for (std::uint32_t i = 0; i < count; ++i) compared += settles_at[i] - next < settle_ticks ? 1 : 0;
  compared_ += compared;
}

// Returns whether all entries of a block have settled, such as the rotations of bodies that only fly.
bool FollowedUnit::have_settled(std::uint32_t first, std::uint32_t count) const {
  const ecs::Tick* const settles_at = settles_at_.data() + first;
  const ecs::Tick* const ends_at = ends_at_.data() + first;
  ecs::Tick all = never;
  for (std::uint32_t i = 0; i < count; ++i) all &= settles_at[i] & ends_at[i];
  return all == never;
}

template <class Float>
void FollowedUnit::compare_paths(std::uint32_t count, const Values& courses, const Truths<Float>& truths,
                                 Numbers& slack) const {
  Numbers greatest{};
  for (std::uint32_t part = 0; part < unit().parts; ++part) {
    const reflect::Quantiser quantiser = unit().quantisers[part];
    const Float* const truth = truths[part];
    for (std::uint32_t i = 0; i < count; ++i) {
      const double difference = std::abs(courses[part][i] - quantiser.limit(static_cast<double>(truth[i])));
      greatest[i] = difference > greatest[i] ? difference : greatest[i];
    }
  }
  const double tolerance = unit().tolerance;
  for (std::uint32_t i = 0; i < count; ++i) slack[i] = tolerance - greatest[i];
}

// Compares with the true rotations as if these had length 1. A quaternion that is no rotation counts as (0, 0, 0, 1).
template <class Float>
void FollowedUnit::compare_turns(std::uint32_t count, const Values& courses, const Truths<Float>& truths,
                                 Numbers& slack) const {
  Values parts;
  Numbers squares;
  Numbers lengths;
  const auto [x, y, z, w] = truths;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto a = static_cast<double>(x[i]);
    const auto b = static_cast<double>(y[i]);
    const auto c = static_cast<double>(z[i]);
    const auto d = static_cast<double>(w[i]);
    parts[0][i] = a;
    parts[1][i] = b;
    parts[2][i] = c;
    parts[3][i] = d;
    squares[i] = a * a + b * b + c * c + d * d;
    lengths[i] = (1 + squares[i]) / 2;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (std::abs(squares[i] - 1) < near_one) [[likely]]
      continue;
    lengths[i] = std::sqrt(squares[i]);
    if (wire::is_rotation(squares[i])) continue;
    parts[0][i] = parts[1][i] = parts[2][i] = 0;
    parts[3][i] = lengths[i] = 1;
  }
  const double tolerance = unit().tolerance;
  for (std::uint32_t i = 0; i < count; ++i) {
    double dot = 0;
    for (std::uint32_t part = 0; part < 4; ++part) dot += courses[part][i] * parts[part][i];
    const double side = dot < 0 ? -1 : 1;
    double greatest = 0;
    for (std::uint32_t part = 0; part < 4; ++part) {
      const double difference = std::abs(courses[part][i] * lengths[i] - side * parts[part][i]);
      greatest = difference > greatest ? difference : greatest;
    }
    slack[i] = tolerance * lengths[i] - greatest;
  }
}

// Returns a bit for each entry whose course ends or which settles. Mostly none does, which the loops without branches
// find out.
std::uint64_t FollowedUnit::ended(std::uint32_t first, std::uint32_t count, const Numbers& slack) const {
  const ecs::Tick* const settles_at = settles_at_.data() + first;
  const ecs::Tick* const ends_at = ends_at_.data() + first;
  const ecs::Tick tick = tick_;
  std::uint64_t signs = 0;
  std::uint32_t due = 0;
  for (std::uint32_t i = 0; i < count; ++i) signs |= std::bit_cast<std::uint64_t>(slack[i]);
  for (std::uint32_t i = 0; i < count; ++i) due |= std::min(settles_at[i], ends_at[i]) <= tick ? 1 : 0;
  if (signs >> 63 == 0 && due == 0) return 0;
  std::uint64_t ended = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool leaves = slack[i] < 0 && settles_at[i] != never;
    ended |= static_cast<std::uint64_t>(leaves || std::min(settles_at[i], ends_at[i]) <= tick) << i;
  }
  return ended;
}

void FollowedUnit::settle(std::uint32_t entry, const std::uint32_t* row) {
  settles_at_[entry] = never;
  set(entry, row);
}

void FollowedUnit::set_course(std::uint32_t entry, const std::uint32_t* row) {
  settles_at_[entry] = std::min(settles_at_[entry], tick_ + settle_ticks);
  set(entry, row);
}

void FollowedUnit::set(std::uint32_t entry, const std::uint32_t* row) {
  courses_.set(entry, row);
  ends_at_[entry] = wire::is_under_way(unit(), row) ? row[unit().tick_word()] + unit().age_max() + 1 : never;
}

CourseTruth FollowedUnit::truth(std::uint32_t entry) const {
  CourseTruth truth{.differences = std::min(ticks_ - began_[entry], CourseTruth::ticks)};
  for (std::uint32_t age = 0; age < history; ++age)
    for (std::uint32_t i = 0; i < unit().parts; ++i) {
      const std::byte* const at = column(age, i).data() + std::size_t{entry} * unit().part_bytes;
      truth.at[age][i] =
          unit().part_bytes == sizeof(float) ? static_cast<double>(core::load<float>(at)) : core::load<double>(at);
    }
  for (std::uint32_t age = 0; age < CourseTruth::speeds && has_speeds_; ++age)
    truth.given[age] = speeds_[(ticks_ - age) % CourseTruth::speeds][entry];
  return truth;
}

void FollowedUnit::check_entry(std::uint32_t entry, const std::uint32_t* row) const {
  MOBULA_ASSERT(!has_settled(entry) || !wire::is_under_way(unit(), row), "a unit that has settled is at rest");
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < unit().parts; ++i) end = std::max(end, unit().part_offset(i) + unit().part_bytes);
  std::vector<std::byte> component(end);
  wire::write_course_value(unit(), row, courses_.tick(), component.data());
  Values values;
  courses_.values(entry, 1, values);
  for (std::uint32_t i = 0; i < unit().parts; ++i) {
    const std::byte* const at = component.data() + unit().part_offset(i);
    const bool same = unit().part_bytes == sizeof(float) ? static_cast<float>(values[i][0]) == core::load<float>(at)
                                                         : values[i][0] == core::load<double>(at);
    MOBULA_ASSERT(same, "an entry has the course of its row");
  }
}

}  // namespace mobula::server
