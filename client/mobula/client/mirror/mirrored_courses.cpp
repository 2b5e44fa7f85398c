#include <algorithm>
#include <mobula/client/mirror/mirrored_courses.hpp>
#include <mobula/core/bytes.hpp>

namespace mobula::client {

void MirroredCourses::Unit::push(const Shown& state) {
  places.push(state.entity.index);
  entities.push_back(state.entity);
  ids.push_back(state.id);
  courses.push(state.words);
}

void MirroredCourses::Unit::erase(std::uint32_t entry) {
  const auto fill_gap = [entry](auto& column) {
    column[entry] = column.back();
    column.pop_back();
  };
  places.erase(entry);
  fill_gap(entities);
  fill_gap(ids);
  courses.erase(entry);
}

std::uint32_t MirroredCourses::set(wire::SchemaCodecs& codecs, Shown state) {
  std::uint32_t count = 0;
  for (const ecs::PoolId pool : state.pools) {
    const wire::RowCodec& codec = *codecs.row(pool);
    const auto is_under_way = [&](const wire::CourseUnit& unit) { return wire::is_under_way(unit, state.words); };
    if (pool >= pools_.size()) pools_.resize(pool + 1);
    Units& units = pools_[pool];
    if (units.empty() && std::ranges::any_of(codec.courses(), is_under_way))
      for (const wire::CourseUnit& unit : codec.courses()) units.push_back(std::make_unique<Unit>(unit));
    for (const std::unique_ptr<Unit>& unit : units) set_unit(*unit, state, count);
    state.words += codec.words();
    if (state.before != nullptr) state.before += codec.words();
  }
  return count;
}

// Follows the course of a unit, or does so no longer. `state` has the words from those of the component on.
void MirroredCourses::set_unit(Unit& unit, const Shown& state, std::uint32_t& count) {
  std::uint32_t entry = unit.places.find(state.entity.index);
  const bool is_new = entry == ecs::SparseSet::none;
  if (!wire::is_under_way(unit.courses.unit(), state.words)) {
    if (!is_new) unit.erase(entry);
    return;
  }
  if (is_new) {
    entry = unit.places.size();
    unit.push(state);
  } else if (state.before == nullptr || !wire::has_same_course(unit.courses.unit(), state.words, state.before)) {
    unit.courses.set(entry, state.words);
  }
  unit.ids[entry] = state.id;
  ++count;
}

void MirroredCourses::erase(std::uint32_t index, std::span<const ecs::PoolId> pools) {
  for (const ecs::PoolId pool : pools) {
    if (pool >= pools_.size()) continue;
    for (const std::unique_ptr<Unit>& unit : pools_[pool])
      if (const std::uint32_t entry = unit->places.find(index); entry != ecs::SparseSet::none) unit->erase(entry);
  }
}

void MirroredCourses::follow(ecs::Registry& registry, ecs::Tick tick, MirrorChanges& changes) {
  for (ecs::PoolId pool = 0; pool < pools_.size(); ++pool) {
    for (const std::unique_ptr<Unit>& unit : pools_[pool]) {
      if (unit->places.size() == 0) continue;
      unit->follow(registry.pool(pool), tick);
      changes.add(unit->entities, unit->ids, pool);
    }
  }
}

void MirroredCourses::Unit::follow(ecs::Pool& pool, ecs::Tick tick) {
  courses.advance(tick);
  places.update(pool);
  for (std::uint32_t first = 0; first < courses.size(); first += block_size)
    write(first, std::min(block_size, courses.size() - first));
  for (const ecs::Pool::Table table = pool.table(); const std::uint32_t position : places.positions())
    table.mark_changed(position);
}

void MirroredCourses::Unit::write(std::uint32_t first, std::uint32_t count) {
  wire::RunningCourses::Values values;
  courses.values(first, count, values);
  courses.unit().part_bytes == sizeof(float) ? write_values<float>(first, count, values)
                                             : write_values<double>(first, count, values);
}

template <class Float>
void MirroredCourses::Unit::write_values(std::uint32_t first, std::uint32_t count,
                                         const wire::RunningCourses::Values& values) {
  std::byte* const* const to = places.components().data() + first;
  std::array<Float, block_size> numbers;
  for (std::uint32_t part = 0; part < courses.unit().parts; ++part) {
    const std::uint32_t offset = courses.unit().part_offset(part);
    for (std::uint32_t i = 0; i < count; ++i) numbers[i] = static_cast<Float>(values[part][i]);
    for (std::uint32_t i = 0; i < count; ++i) core::store(to[i] + offset, numbers[i]);
  }
}

std::uint32_t MirroredCourses::count(std::uint32_t index, std::span<const ecs::PoolId> pools) const {
  std::uint32_t count = 0;
  for (const ecs::PoolId pool : pools) {
    if (pool >= pools_.size()) continue;
    for (const std::unique_ptr<Unit>& unit : pools_[pool]) count += unit->places.contains(index) ? 1 : 0;
  }
  return count;
}

std::size_t MirroredCourses::size() const {
  std::size_t size = 0;
  for (const Units& units : pools_)
    for (const std::unique_ptr<Unit>& unit : units) size += unit->places.size();
  return size;
}

}  // namespace mobula::client
