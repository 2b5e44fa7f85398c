#include <algorithm>
#include <mobula/server/publisher.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {
std::span<const std::uint32_t> Publisher::publish() {
  MOBULA_ASSERT(registry_.tick() > last_tick_, "a tick is published once");
  changed_.clear();
  for (const ecs::JournalEntry& entry : registry_.journal())
    for (std::uint32_t i = 0; i < entry.count; ++i) note(entry.first.index + i);
  for (const std::uint32_t index : changed_) publish_structure(index);
  for (ecs::PoolId pool = 0; pool < registry_.pool_count(); ++pool)
    if (rows_.codec(pool) != nullptr) publish_values(pool);
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
  if (!entity) return rows_.erase(index);
  const ecs::PrototypeId prototype = sent_prototype(registry_.prototype(entity));
  const wire::EntityRow& published = rows_.entity(index);
  if (published.entity == entity && published.prototype == prototype) return;
  rows_.place(entity, prototype, registry_.tick());
  for (const ecs::PoolId pool : registry_.prototypes().pools(prototype))
    rows_.update(index, pool, registry_.try_read(entity, pool), registry_.tick());
}

void Publisher::publish_values(ecs::PoolId id) {
  const ecs::Pool& pool = registry_.pool(id);
  const std::span<const ecs::Tick> stamps = pool.stamps();
  for (std::uint32_t block = 0; block < stamps.size(); ++block) {
    if (stamps[block] <= last_tick_) continue;
    const std::uint32_t begin = block << ecs::Pool::block_shift;
    const std::uint32_t end = std::min(begin + (1u << ecs::Pool::block_shift), pool.size());
    for (std::uint32_t position = begin; position < end; ++position) {
      const std::uint32_t index = pool.indices()[position];
      if (!registry_.prototypes().contains(rows_.entity(index).prototype, id)) continue;  // does not fit, see below
      if (rows_.update(index, id, pool.at(position), registry_.tick())) note(index);
    }
  }
}

void Publisher::forget(std::span<const ecs::PrototypeId> prototypes) {
  rows_.forget(prototypes);
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
    std::uint32_t bits = 0;
    for (const ecs::PoolId pool : registry_.prototypes().pools(prototype)) {
      const wire::ComponentCodec* codec = rows_.codec(pool);
      if (codec == nullptr) continue;
      bits += codec->max_bits();
      const bool fits = bits <= wire::entity_bits_max && sent.size() < wire::max_components_per_prototype;
      MOBULA_ASSERT(fits, "the components of one entity do not fit a datagram");
      if (fits) sent.push_back(pool);
    }
    sent_prototypes_[prototype] = registry_.prototypes().intern(sent);
    // Itself it must not hold, or it would never go.
    if (sent_prototypes_[prototype] != prototype) registry_.prototypes().hold(sent_prototypes_[prototype]);
  }
  return sent_prototypes_[prototype];
}

}  // namespace mobula::server
