#include <algorithm>
#include <mobula/server/replication/publisher.hpp>

namespace mobula::server {

std::span<const std::uint32_t> Publisher::publish() {
  MOBULA_ASSERT(registry_.tick() > last_tick_, "a tick is published once");
  changed_.clear();
  spawned_.clear();
  despawned_.clear();
  for (const ecs::JournalEntry& entry : registry_.journal())
    for (std::uint32_t i = 0; i < entry.count; ++i) note(entry.first.index + i);
  for (const std::uint32_t index : changed_) publish_structure(index);
  for (ecs::PoolId pool = 0; pool < registry_.pool_count(); ++pool)
    if (const wire::RowCodec* codec = published_.codecs().row(pool)) publish_values(pool, *codec);
  last_tick_ = registry_.tick();
  return changed_;
}

void Publisher::note(std::uint32_t index) {
  if (index >= noted_.size()) noted_.resize(registry_.entities().index_end(), 0);
  if (noted_[index] == registry_.tick()) return;
  noted_[index] = registry_.tick();
  changed_.push_back(index);
}

void Publisher::publish_structure(std::uint32_t index) {
  const ecs::Entity entity = registry_.entities().at(index);
  const PublishedEntity before = published_.entity(index);
  if (before.entity != entity && before.entity) despawned_.push_back(index);
  if (before.entity != entity && entity) spawned_.push_back(index);
  if (!entity) return published_.erase(index, registry_.tick());
  const ecs::PrototypeId prototype = sent_prototype(registry_.prototype(entity));
  if (before.entity == entity && before.prototype == prototype) return;
  published_.place(entity, prototype, registry_.tick());
  for (const ecs::PoolId id : registry_.prototypes().pools(prototype)) {
    ecs::Pool& pool = registry_.pool(id);
    published_.update(index, id, component(pool, pool.find(index), *published_.codecs().row(id)), registry_.tick());
  }
}

const std::byte* Publisher::component(ecs::Pool& pool, std::uint32_t position, const wire::RowCodec& codec) {
  if (codec.has_predicted()) codec.snap_predicted(pool.address(position));
  return pool.address(position);
}

void Publisher::publish_values(ecs::PoolId id, const wire::RowCodec& codec) {
  ecs::Pool& pool = registry_.pool(id);
  const FollowedRows* const followed = published_.followed(id);
  const std::span<const ecs::Tick> change_ticks = pool.change_ticks();
  for (std::uint32_t block = 0; block < change_ticks.size(); ++block) {
    if (change_ticks[block] <= last_tick_) continue;
    const std::uint32_t begin = block << ecs::Pool::block_shift;
    const std::uint32_t end = std::min(begin + (1u << ecs::Pool::block_shift), pool.size());
    for (std::uint32_t position = begin; position < end; ++position) {
      const std::uint32_t index = pool.indices()[position];
      MOBULA_ASSERT(registry_.prototypes().contains(published_.entity(index).prototype, id),
                    "every component that can be sent is published");
      const std::byte* const now = component(pool, position, codec);
      if (followed != nullptr && followed->contains(index)) continue;
      if (published_.update(index, id, now, registry_.tick())) note(index);
    }
  }
  // Written or not: a body that stops without a write must not go on.
  published_.follow(pool, registry_.tick(), last_tick_, [&](std::uint32_t index) { note(index); });
}

void Publisher::forget(std::span<const ecs::PrototypeId> prototypes) {
  published_.forget(prototypes);
  for (const ecs::PrototypeId prototype : prototypes) {
    if (prototype < sent_prototypes_.size()) forget(prototype);
  }
}

void Publisher::forget(ecs::PrototypeId prototype) {
  const ecs::PrototypeId sent = std::exchange(sent_prototypes_[prototype], not_computed);
  if (sent != not_computed && sent != prototype) registry_.prototypes().drop(sent);
}

Publisher::~Publisher() {
  for (ecs::PrototypeId prototype = 0; prototype < sent_prototypes_.size(); ++prototype) forget(prototype);
}

ecs::PrototypeId Publisher::sent_prototype(ecs::PrototypeId prototype) {
  if (prototype >= sent_prototypes_.size()) sent_prototypes_.resize(registry_.prototypes().size(), not_computed);
  if (sent_prototypes_[prototype] == not_computed) {
    std::vector<ecs::PoolId> sent;
    for (const ecs::PoolId pool : registry_.prototypes().pools(prototype))
      if (published_.codecs().row(pool) != nullptr) sent.push_back(pool);
    sent_prototypes_[prototype] = registry_.prototypes().intern(sent);
    // A prototype that held itself would never be reclaimed.
    if (sent_prototypes_[prototype] != prototype) registry_.prototypes().hold(sent_prototypes_[prototype]);
  }
  return sent_prototypes_[prototype];
}

}  // namespace mobula::server
