#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mobula/schema/engine.hpp>
#include <mobula/server/rewind/past_bounds.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr std::size_t chunk = 64;  // slots at a time
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float rounding = 1e-6f;  // relative error of a coordinate

float least(float a, float b) { return a < b ? a : b; }
float most(float a, float b) { return a > b ? a : b; }

float slack_of(const std::array<float, 4>& at) {
  return rounding * (1 + std::max({std::abs(at[0]), std::abs(at[1]), std::abs(at[2])}));
}

// Returns the age of a course at a tick, until it stands still.
float age(ecs::Tick since, ecs::Tick tick) {
  constexpr auto most = static_cast<std::int32_t>(wire::path_age_max);
  const auto ticks = static_cast<std::int32_t>(tick - since);  // courses begin before a tick in which they are drawn
  return static_cast<float>(ticks < most ? ticks : most);
}

ecs::PoolId find(const ecs::Registry& registry, std::string_view component) {
  return registry.find_pool(core::StringId32(component), core::StringId32(component));
}

}  // namespace

// Recording -------------------------------------------------------------------------------------------------------

PastBounds::PastBounds(Published& published, ecs::Tick ticks)
    : published_(published),
      block_ticks_(static_cast<ecs::Tick>((ticks + blocks - 2) / (blocks - 1))),
      drawn_ticks_(static_cast<ecs::Tick>((blocks + 1) * block_ticks_)) {
  range_.low.fill(-infinity);
  range_.high.fill(infinity);
}

void PastBounds::update(std::span<const std::uint32_t> changed, ecs::Tick tick) {
  transforms_ = server::find(published_.registry(), "Transform");
  parents_ = server::find(published_.registry(), "Parent");
  if (tick >= block_begins_[block_] + block_ticks_) begin_block(tick);
  for (const std::uint32_t index : changed) note(index, tick);
}

void PastBounds::note(std::uint32_t index, ecs::Tick tick) {
  if (index >= slots_.size()) slots_.resize(index + std::size_t{1}, none);
  const ecs::Entity entity = published_.entity(index).entity;
  const bool is_kept = entity && published_.is_kept(index) && published_.is_kept_pool(transforms_);
  const PublishedRow row = is_kept ? published_.row(entity, transforms_) : PublishedRow{};
  const bool has_place = row.words != nullptr;
  const std::uint32_t slot = slots_[index];
  const bool is_new = slot == none || entities_[slot] != entity;
  if (slot != none && (is_new || !has_place)) end(slot, tick);
  if (!has_place) return;
  if (codec_ != row.codec) set_codec(*row.codec);
  const Path path = path_of(entity, row, tick);
  const Box box = box_of(path, tick, drawn_until());
  if (is_new) return add(entity, path, box);
  // One that has a Transform again goes on: a client may blend from its last place to the new one.
  if (std::exchange(ended_[slot], 0) != 0) --ended_count_;
  paths_[slot] = path;
  boxes_[block_][slot].extend(box);
  for (std::size_t i = 0; i < 3; ++i) {
    low_[i][slot] = least(low_[i][slot], box.low[i]);
    high_[i][slot] = most(high_[i][slot], box.high[i]);
  }
}

void PastBounds::Box::extend(const Box& box) {
  for (std::size_t i = 0; i < 4; ++i) {
    low[i] = least(low[i], box.low[i]);
    high[i] = most(high[i], box.high[i]);
  }
}

void PastBounds::add(ecs::Entity entity, const Path& path, const Box& box) {
  slots_[entity.index] = size();
  entities_.push_back(entity);
  ended_.push_back(0);
  paths_.push_back(path);
  for (std::vector<Box>& each : boxes_) each.push_back(box);
  for (std::size_t i = 0; i < 3; ++i) {
    low_[i].push_back(box.low[i]);
    high_[i].push_back(box.high[i]);
  }
}

void PastBounds::end(std::uint32_t slot, ecs::Tick tick) {
  if (ended_[slot] == 0) ++ended_count_;
  ended_[slot] = ended_[slot] == 0 ? tick : ended_[slot];
}

