#include <algorithm>
#include <cstring>
#include <mobula/core/log.hpp>
#include <mobula/server/zones/ghosts.hpp>
#include <utility>

namespace mobula::server {

using client::Change;
using client::ChangeKind;

core::Status Ghosts::apply(const client::Mirror& mirror) {
  ended_.clear();
  core::Status all = core::Done{};
  const auto note = [&](core::Status done) {
    if (!done && all) all = std::move(done);
  };
  for (const Change& change : mirror.changes()) {
    switch (change.kind) {
      case ChangeKind::spawned:
      case ChangeKind::composed: note(copy(mirror, change.entity)); break;
      case ChangeKind::changed:
        if (is_shown(change.entity))
          note(copy_component(mirror, change.entity, change.pool));
        else if (is_mine(change.entity) || !registry_.entities().at(change.entity.index))
          note(copy(mirror, change.entity));
        break;
      case ChangeKind::lost: linger(change.entity, linger_ticks); break;
      case ChangeKind::destroyed:
        if (is_mine(change.entity)) drop(change.entity);
        break;
    }
  }
  end_lingering();
  return all;
}

void Ghosts::expire() {
  ended_.clear();
  end_lingering();
}

void Ghosts::show(const client::Mirror& mirror, ecs::Entity entity) {
  if (!registry_.entities().at(entity.index)) static_cast<void>(copy(mirror, entity));
}

// All are ghosts before the first one loses its other components: listeners of the game may destroy others then.
void Ghosts::keep(std::span<const ecs::Entity> entities, const reflect::Schema& schema) {
  std::vector<std::vector<SentValue>> sent;
  for (const ecs::Entity entity : entities) {
    sent.push_back(sent_values(entity, schema));
    ecs::Guests(registry_).set_ghost(entity, true);
  }
  for (std::size_t i = 0; i < entities.size(); ++i) {
    if (registry_.valid(entities[i])) registry_.destroy(entities[i]);
    if (!receive(entities[i])) continue;
    for (const SentValue& value : sent[i]) registry_.add_bytes(entities[i], value.pool, value.bytes);
    linger(entities[i], linger_ticks);
  }
}

std::vector<Ghosts::SentValue> Ghosts::sent_values(ecs::Entity entity, const reflect::Schema& schema) const {
  std::vector<SentValue> sent;
  for (const ecs::PoolId id : registry_.prototypes().pools(registry_.prototype(entity))) {
    const ecs::Pool& pool = registry_.pool(id);
    const reflect::Component* const component = schema.find(pool.type().id);
    const std::byte* const value = std::as_const(registry_).try_read(entity, id);
    if (component != nullptr && !component->not_sent) sent.push_back({id, {value, value + pool.type().size}});
  }
  return sent;
}

void Ghosts::verify(const client::Mirror& mirror, std::uint32_t count) {
  for (count = std::min(count, all_.size()); count > 0; --count) {
    verified_ = verified_ + 1 < all_.size() ? verified_ + 1 : 0;
    const ecs::Entity entity = registry_.entities().at(all_.indices()[verified_]);
    if (!is_shown(entity) || !mirror.registry().valid(entity) || mirror.is_stale(entity)) continue;
    ++stats_.checked;
    const std::string changed = difference(mirror, entity);
    if (changed.empty()) continue;
    ++stats_.corrected;
    core::log_warn("cluster", "the game has changed the ghost {} of another zone ({}); exclude Ghost there",
                   ecs::to_string(entity), changed);
    static_cast<void>(copy(mirror, entity));
  }
}

void Ghosts::begin(ecs::Tick ticks) {
  pool_of_.clear();
  for (const std::uint32_t index : all_.indices()) linger(registry_.entities().at(index), ticks);
}

bool Ghosts::any() const {
  return std::ranges::any_of(all_.indices(),
                             [this](std::uint32_t index) { return is_mine(registry_.entities().at(index)); });
}

bool Ghosts::is_mine(ecs::Entity entity) const {
  const auto* const ghost = std::as_const(registry_).try_get<const Ghost>(entity);
  return ghost != nullptr && ghost->neighbour == neighbour_;
}

// False for a kept one: the mirror may still have it as it was at an earlier stay, before it was this world's.
bool Ghosts::is_shown(ecs::Entity entity) const {
  return is_mine(entity) && std::as_const(registry_).get<const Ghost>(entity).ends == 0;
}

// Makes the ghost of an entity, or takes over another neighbour's. False if this world has the entity, or if an entity
// of its own is at the index.
bool Ghosts::receive(ecs::Entity entity) {
  if (auto* const ghost = registry_.try_get<Ghost>(entity)) {
    *ghost = {.neighbour = neighbour_};
    return true;
  }
  if (registry_.valid(entity)) return false;
  const ecs::Entity former = registry_.entities().at(entity.index);
  if (former && !registry_.entities().is_ghost(former)) return false;
  if (former) end(former);
  if (!ecs::Guests(registry_).receive(entity, true)) return false;
  registry_.add<Ghost>(entity, {.neighbour = neighbour_});
  ++stats_.gained;
  return true;
}

core::Status Ghosts::copy(const client::Mirror& mirror, ecs::Entity entity) {
  if (!mirror.registry().valid(entity) || mirror.is_stale(entity)) return core::Done{};  // a later change has ended it
  if (!receive(entity)) {
    ++stats_.refused;
    return core::Done{};
  }
  const ecs::Registry& theirs = mirror.registry();
  const std::span<const ecs::PoolId> sent = theirs.prototypes().pools(theirs.prototype(entity));
  pools_.clear();
  core::Status all = core::Done{};
  for (const ecs::PoolId pool : sent) {
    const core::Result<ecs::PoolId> ours = pool_of(mirror, pool);
    if (ours) pools_.push_back(*ours);
    if (!ours) all = ours.error();
  }
  const std::span<const ecs::PoolId> present = registry_.prototypes().pools(registry_.prototype(entity));
  std::vector<ecs::PoolId> left;
  std::ranges::copy_if(present, std::back_inserter(left),
                       [&](ecs::PoolId pool) { return std::ranges::count(pools_, pool) == 0; });
  for (const ecs::PoolId pool : left) registry_.remove(entity, pool);
  for (const ecs::PoolId pool : sent)
    if (core::Status copied = copy_component(mirror, entity, pool); !copied) all = std::move(copied);
  return all;
}

core::Status Ghosts::copy_component(const client::Mirror& mirror, ecs::Entity entity, ecs::PoolId theirs) {
  const std::byte* const value = mirror.registry().try_read(entity, theirs);
  if (value == nullptr) return core::Done{};  // a later change has removed it
  const core::Result<ecs::PoolId> pool = pool_of(mirror, theirs);
  if (!pool) return pool.error();
  const std::size_t size = registry_.pool(*pool).type().size;
  const std::byte* const now = std::as_const(registry_).try_read(entity, *pool);
  ++stats_.written;
  if (now == nullptr) {
    registry_.add_bytes(entity, *pool, core::ByteView(value, size));
  } else if (size > 0 && std::memcmp(now, value, size) != 0) {
    std::memcpy(registry_.try_write(entity, *pool), value, size);
  }
  return core::Done{};
}

core::Result<ecs::PoolId> Ghosts::pool_of(const client::Mirror& mirror, ecs::PoolId theirs) {
  if (theirs >= pool_of_.size()) pool_of_.resize(mirror.registry().pool_count(), ecs::no_pool);
  if (pool_of_[theirs] != ecs::no_pool) return pool_of_[theirs];
  const ecs::Pool& pool = mirror.registry().pool(theirs);
  core::Result<ecs::PoolId> ours = registry_.open_pool(pool.type().id, pool.instance_name());
  if (ours) pool_of_[theirs] = *ours;
  return ours;
}

// Names the first component that differs; empty if none does.
std::string Ghosts::difference(const client::Mirror& mirror, ecs::Entity entity) {
  const ecs::Registry& theirs = mirror.registry();
  const std::span<const ecs::PoolId> sent = theirs.prototypes().pools(theirs.prototype(entity));
  for (const ecs::PoolId pool : sent) {
    const core::Result<ecs::PoolId> ours = pool_of(mirror, pool);
    const std::byte* const now = ours ? std::as_const(registry_).try_read(entity, *ours) : nullptr;
    const std::size_t size = theirs.pool(pool).type().size;
    if (now == nullptr || (size > 0 && std::memcmp(now, theirs.try_read(entity, pool), size) != 0))
      return theirs.pool(pool).instance_name();
  }
  const bool has_more = registry_.prototypes().pools(registry_.prototype(entity)).size() != sent.size();
  return has_more ? "a component that it has not there" : "";
}

void Ghosts::linger(ecs::Entity entity, ecs::Tick ticks) {
  if (!is_mine(entity)) return;
  registry_.get<Ghost>(entity).ends = registry_.tick() + ticks;
  lingering_.push_back(entity);
}

void Ghosts::end(ecs::Entity entity) {
  registry_.destroy(entity);
  ++stats_.lost;
}

// The zone that has the entity now may have shown it before this neighbour did so for the last time.
void Ghosts::drop(ecs::Entity entity) {
  end(entity);
  ended_.push_back(entity);
}

void Ghosts::end_lingering() {
  std::erase_if(lingering_, [this](ecs::Entity entity) {
    if (!is_mine(entity)) return true;
    const ecs::Tick ends = std::as_const(registry_).get<const Ghost>(entity).ends;
    if (ends > registry_.tick()) return false;
    if (ends != 0) drop(entity);
    return true;
  });
}

}  // namespace mobula::server
