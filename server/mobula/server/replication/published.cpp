#include <algorithm>
#include <cstring>
#include <mobula/server/replication/published.hpp>
#include <mobula/wire/entity_hash.hpp>
#include <utility>

namespace mobula::server {

Published::Published(ecs::Registry& registry, const reflect::Schema& schema, std::size_t history_bytes,
                     double tick_seconds)
    : registry_(registry), codecs_(registry, schema), log_(history_bytes), tick_seconds_(tick_seconds) {}

Published::~Published() {
  for (const PublishedEntity& entity : entities_)
    if (entity.entity) registry_.prototypes().drop(entity.prototype);
}

Published::Column::Column(const wire::RowCodec& row_codec, const ecs::Pool& pool, std::vector<GivenVelocity> velocities)
    : codec(row_codec),
      key(wire::pool_key(pool)),
      component_size(pool.type().size),
      row_type{.id = pool.type().id,
               .name = pool.type().name,
               .size = core::align_up(static_cast<std::uint32_t>(sizeof(Row)) + codec.words() * 4 + component_size, 8),
               .alignment = 8,
               .default_value = {}},
      rows(pool.id(), row_type, pool.instance(), pool.instance_name(), unused_tick, {}),
      scratch(codec.words()),
      followed(codec.courses().empty() ? nullptr : std::make_unique<FollowedRows>(codec, std::move(velocities))) {}

// Removes the row of an entity, if it has one.
void Published::Column::remove(std::uint32_t index) {
  const std::uint32_t position = rows.find(index);
  if (position == ecs::Pool::none) return;
  if (followed != nullptr && followed->contains(index)) followed->erase(index, words(rows.at(position)));
  rows.remove(index);
}

Published::Column& Published::column(ecs::PoolId pool) {
  if (pool >= columns_.size()) columns_.resize(registry_.pool_count());
  if (columns_[pool] == nullptr) {
    const wire::RowCodec& codec = *codecs_.row(pool);
    const std::vector<reflect::Field>& fields = codecs_.schema().find(registry_.pool(pool).type().id)->fields;
    std::vector<GivenVelocity> velocities;
    for (const wire::CourseUnit& unit : codec.courses())
      velocities.emplace_back(registry_, codec, unit, fields, tick_seconds_);
    columns_[pool] = std::make_unique<Column>(codec, registry_.pool(pool), std::move(velocities));
    const core::StringId32 type = registry_.pool(pool).type().id;
    columns_[pool]->kept = std::ranges::find(kept_types_, type) != kept_types_.end();
    columns_[pool]->mark = std::ranges::find(mark_types_, type) != mark_types_.end();
  }
  return *columns_[pool];
}

PublishedRow Published::row(ecs::Entity entity, ecs::PoolId pool) const {
  if (pool >= columns_.size() || columns_[pool] == nullptr || this->entity(entity.index).entity != entity) return {};
  const Column& column = *columns_[pool];
  const std::uint32_t position = column.rows.find(entity.index);
  if (position == ecs::Pool::none) return {};
  return {&column.codec, column.words(column.rows.at(position))};
}

std::span<const CourseStats> Published::course_stats(ecs::PoolId pool) const {
  const FollowedRows* const rows = followed(pool);
  return rows != nullptr ? rows->stats() : std::span<const CourseStats>();
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
  extrapolated_.make_room(end);
  if (keeps_past()) kept_.make_room(end);
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
    end_composition(entity.index, tick);
    for (const ecs::PoolId pool : prototypes.pools(placed.prototype))
      if (!prototypes.contains(prototype, pool)) columns_[pool]->remove(entity.index);
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
  note_kept(entity.index, prototype);
  codecs_.entity(prototype).extrapolates ? extrapolated_.insert(entity.index) : extrapolated_.erase(entity.index);
  public_ticks_[entity.index] = owner_ticks_[entity.index] = tick;
  note_change(entity.index, tick);
}

void Published::erase(std::uint32_t index, ecs::Tick tick) {
  if (!entity(index).entity) return;
  end_composition(index, tick);
  PublishedEntity& erased = entities_[index];
  for (const ecs::PoolId pool : registry_.prototypes().pools(erased.prototype)) columns_[pool]->remove(index);
  registry_.prototypes().drop(erased.prototype);
  hash_ -= erased.hash;
  --size_;
  erased = {};
  public_ticks_[index] = owner_ticks_[index] = tick;
  note_change(index, tick);
}

bool Published::update(std::uint32_t index, ecs::PoolId pool, const std::byte* component, ecs::Tick tick) {
  Column& target = *columns_[pool];
  const std::uint32_t position = target.rows.find(index);
  if (position == ecs::Pool::none) return add(index, target, component, tick);
  FollowedRows* const followed = target.followed.get();
  if (followed != nullptr && followed->contains(index)) return false;
  std::byte* const row = target.rows.address(position);
  if (std::memcmp(target.bytes(row), component, target.component_size) == 0) return false;
  if (followed == nullptr || !followed->has_moved(component, target.bytes(row)))
    return store(index, target, row, component, tick);
  auto header = core::load<Row>(row);
  followed->add(index, target.words(row), target.bytes(row), std::exchange(header.has_moved, true));
  core::store(row, header);
  return false;
}

// Adds a row. One that begins on a course is stored by follow(); until then it is at rest, and its tick is 0.
bool Published::add(std::uint32_t index, Column& column, const std::byte* component, ecs::Tick tick) {
  column.rows.make_room(index);
  std::byte* const row = column.rows.at_mutable(column.rows.commit(index));
  const bool begins = column.followed != nullptr && column.followed->has_velocity(registry_, index);
  core::store(row, Row{.has_moved = begins});
  if (!begins) return store(index, column, row, component, tick);
  column.codec.to_words(component, column.words(row));
  std::memcpy(column.bytes(row), component, column.component_size);
  column.followed->add_new(registry_, index, column.words(row), component);
  return false;
}

// Stores a component at rest.
bool Published::store(std::uint32_t index, Column& column, std::byte* row, const std::byte* component, ecs::Tick tick) {
  column.codec.to_words(component, column.scratch.data());
  return store_words(index, column, row, component, tick);
}

// Stores the words of a component that are in column.scratch. Returns whether the row is new or they differ.
bool Published::store_words(std::uint32_t index, Column& column, std::byte* row, const std::byte* component,
                            ecs::Tick tick) {
  const wire::RowCodec& codec = column.codec;
  const std::uint32_t all = codec.words();
  const std::uint32_t* const now = column.scratch.data();
  std::uint32_t* const before = column.words(row);
  auto header = core::load<Row>(row);
  std::memcpy(column.bytes(row), component, column.component_size);
  const bool is_new = header.tick == 0;
  const auto differ = [&](std::uint32_t first, std::uint32_t end) {
    return is_new || !std::equal(now + first, now + end, before + first);
  };
  const bool common = differ(0, codec.common_words());
  const bool seen = common || differ(codec.common_words(), codec.public_words());
  const bool owned = differ(codec.public_words(), all);
  if (!seen && !owned) return false;

  if (!is_new) {
    log_.begin_tick(tick);
    header.before = log_.add(header.tick, {before, all}, header.before);
  }
  std::copy_n(now, all, before);
  const std::uint64_t seed = wire::row_seed(entities_[index].entity, column.key);
  const bool owner_differs = owned || (seen && codec.has_words_for_others());
  const std::uint64_t hash = seen ? wire::public_hash(codec, now, seed) : header.hash;
  const std::uint64_t owner_hash = owner_differs ? wire::owner_hash(codec, now, seed) : header.owner_hash;
  add_hashes(entities_[index], hash - header.hash, owner_hash - header.owner_hash);
  core::store(row, Row{hash, owner_hash, header.before, tick, header.has_moved});
  if (common || owned) owner_ticks_[index] = tick;
  if (seen) public_ticks_[index] = tick;
  note_change(index, tick);
  return true;
}

// Stores a row that follows courses: units keep their course, begin another, or settle. Returns whether its words
// differ.
bool Published::store_followed(Column& column, const FollowedRows::Changed& changed, ecs::Tick tick) {
  FollowedRows& followed = *column.followed;
  std::byte* const row = column.rows.address(column.rows.find(changed.index));
  const bool is_new = core::load<Row>(row).tick == 0;
  const std::uint32_t* const before = column.words(row);
  std::uint32_t* const now = column.scratch.data();
  column.codec.to_other_words(changed.component, now);
  for (std::size_t i = 0; i < column.codec.courses().size(); ++i) {
    const wire::CourseUnit& unit = column.codec.courses()[i];
    FollowedUnit& courses = followed.unit(i);
    if (!courses.ends(changed.entry)) {
      std::copy_n(before + unit.first, unit.parts, now + unit.first);
      std::copy_n(before + unit.course, unit.course_words(), now + unit.course);
      continue;
    }
    column.codec.to_course_words(unit, changed.component, now);  // the exact value, at rest
    if (courses.settles(changed.entry)) {
      courses.settle(changed.entry, now);
    } else {
      begin_course(unit, tick, courses.truth(changed.entry), now);
      courses.set_course(changed.entry, now);
    }
    followed.count(i, is_new ? nullptr : before, now);
  }
  if (followed.note_published(changed)) followed.erase(changed.index, now);
  return store_words(changed.index, column, row, changed.component, tick);
}

void Published::words_now(std::uint32_t index, std::uint32_t* words) {
  for (const ecs::PoolId pool : registry_.prototypes().pools(entities_[index].prototype)) {
    const Column& column = *columns_[pool];
    std::byte* row = column.rows.address(column.rows.find(index));
    words = std::copy_n(column.words(row), column.codec.words(), words);
  }
}

bool Published::words_at(std::uint32_t index, std::span<FormerWords> wanted) {
  if (!entities_[index].entity || entities_[index].structure_tick > wanted.back().tick) return false;
  for (const ecs::PoolId pool : registry_.prototypes().pools(entities_[index].prototype)) {
    const Column& column = *columns_[pool];
    std::byte* row = column.rows.address(column.rows.find(index));
    const auto header = core::load<Row>(row);
    ValueLog::Place place = header.before;
    for (FormerWords& each : wanted) {
      const std::uint32_t* then = header.tick <= each.tick ? column.words(row) : log_.find_back(place, each.tick);
      if (then == nullptr) return false;
      each.words = std::copy_n(then, column.codec.words(), each.words);
    }
  }
  return true;
}

void Published::check() {
  std::uint64_t total = 0;
  std::uint32_t count = 0;
  std::size_t followed = 0;
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
      if (column.followed != nullptr && column.followed->contains(entity.entity.index)) {
        column.followed->check_entry(entity.entity.index, words);
        ++followed;
      }
    }
    MOBULA_ASSERT(hash == entity.hash && owner_hash == entity.owner_hash, "an entity's hash is the sum of its parts");
    total += hash;
    ++count;
  }
  MOBULA_ASSERT(total == hash_ && count == size_, "the total hash is the sum of the entities' hashes");
  for (const std::unique_ptr<Column>& column : columns_)
    if (column != nullptr && column->followed != nullptr) followed -= column->followed->size();
  MOBULA_ASSERT(followed == 0, "followed rows are those of entities");
}

}  // namespace mobula::server
