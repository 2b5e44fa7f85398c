#include <algorithm>
#include <mobula/core/hash.hpp>
#include <mobula/index/prototype_hash.hpp>

namespace mobula::index {

std::uint64_t prototype_hash(std::span<const ComponentRef> sorted) {
  static_assert(sizeof(ComponentRef) == 8, "two ids without padding");
  return core::hash64(core::as_bytes(sorted.data(), sorted.size()));
}

std::vector<ComponentRef> components(const ecs::Registry& registry, ecs::PrototypeId prototype) {
  std::vector<ComponentRef> result;
  for (const ecs::PoolId id : registry.prototypes().pools(prototype)) {
    const ecs::Pool& pool = registry.pool(id);
    result.push_back({pool.type().id, pool.instance()});
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace mobula::index
