#include <mobula/core/hash.hpp>
#include <mobula/index/prototype_hash.hpp>

namespace mobula::index {

std::uint64_t prototype_hash(std::span<const ComponentRef> sorted) {
  static_assert(sizeof(ComponentRef) == 8, "two ids without padding");
  return core::hash64(core::as_bytes(sorted.data(), sorted.size()));
}

std::vector<ComponentRef> components(const ecs::Registry& registry, ecs::PrototypeId prototype) {
  std::vector<ComponentRef> result;
  const ecs::PrototypeTable& table = registry.prototypes();
  for (const ecs::PoolId id : table.pools(table.canonical(prototype))) {
    const ecs::Pool& pool = registry.pool(id);
    result.push_back({pool.type().id, pool.instance()});
  }
  return result;
}

}  // namespace mobula::index
