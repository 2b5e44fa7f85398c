// Continues the mirror of another connection, which has the same handles.
#include <algorithm>
#include <cstring>
#include <mobula/client/mirror/mirror.hpp>

namespace mobula::client {

bool Mirror::has_pools_of(const Mirror& former) const {
  const ecs::Registry& theirs = former.registry();
  const std::uint32_t count = std::min(theirs.pool_count(), registry().pool_count());
  for (ecs::PoolId id = 0; id < count; ++id)
    if (theirs.pool(id).type().id != registry().pool(id).type().id ||
        theirs.pool(id).instance() != registry().pool(id).instance())
      return false;
  return schema().fingerprint() == former.schema().fingerprint();
}

bool Mirror::continue_from(const Mirror& former) {
  const bool continues = has_pools_of(former);
  changes_.drop();
  if (continues) changes_.add_collected(former.changes_);
  for (const ecs::Entity entity : former.registry().entities())
    if (continues && !registry().valid(entity)) changes_.add(entity, ChangeKind::destroyed);
  for (const ecs::Entity entity : registry().entities())
    continues ? add_difference(entity, former) : changes_.add(entity, ChangeKind::spawned);
  return continues;
}

void Mirror::add_difference(ecs::Entity entity, const Mirror& former) {
  const ecs::Registry& theirs = former.registry();
  const bool was_in_view = theirs.valid(entity) && !former.is_stale(entity);
  if (!was_in_view) return changes_.add(entity, ChangeKind::spawned);
  if (is_stale(entity)) return changes_.add(entity, ChangeKind::lost);
  const auto pools_of = [entity](const ecs::Registry& all) { return all.prototypes().pools(all.prototype(entity)); };
  const std::span<const ecs::PoolId> pools = pools_of(registry());
  if (!std::ranges::is_permutation(pools, pools_of(theirs)) || is_owner(entity) != former.is_owner(entity))
    return changes_.add(entity, ChangeKind::composed);
  for (const ecs::PoolId pool : pools) {
    const std::byte* const value = registry().try_read(entity, pool);
    if (std::memcmp(value, theirs.try_read(entity, pool), registry().pool(pool).type().size) != 0)
      changes_.add_unmarked(entity, pool);
  }
}

}  // namespace mobula::client
