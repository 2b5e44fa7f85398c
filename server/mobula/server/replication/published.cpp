#include <algorithm>
#include <cstring>
#include <mobula/server/replication/published.hpp>
#include <mobula/wire/entity_hash.hpp>
#include <utility>

namespace mobula::server {

Published::Published(ecs::Registry& registry, const reflect::Schema& schema, std::size_t history_bytes)
    : registry_(registry), codecs_(registry, schema), log_(history_bytes) {}

Published::~Published() {
  for (const PublishedEntity& entity : entities_)
    if (entity.entity) registry_.prototypes().drop(entity.prototype);
}

Published::Column::Column(const wire::RowCodec& row_codec, const ecs::Pool& pool)
    : codec(row_codec),
      key(wire::pool_key(pool)),
      component_size(pool.type().size),
      row_type{.id = pool.type().id,
               .name = pool.type().name,
               .size = static_cast<std::uint32_t>(tracks_at() + codec.courses().size() * sizeof(CourseTrack)),
               .alignment = 8,
               .default_value = {}},
      rows(pool.id(), row_type, pool.instance(), pool.instance_name(), unused_tick, {}),
      scratch(codec.words()) {}

Published::Column& Published::column(ecs::PoolId pool) {
  if (pool >= columns_.size()) columns_.resize(registry_.pool_count());
  if (columns_[pool] == nullptr) columns_[pool] = std::make_unique<Column>(*codecs_.row(pool), registry_.pool(pool));
  return *columns_[pool];
}

void Published::add_hashes(PublishedEntity& entity, std::uint64_t hash, std::uint64_t owner_hash) {
  entity.hash += hash;
  entity.owner_hash += owner_hash;
  hash_ += hash;
}

void Published::resize(std::uint32_t end) {
  if (end <= entities_.size()) return;
  entities_.resize(end);
  public_ticks_.resize(end, 0);
  owner_ticks_.resize(end, 0);
  changed_last_.make_room(end);
}

void Published::note_change(std::uint32_t index, ecs::Tick tick) {
  if (tick != last_change_) {
    change_before_ = std::exchange(last_change_, tick);
    changed_last_.clear();
  }
  changed_last_.insert(index);
}

void Published::place(ecs::Entity entity, ecs::PrototypeId prototype, ecs::Tick tick) {
  MOBULA_ASSERT(entity, "null_entity is not published");
  // Calls that may throw come first.
  resize(entity.index + 1);
  ecs::PrototypeTable& prototypes = registry_.prototypes();
  std::uint64_t hash = wire::base_hash(entity, codecs_.prototype_hash(prototype));
  std::uint64_t owner_hash = 0;
  for (const ecs::PoolId pool : prototypes.pools(prototype)) column(pool);

  if (entities_[entity.index].entity != entity) erase(entity.index, tick);
  PublishedEntity& placed = entities_[entity.index];
  prototypes.hold(prototype);
  if (placed.entity) {
    for (const ecs::PoolId pool : prototypes.pools(placed.prototype))
      if (!prototypes.contains(prototype, pool)) columns_[pool]->rows.remove(entity.index);
    prototypes.drop(placed.prototype);
  } else {
    ++size_;
  }
  for (const ecs::PoolId pool : prototypes.pools(prototype)) {
    const ecs::Pool& rows = columns_[pool]->rows;
    const std::uint32_t position = rows.find(entity.index);
    if (position == ecs::Pool::none) continue;
    const auto row = core::load<Row>(rows.at(position));
    hash += row.hash;
    owner_hash += row.owner_hash;
  }
  add_hashes(placed, hash - placed.hash, owner_hash - placed.owner_hash);
  placed.entity = entity;
  placed.prototype = prototype;
  placed.structure_tick = tick;
  public_ticks_[entity.index] = owner_ticks_[entity.index] = tick;
  note_change(entity.index, tick);
}

void Published::erase(std::uint32_t index, ecs::Tick tick) {
  if (!entity(index).entity) return;
  PublishedEntity& gone = entities_[index];
  for (const ecs::PoolId pool : registry_.prototypes().pools(gone.prototype)) {
    ecs::Pool& rows = columns_[pool]->rows;
    if (rows.contains(index)) rows.remove(index);
  }
  registry_.prototypes().drop(gone.prototype);
  hash_ -= gone.hash;
  --size_;
  gone = {};
  public_ticks_[index] = owner_ticks_[index] = tick;
  note_change(index, tick);
}

bool Published::update(std::uint32_t index, ecs::PoolId pool, const std::byte* component, ecs::Tick tick) {
  Column& target = *columns_[pool];
  ecs::Pool& rows = target.rows;
  const std::uint32_t position = rows.find(index);
  if (position != ecs::Pool::none) {
    std::byte* row = rows.address(position);
    const bool same = std::memcmp(target.bytes(row), component, target.component_size) == 0;
    if (same && !has_to_follow(target, row, index, tick)) return false;
    return store(index, target, row, component, tick);
  }
  rows.make_room(index);
  if (!target.codec.courses().empty()) target.under_way.make_room(index + 1);
  std::byte* row = rows.at_mutable(rows.commit(index));
  core::store(row, Row{});
  std::fill_n(target.tracks(row), target.codec.courses().size(), CourseTrack{.written = tick});
  return store(index, target, row, component, tick);
}

bool Published::store(std::uint32_t index, Column& column, std::byte* row, const std::byte* component, ecs::Tick tick) {
  const std::uint32_t all = column.codec.words();
  const std::uint32_t seen_by_all = column.codec.public_words();
  std::uint32_t* const now = column.scratch.data();
  std::uint32_t* const before = column.words(row);
  auto header = core::load<Row>(row);
  const bool is_new = header.tick == 0;
  if (is_new || column.codec.courses().empty()) {
    column.codec.to_words(component, now);
  } else {
    column.codec.to_other_words(component, now);
    follow_courses(index, column, header, row, component, tick);
  }
  header.checked = tick;
  std::memcpy(column.bytes(row), component, column.component_size);
  const bool seen = is_new || !std::equal(now, now + seen_by_all, before);
  const bool owned = is_new || !std::equal(now + seen_by_all, now + all, before + seen_by_all);
  if (!seen && !owned) {
    core::store(row, header);
    return false;
  }

  if (!is_new) header.before = log_.add(header.tick, {before, all}, header.before);
  std::copy_n(now, all, before);
  const std::uint64_t seed = wire::row_seed(entities_[index].entity, column.key);
  const std::uint64_t hash = seen ? wire::public_hash(column.codec, now, seed) : header.hash;
  const std::uint64_t owner_hash = owned ? wire::owner_hash(column.codec, now, seed) : header.owner_hash;
  add_hashes(entities_[index], hash - header.hash, owner_hash - header.owner_hash);
  core::store(row, Row{hash, owner_hash, header.before, tick, header.checked});
  owner_ticks_[index] = tick;
  if (seen) public_ticks_[index] = tick;
  note_change(index, tick);
  return true;
}

// A row whose component was not written, but may leave its course.
bool Published::has_to_follow(const Column& column, const std::byte* row, std::uint32_t index, ecs::Tick tick) {
  return !column.codec.courses().empty() && column.under_way.contains(index) && core::load<Row>(row).checked != tick;
}

// Writes the words of courses to column.scratch: those of the row, if it keeps its course.
void Published::follow_courses(std::uint32_t index, Column& column, const Row& header, std::byte* row,
                               const std::byte* component, ecs::Tick tick) {
  const CourseTruth truth{.now = component, .before = column.bytes(row)};
  const bool again = header.checked == tick;  // a second write of the tick, which is no motion
  const std::uint32_t* const before = column.words(row);
  std::uint32_t* const now = column.scratch.data();
  bool all_settled = true;
  CourseTrack* track = column.tracks(row);
  for (const wire::CourseUnit& unit : column.codec.courses()) {
    note_written(unit, tick, truth, *track);
    const bool settled = is_settled(*track, tick);
    if (!settled && keeps_course(unit, before, tick, component, *track)) {
      std::copy_n(before + unit.first, unit.parts, now + unit.first);
      std::copy_n(before + unit.course, unit.course_words(), now + unit.course);
    } else {
      column.codec.to_course_words(unit, component, now);  // the exact value, at rest
      if (!settled && !again) begin_course(unit, tick, truth, *track, now);
    }
    if (!again) note_truth(unit, truth, *track);
    all_settled = all_settled && settled;
    ++track;
  }
  all_settled ? column.under_way.erase(index) : column.under_way.insert(index);
}

void Published::words_now(std::uint32_t index, std::uint32_t* words) {
  for (const ecs::PoolId pool : registry_.prototypes().pools(entities_[index].prototype)) {
    const Column& column = *columns_[pool];
    std::byte* row = column.rows.address(column.rows.find(index));
    words = std::copy_n(column.words(row), column.codec.words(), words);
  }
}

bool Published::words_at(std::uint32_t index, ecs::Tick tick, std::uint32_t* words) {
  if (!entities_[index].entity || entities_[index].structure_tick > tick) return false;
  for (const ecs::PoolId pool : registry_.prototypes().pools(entities_[index].prototype)) {
    const Column& column = *columns_[pool];
    std::byte* row = column.rows.address(column.rows.find(index));
    const auto header = core::load<Row>(row);
    const std::uint32_t* then = header.tick <= tick ? column.words(row) : log_.find(header.before, tick);
    if (then == nullptr) return false;
    words = std::copy_n(then, column.codec.words(), words);
  }
  return true;
}

void Published::check() {
  std::uint64_t total = 0;
  std::uint32_t count = 0;
  for (const PublishedEntity& entity : entities_) {
    if (!entity.entity) continue;
    std::uint64_t hash = wire::base_hash(entity.entity, codecs_.prototype_hash(entity.prototype));
    std::uint64_t owner_hash = 0;
    for (const ecs::PoolId pool : registry_.prototypes().pools(entity.prototype)) {
      const Column& column = *columns_[pool];
      const std::uint32_t position = column.rows.find(entity.entity.index);
      MOBULA_ASSERT(position != ecs::Pool::none, "an entity has a row of each component");
      const std::uint32_t* words = column.words(column.rows.address(position));
      const std::uint64_t seed = wire::row_seed(entity.entity, column.key);
      hash += wire::public_hash(column.codec, words, seed);
      owner_hash += wire::owner_hash(column.codec, words, seed);
    }
    MOBULA_ASSERT(hash == entity.hash && owner_hash == entity.owner_hash, "an entity's hash is the sum of its parts");
    total += hash;
    ++count;
  }
  MOBULA_ASSERT(total == hash_ && count == size_, "the total hash is the sum of the entities' hashes");
}

}  // namespace mobula::server
