#include <algorithm>
#include <map>
#include <mobula/server/store/component_table.hpp>
#include <mobula/server/store/sums.hpp>

namespace mobula::store {

std::int64_t composition_id(std::span<const std::int64_t> tables) {
  std::vector<std::int64_t> sorted(tables.begin(), tables.end());
  std::ranges::sort(sorted);
  RowSum sum(RowKind::composition);
  for (const std::int64_t table : sorted) sum.add(static_cast<std::uint64_t>(table));
  return static_cast<std::int64_t>(sum.value() >> 1);
}

std::uint64_t entity_sum(std::uint32_t index, std::uint32_t generation, std::int64_t composition) {
  return RowSum(RowKind::entity)
      .add(std::uint64_t{index} << 32 | generation)
      .add(static_cast<std::uint64_t>(composition))
      .value();
}

std::uint64_t entities_sum(const ecs::Registry& registry, const reflect::Schema& schema) {
  const ecs::EntityPool& entities = registry.entities();
  std::uint64_t sum = 0;
  std::map<ecs::PoolId, std::int64_t> tables;
  for (ecs::PoolId id = 0; id < registry.pool_count(); ++id) {
    const ecs::Pool& pool = registry.pool(id);
    const reflect::Component* component = pool.is_schema() ? schema.find(pool.type().id) : nullptr;
    if (component == nullptr || component->not_saved) continue;
    const ComponentTable table(*component, pool.instance_name(), "", "");
    tables.emplace(id, table.id());
    for (std::uint32_t position = 0; position < pool.size(); ++position)
      if (const std::uint32_t index = pool.indices()[position]; !entities.is_ghost(entities.at(index)))
        sum += table.sum(index, pool.at(position));
  }
  for (std::uint32_t index = 0; index < entities.index_end(); ++index)
    if (const ecs::Entity entity = entities.elsewhere_at(index)) sum += entity_sum(index, entity.generation, elsewhere);
  std::map<ecs::PrototypeId, std::int64_t> compositions;
  entities.each([&](ecs::Entity entity) {
    if (entities.is_ghost(entity)) return;
    const ecs::PrototypeId prototype = registry.prototype(entity);
    auto found = compositions.find(prototype);
    if (found == compositions.end()) {
      std::vector<std::int64_t> ids;
      for (const ecs::PoolId pool : registry.prototypes().pools(prototype))
        if (const auto table = tables.find(pool); table != tables.end()) ids.push_back(table->second);
      found = compositions.emplace(prototype, composition_id(ids)).first;
    }
    sum += entity_sum(entity.index, entity.generation, found->second);
  });
  return sum;
}

}  // namespace mobula::store
