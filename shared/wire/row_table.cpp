#include <algorithm>
#include <mobula/core/hash.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/wire/row_table.hpp>

namespace mobula::wire {
namespace {

std::uint64_t base_hash(ecs::Entity entity, std::uint64_t prototype_hash) {
  const std::uint64_t words[] = {entity.index, entity.generation, prototype_hash};
  return core::hash64(core::as_bytes(words, 3));
}

std::uint64_t row_hash(ecs::Entity entity, std::uint64_t column_key, core::ByteView data) {
  const std::uint64_t handle = static_cast<std::uint64_t>(entity.generation) << 32 | entity.index;
  return core::hash64(data, handle * 0x9e3779b97f4a7c15ull ^ column_key);
}

}  // namespace

RowTable::Column::Column(const reflect::Component& component, const ecs::Pool& pool)
    : codec(component),
      key(static_cast<std::uint64_t>(pool.type().id.value) << 32 | pool.instance().value),
      row_type{.id = component.id,
               .name = component.name,
               .size = core::align_up(static_cast<std::uint32_t>(sizeof(StoredRow)) + (codec.max_bits() + 7) / 8, 8),
               .alignment = 8,
               .default_value = {}},
      rows(pool.id(), row_type, pool.instance(), pool.instance_name(), unused_tick, {}) {}

RowTable::~RowTable() {
  for (const EntityRow& row : entities_)
    if (row.entity) registry_.prototypes().drop(row.prototype);
}

void RowTable::forget(std::span<const ecs::PrototypeId> prototypes) {
  for (const ecs::PrototypeId prototype : prototypes)
    if (prototype < prototype_hashes_.size()) prototype_hashes_[prototype] = 0;
}

const ComponentCodec* RowTable::codec(ecs::PoolId pool) {
  const Column* found = column(pool);
  return found == nullptr ? nullptr : &found->codec;
}

RowTable::Column* RowTable::column(ecs::PoolId pool) {
  if (pool >= columns_.size()) {
    columns_.resize(registry_.pool_count());
    known_.resize(registry_.pool_count(), false);
  }
  if (!known_[pool]) {
    known_[pool] = true;
    const ecs::Pool& source = registry_.pool(pool);
    const reflect::Component* component = source.type().schema ? schema_.find(source.type().id) : nullptr;
    if (component != nullptr && !component->not_sent) columns_[pool] = std::make_unique<Column>(*component, source);
  }
  return columns_[pool].get();
}

std::uint64_t RowTable::prototype_hash(ecs::PrototypeId prototype) {
  if (prototype >= prototype_hashes_.size()) prototype_hashes_.resize(registry_.prototypes().size(), 0);
  std::uint64_t& hash = prototype_hashes_[prototype];
  if (hash == 0) hash = index::prototype_hash(index::components(registry_, prototype));
  return hash;
}

void RowTable::add_to_hash(EntityRow& row, std::uint64_t change) {
  row.hash += change;
  hash_ += change;
}

void RowTable::place(ecs::Entity entity, ecs::PrototypeId prototype, ecs::Tick tick) {
  MOBULA_ASSERT(entity, "null_entity has no rows");
  if (entity.index >= entities_.size()) entities_.resize(entity.index + 1);
  // Whatever may throw comes first.
  ecs::PrototypeTable& prototypes = registry_.prototypes();
  std::uint64_t hash = base_hash(entity, prototype_hash(prototype));
  for (const ecs::PoolId pool : prototypes.pools(prototype)) column(pool);

  if (entities_[entity.index].entity != entity) erase(entity.index);
  EntityRow& row = entities_[entity.index];
  prototypes.hold(prototype);
  if (row.entity) {
    for (const ecs::PoolId pool : prototypes.pools(row.prototype))
      if (!prototypes.contains(prototype, pool)) columns_[pool]->rows.remove(entity.index);
    prototypes.drop(row.prototype);
  } else {
    ++size_;
  }
  for (const ecs::PoolId pool : prototypes.pools(prototype)) {
    const ecs::Pool& rows = columns_[pool]->rows;
    const std::uint32_t position = rows.find(entity.index);
    if (position != ecs::Pool::none) hash += core::load<StoredRow>(rows.at(position)).hash;
  }
  add_to_hash(row, hash - row.hash);
  row.entity = entity;
  row.prototype = prototype;
  row.structure_tick = tick;
  row.tick = tick;
}

void RowTable::erase(std::uint32_t index) {
  if (!entity(index).entity) return;
  EntityRow& row = entities_[index];
  for (const ecs::PoolId pool : registry_.prototypes().pools(row.prototype)) {
    ecs::Pool& rows = columns_[pool]->rows;
    if (rows.contains(index)) rows.remove(index);
  }
  registry_.prototypes().drop(row.prototype);
  hash_ -= row.hash;
  --size_;
  row = {};
}

bool RowTable::store(std::uint32_t index, Column& column, ecs::Tick tick, std::uint32_t bits) {
  EntityRow& owner = entities_[index];
  ecs::Pool& rows = column.rows;
  const std::uint32_t bytes = (bits + 7) / 8;
  std::uint32_t position = rows.find(index);
  StoredRow stored{};
  std::byte* place = nullptr;
  if (position == ecs::Pool::none) {
    rows.make_room(index);
    place = rows.at_mutable(rows.commit(index));
  } else {
    place = rows.at_mutable(position);
    stored = core::load<StoredRow>(place);
    if (stored.bits == bits && std::memcmp(place + sizeof(StoredRow), scratch_.data(), bytes) == 0) return false;
  }
  const std::uint64_t old_hash = stored.hash;
  stored = {row_hash(owner.entity, column.key, {scratch_.data(), bytes}), tick, bits};
  core::store(place, stored);
  std::memcpy(place + sizeof(StoredRow), scratch_.data(), bytes);
  add_to_hash(owner, stored.hash - old_hash);
  owner.tick = tick;
  return true;
}

// A little more than needed: BitWriter is fastest away from its buffer's end.
core::MutableBytes RowTable::scratch(std::uint32_t bits) {
  const std::size_t bytes = (bits + 7) / 8 + 8;
  if (scratch_.size() < bytes) scratch_.resize(bytes);
  return scratch_;
}

bool RowTable::update(std::uint32_t index, ecs::PoolId pool, const std::byte* component, ecs::Tick tick) {
  Column& target = *column(pool);
  core::BitWriter writer(scratch(target.codec.max_bits()));
  target.codec.encode(component, writer);
  return store(index, target, tick, static_cast<std::uint32_t>(writer.bits()));
}

void RowTable::assign(std::uint32_t index, ecs::PoolId pool, core::BitReader source, std::uint32_t bits,
                      ecs::Tick tick) {
  core::BitWriter writer(scratch(bits));
  for (std::uint32_t left = bits; left > 0;) {
    const unsigned taken = std::min(left, 64u);
    writer.write(source.read(taken), taken);
    left -= taken;
  }
  store(index, *column(pool), tick, bits);
}

Row RowTable::row(std::uint32_t index, ecs::PoolId pool) const {
  const ecs::Pool& rows = columns_[pool]->rows;
  const std::byte* place = rows.at(rows.find(index));
  const auto stored = core::load<StoredRow>(place);
  return {stored.tick, stored.bits, place + sizeof(StoredRow)};
}

void RowTable::check() const {
  std::uint64_t total = 0;
  std::uint32_t count = 0;
  for (const EntityRow& row : entities_) {
    if (!row.entity) continue;
    std::uint64_t hash = base_hash(row.entity, index::prototype_hash(index::components(registry_, row.prototype)));
    for (const ecs::PoolId pool : registry_.prototypes().pools(row.prototype)) {
      const Row part = this->row(row.entity.index, pool);
      hash += row_hash(row.entity, columns_[pool]->key, {part.data, (part.bits + 7) / 8});
    }
    MOBULA_ASSERT(hash == row.hash, "an entity's hash is the sum of its parts");
    total += hash;
    ++count;
  }
  MOBULA_ASSERT(total == hash_ && count == size_, "the table's hash is the sum of its entities");
}

}  // namespace mobula::wire
