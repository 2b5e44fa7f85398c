#include <mobula/core/assert.hpp>
#include <mobula/core/running_code.hpp>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {

void Registry::set_tick(Tick tick) {
  MOBULA_CHECK(core::running_code().empty(), "set_tick is called by the server: a game cannot change the tick");
  tick_ = tick;
}

void Registry::clear_journal() {
  MOBULA_CHECK(core::running_code().empty(), "clear_journal is called by the server, after it has sent the changes");
  journal_.clear();
}

void Registry::check() const {
  index_.entities().check();
  index_.prototypes().check();
  std::uint64_t components = 0;
  std::vector<std::uint32_t> uses(index_.prototypes().size());
  index_.entities().each([&](Entity entity) {
    ++uses[index_.entities().prototype(entity.index)];
    for (const PoolId pool : index_.prototypes().pools(index_.entities().prototype(entity.index))) {
      MOBULA_ASSERT(pools_[pool]->contains(entity.index), "an entity has the components of its prototype");
      ++components;
    }
  });
  std::uint64_t pooled = 0;
  for (const core::Owned<Pool>& pool : pools_) {
    pool->check();
    if (pool->is_schema()) pooled += pool->size();
    MOBULA_ASSERT(pool->is_schema() || pool->size() == 0 || is_occupied_[pool->id()],
                  "destroy() checks the pools that are not empty");
    for (const std::uint32_t index : pool->indices())
      MOBULA_ASSERT(index_.entities().at(index), "only the living have components");
  }
  for (const Pool* pool : occupied_pools_) MOBULA_ASSERT(is_occupied_[pool->id()], "a pool is listed if it is marked");
  MOBULA_ASSERT(components == pooled, "pools hold the components of all prototypes");
  for (PrototypeId prototype = 0; prototype < index_.prototypes().size(); ++prototype)
    MOBULA_ASSERT(index_.prototypes().uses(prototype) == uses[prototype], "a prototype counts its entities");
  for (const core::Owned<GroupSet>& group : groups_) group->check();
}

}  // namespace mobula::ecs
