// Worlds for snapshots: with a component of odd size, and with long histories.
#pragma once

#include <array>
#include <mobula/core/random.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <string>
#include <vector>

#include "ecs/components.hpp"

namespace mobula::ecs::test {

struct Odd {  // needs padding
  static constexpr std::string_view component_name = "Odd";
  std::array<std::uint8_t, 3> bytes{1, 2, 3};
};

struct OddWorld : World {
  explicit OddWorld(RegistryConfig config = {}) : World(config) {
    static_cast<void>(register_type(schema_type<Odd>()));
  }
};

inline core::Bytes saved(const Registry& registry) {
  core::Bytes bytes;
  save_snapshot(registry, bytes);
  return bytes;
}

inline std::string reason(const core::Status& status) { return status.ok() ? "" : status.error().reason; }

// Runs random histories of handles, components and ranges.
struct Churn {
  Registry& registry;
  core::Random random;
  std::vector<Entity> entities;
  std::vector<EntityRange> ranges;

  void make_entity() {
    if (registry.entities().config().recycling == Recycling::given) {
      const Entity entity{random.below(2000), 1 + random.below(5)};
      if (registry.create_given(entity)) entities.push_back(entity);
    } else if (random.chance(1, 10)) {
      ranges.push_back(registry.create_range(1 + random.below(9)));
      for (std::uint32_t i = 0; i < ranges.back().count; ++i) entities.push_back(ranges.back().at(i));
    } else {
      entities.push_back(registry.create());
    }
  }

  void change(Entity entity) {
    const PoolId pool = random.below(registry.pool_count());
    if (!registry.pool(pool).type().schema) return;
    if (registry.pool(pool).contains(entity.index)) {
      registry.remove(entity, pool);
    } else {
      std::array<std::uint64_t, 2> value{random.next(), random.next()};
      registry.add_bytes(entity, pool, core::as_bytes(value.data(), 2).first(registry.pool(pool).type().size));
    }
  }

  void step() {
    std::erase_if(entities, [this](Entity entity) { return !registry.valid(entity); });
    if (entities.empty() || random.chance(1, 4)) return make_entity();
    const Entity entity = entities[random.below(static_cast<std::uint32_t>(entities.size()))];
    if (random.chance(1, 6)) return registry.destroy(entity);
    if (!ranges.empty() && random.chance(1, 40))
      return registry.destroy_range(ranges[random.below(static_cast<std::uint32_t>(ranges.size()))]);
    change(entity);
  }
};

inline void open_pools(Registry& registry) {
  registry.pool_of<Position>();
  registry.pool_of<Thought>();  // server-only: pool ids differ from the snapshot's numbers
  registry.pool_of<Health>("Shield");
  registry.pool_of<Odd>();
  registry.pool_of<Mana>();
  registry.pool_of<Health>();
}

// `reclaim`: budget of reclaim() after each step; 0 disables it.
inline void churn(Registry& registry, std::uint64_t seed, int steps, std::uint32_t reclaim = 0) {
  Churn churned{registry, core::Random(seed), {}, {}};
  registry.set_tick(17);
  for (int i = 0; i < steps; ++i) {
    churned.step();
    if (reclaim > 0) registry.prototypes().reclaim(reclaim);
  }
}

inline RegistryConfig config_of(Recycling recycling) {
  RegistryConfig config;
  config.entities = {.recycling = recycling, .incarnation = 3, .reuse_bits = 2};  // few, so that indices are retired
  return config;
}

}  // namespace mobula::ecs::test
