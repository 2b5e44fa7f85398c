// A small world of the demo's components with its row table, for tests of deltas: a server's, or a mirror's
// whose pools and prototypes have other ids than the server's. It does what Publisher and Mirror
// do, as plainly as can be.
#pragma once

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/row_table.hpp>
#include <string_view>
#include <vector>

namespace mobula::wire::test {

inline const reflect::Schema& demo_schema() {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(demo::schema_bytes());
  return *schema;
}

struct PoolName {
  std::string_view type;
  std::string_view instance;
};
inline constexpr PoolName pool_names[] = {{"Transform", "Transform"}, {"Velocity", "Velocity"}, {"RenderData", "Body"},
                                          {"RenderData", "Fog"},      {"Name", "Name"},         {"Target", "Target"},
                                          {"Inventory", "Inventory"}, {"Wander", "Wander"}};  // Wander is not sent

struct World {
  static constexpr std::uint32_t index_limit = 512;

  ecs::Registry registry;
  RowTable rows;
  std::vector<ecs::PoolId> pools;                                 // beside pool_names
  std::vector<ecs::PrototypeId> announced{ecs::empty_prototype};  // a mirror's, by the server's id

  explicit World(ecs::Recycling recycling)
      : registry({.entities = {.recycling = recycling, .index_limit = index_limit}, .pools = {.sparse_page_shift = 8}}),
        rows(registry, demo_schema()) {
    for (const reflect::Component& component : demo_schema().components())
      static_cast<void>(registry.register_type({.id = component.id,
                                                .name = component.name,
                                                .size = component.size,
                                                .alignment = component.alignment,
                                                .schema = true,
                                                .default_value = component.default_value}));
    const bool backwards = recycling == ecs::Recycling::given;
    for (std::size_t i = 0; i < std::size(pool_names); ++i)
      open(pool_names[backwards ? std::size(pool_names) - 1 - i : i]);
    if (backwards) std::reverse(pools.begin(), pools.end());
  }
  void open(const PoolName& name) { pools.push_back(*registry.open_pool(core::StringId32(name.type), name.instance)); }

  [[nodiscard]] ecs::PrototypeId sent_prototype(ecs::Entity entity) {
    std::vector<ecs::PoolId> sent;
    for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototype(entity)))
      if (rows.codec(pool) != nullptr) sent.push_back(pool);
    return registry.prototypes().intern(sent);
  }

  // The server's: all of the registry into the rows.
  void publish() {
    for (std::uint32_t index = 0; index < registry.entities().index_end(); ++index) {
      const ecs::Entity entity = registry.entities().at(index);
      if (!entity) {
        rows.erase(index);
        continue;
      }
      const ecs::PrototypeId prototype = sent_prototype(entity);
      const EntityRow& row = rows.entity(index);
      if (row.entity != entity || row.prototype != prototype) rows.place(entity, prototype, registry.tick());
      for (const ecs::PoolId pool : registry.prototypes().pools(prototype))
        rows.update(index, pool, registry.try_read(entity, pool), registry.tick());
    }
  }

  // The mirror's: the server's prototypes, by their ids there. Those with components that are not sent never are
  // announced.
  void announce(const World& server) {
    announced.resize(server.registry.prototypes().size(), ecs::empty_prototype);
    for (ecs::PrototypeId id = 1; id < announced.size(); ++id) {
      std::vector<ecs::PoolId> ours;
      for (const ecs::PoolId theirs : server.registry.prototypes().pools(id))
        ours.push_back(pools[static_cast<std::size_t>(std::find(server.pools.begin(), server.pools.end(), theirs) -
                                                      server.pools.begin())]);
      if (std::all_of(ours.begin(), ours.end(), [&](ecs::PoolId pool) { return rows.codec(pool) != nullptr; }))
        announced[id] = registry.prototypes().intern(ours);
    }
  }
  [[nodiscard]] DeltaContext context() { return {registry, rows, announced, index_limit}; }

  void apply(const DecodedDelta& delta) {
    registry.set_tick(std::max(registry.tick(), delta.header.tick));
    for (const DecodedDelta::Entry& entry : delta.entries) apply(delta, entry);
    registry.clear_journal();
  }
  void check() const {
    registry.check();
    rows.check();
    MOBULA_ASSERT(rows.size() == registry.entities().size(), "every entity has rows");
  }

 private:
  void apply(const DecodedDelta& delta, const DecodedDelta::Entry& entry) {
    const std::uint32_t index = entry.entity.index;
    if (entry.kind != DecodedDelta::Kind::update && registry.entities().at(index)) {
      rows.erase(index);
      registry.destroy(registry.entities().at(index));
    }
    if (entry.kind == DecodedDelta::Kind::despawn) return;
    if (entry.kind == DecodedDelta::Kind::spawn) {
      registry.create_given(entry.entity);
      const auto wanted = registry.prototypes().pools(entry.prototype);
      for (const ecs::PoolId pool : std::vector<ecs::PoolId>(wanted.begin(), wanted.end()))
        registry.add_bytes(entry.entity, pool);
      rows.place(entry.entity, entry.prototype, delta.header.tick);
    }
    for (const DecodedDelta::Part& part : delta.parts_of(entry)) {
      std::memcpy(registry.try_write(entry.entity, part.pool), &delta.values[part.value],
                  registry.pool(part.pool).type().size);
      core::BitReader bits(delta.body);
      bits.skip(part.bit);
      rows.assign(index, part.pool, bits, part.bits, delta.header.tick);
    }
  }
};

// Any bytes, or the default: both can be sent.
inline core::Bytes random_component(const ecs::ComponentType& type, core::Random& random) {
  core::Bytes value = type.default_value;
  if (random.chance(1, 4)) return value;
  for (std::byte& byte : value) byte = static_cast<std::byte>(random.below(256));
  return value;
}

// One thing that a game may do.
inline void change_something(World& world, std::vector<ecs::Entity>& alive, core::Random& random) {
  if (alive.empty() || random.chance(1, 5)) {
    if (alive.size() < 40) alive.push_back(world.registry.create());
    return;
  }
  const std::size_t at = random.below(static_cast<std::uint32_t>(alive.size()));
  const ecs::Entity entity = alive[at];
  if (random.chance(1, 8)) {
    world.registry.destroy(entity);
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
    return;
  }
  const ecs::PoolId pool = world.pools[random.below(std::size(pool_names))];
  const core::Bytes value = random_component(world.registry.pool(pool).type(), random);
  if (std::byte* present = world.registry.try_write(entity, pool); present == nullptr) {
    world.registry.add_bytes(entity, pool, value);
  } else if (random.chance(1, 4)) {
    world.registry.remove(entity, pool);
  } else {
    std::memcpy(present, value.data(), value.size());
  }
}

}  // namespace mobula::wire::test