void PastBounds::remove(std::uint32_t slot) {
  const std::uint32_t last = size() - 1;
  // Another entity may have the index by now.
  if (std::uint32_t& own = slots_[entities_[slot].index]; own == slot) own = none;
  if (std::uint32_t& moved = slots_[entities_[last].index]; moved == last) moved = slot;
  const auto fill_gap = [slot](auto& column) {
    column[slot] = column.back();
    column.pop_back();
  };
  for (std::vector<Box>& each : boxes_) fill_gap(each);
  for (std::size_t i = 0; i < 3; ++i) {
    fill_gap(low_[i]);
    fill_gap(high_[i]);
  }
  fill_gap(paths_);
  fill_gap(entities_);
  fill_gap(ended_);
  --ended_count_;
}

// Begins a block in place of the oldest one. Each entity is in it as it is now. One that has ended goes on: a client
// may not know of its end.
void PastBounds::begin_block(ecs::Tick tick) {
  for (std::uint32_t slot = size(); ended_count_ > 0 && slot-- > 0;)
    if (ended_[slot] != 0 && ended_[slot] + drawn_ticks_ < tick) remove(slot);
  block_ = oldest_block();
  block_begins_[block_] = tick;
  const ecs::Tick last = drawn_until();
  for (std::uint32_t slot = 0; slot < size(); ++slot) {
    boxes_[block_][slot] = box_of(paths_[slot], tick, last);
    Box all = boxes_[0][slot];
    for (std::size_t block = 1; block < blocks; ++block) all.extend(boxes_[block][slot]);
    for (std::size_t i = 0; i < 3; ++i) {
      low_[i][slot] = all.low[i];
      high_[i][slot] = all.high[i];
    }
  }
}

// Paths -----------------------------------------------------------------------------------------------------------

// Notes how positions are published.
void PastBounds::set_codec(const wire::RowCodec& codec) {
  constexpr std::uint32_t place = offsetof(engine::Transform, position);
  codec_ = &codec;
  course_ = nullptr;
  for (const wire::CourseUnit& unit : codec.courses())
    if (!unit.turns && unit.parts == 3 && unit.offsets[0] == place) course_ = &unit;
  if (course_ == nullptr) return;
  for (std::uint32_t part = 0; part < 3; ++part) {
    const reflect::Quantiser& quantiser = course_->quantisers[part];
    range_.low[part] = static_cast<float>(quantiser.value(0) - course_->tolerance);
    range_.high[part] = static_cast<float>(quantiser.value(course_->max[part]) + course_->tolerance);
    speed_unit_[part] = static_cast<float>(quantiser.step() / static_cast<double>(wire::course_fraction));
  }
}

// Returns the path of an entity's published state. One below a Parent is anywhere.
PastBounds::Path PastBounds::path_of(ecs::Entity entity, const PublishedRow& row, ecs::Tick tick) const {
  Path path{.slack = infinity, .since = tick};
  if (parents_ != ecs::no_pool && published_.row(entity, parents_).words != nullptr) return path;
  if (course_ != nullptr) return course_path(row.words, tick);
  engine::Transform now;
  if (!row.codec->courses().empty() ||
      !row.codec->to_component(row.words, false, tick, reinterpret_cast<std::byte*>(&now)))
    return path;
  path.at = {now.position.x, now.position.y, now.position.z, 0};
  path.slack = slack_of(path.at);
  return path;
}

PastBounds::Path PastBounds::course_path(const std::uint32_t* row, ecs::Tick tick) const {
  const wire::CourseUnit& unit = *course_;
  const bool under_way = wire::is_under_way(unit, row);
  Path path{.since = under_way ? row[unit.tick_word()] : tick};
  for (std::uint32_t part = 0; part < 3; ++part) {
    const auto word = [&](std::uint32_t at) { return static_cast<float>(static_cast<std::int32_t>(row[at])); };
    path.at[part] = static_cast<float>(unit.quantisers[part].value(row[unit.first + part]));
    if (!under_way) continue;
    path.speed[part] = word(unit.course + part) * speed_unit_[part];
    path.bend[part] = word(unit.course + unit.parts + part) * speed_unit_[part];
  }
  path.slack = slack_of(path.at) + static_cast<float>(unit.tolerance);
  return path;
}

// A path leaves the line between two of its places by at most an eighth of the bend times the square of the time.
// Rounding grows with the distance.
PastBounds::Box PastBounds::box_of(const Path& path, ecs::Tick first, ecs::Tick last) const {
  const float begin = age(path.since, first);
  const float end = age(path.since, last);
  const float begin_sum = begin * (begin + 1) / 2;
  const float end_sum = end * (end + 1) / 2;
  const float square = (end - begin) * (end - begin) / 8;
  Box box;
  for (std::size_t i = 0; i < 4; ++i) {
    const float a = path.speed[i] * begin + path.bend[i] * begin_sum;
    const float b = path.speed[i] * end + path.bend[i] * end_sum;
    const float around = path.slack + std::abs(path.bend[i]) * square + 4 * rounding * (std::abs(a) + std::abs(b));
    box.low[i] = path.at[i] + least(a, b) - around;
    box.high[i] = path.at[i] + most(a, b) + around;
  }
  if (path.slack == infinity) return box;
  for (std::size_t i = 0; i < 4; ++i) {
    box.low[i] = most(box.low[i], range_.low[i]);
    box.high[i] = least(box.high[i], range_.high[i]);
  }
  return box;
}

// Queries ---------------------------------------------------------------------------------------------------------

void PastBounds::find(const Ray& ray, float reach, std::vector<std::uint8_t>& found) const {
  found.resize(size());
  const std::array<float, 3> origin{ray.origin.x, ray.origin.y, ray.origin.z};
  const std::array<float, 3> direction{ray.direction.x, ray.direction.y, ray.direction.z};
  std::array<float, 3> inverse{};
  for (std::size_t i = 0; i < 3; ++i)
    inverse[i] = 1 / (std::abs(direction[i]) < 1e-12f ? std::copysign(1e-12f, direction[i]) : direction[i]);
  for (std::size_t first = 0; first < found.size(); first += chunk) {
    const std::size_t count = std::min(chunk, found.size() - first);
    std::array<float, chunk> enters{};
    std::array<float, chunk> leaves;
    leaves.fill(ray.length);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float* const low = low_[axis].data() + first;
      const float* const high = high_[axis].data() + first;
      const float below = reach + origin[axis];
      const float above = reach - origin[axis];
      const float per_length = inverse[axis];
      for (std::size_t i = 0; i < count; ++i) {
        const float a = (low[i] - below) * per_length;
        const float b = (high[i] + above) * per_length;
        const float near = a < b ? a : b;
        const float far = a < b ? b : a;
        enters[i] = enters[i] > near ? enters[i] : near;
        leaves[i] = leaves[i] < far ? leaves[i] : far;
      }
    }
    for (std::size_t i = 0; i < count; ++i) found[first + i] = enters[i] <= leaves[i] ? 1 : 0;
  }
}

void PastBounds::find(const engine::Vec3& centre, float reach, std::vector<std::uint8_t>& found) const {
  found.resize(size());
  const std::array<float, 3> at{centre.x, centre.y, centre.z};
  const auto out = [](float low, float high, float place) {
    const float below = low - place;
    const float above = place - high;
    const float most = below > above ? below : above;
    return most > 0 ? most : 0.0f;
  };
  for (std::uint32_t slot = 0; slot < size(); ++slot) {
    const float x = out(low_[0][slot], high_[0][slot], at[0]);
    const float y = out(low_[1][slot], high_[1][slot], at[1]);
    const float z = out(low_[2][slot], high_[2][slot], at[2]);
    found[slot] = x * x + y * y + z * z <= reach * reach ? 1 : 0;
  }
}

bool PastBounds::contains(std::uint32_t slot, const engine::Vec3& place) const {
  const std::array<float, 3> at{place.x, place.y, place.z};
  for (std::size_t i = 0; i < 3; ++i)
    if (at[i] < low_[i][slot] || at[i] > high_[i][slot]) return false;
  return true;
}

}  // namespace mobula::server
