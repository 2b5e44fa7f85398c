// A registry with the demo's components that changes at random: every kind of structural change and of write.
#pragma once

#include <mobula/core/random.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <server/hamlet.hpp>
#include <string>
#include <vector>

namespace mobula::test {

class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed, std::shared_ptr<const reflect::Schema> schema_of_world = game_schema())
      : schema(std::move(schema_of_world)), random(seed), publisher(registry, *schema) {
    static_cast<void>(reflect::register_components(registry, *schema).value());
    body_ = registry.pool_of<demo::RenderData>("Body");
    fog_ = registry.pool_of<demo::RenderData>("Fog");
  }

  ecs::Entity create() {
    const ecs::Entity entity = registry.create();
    alive.push_back(entity);
    return entity;
  }
  void destroy(std::size_t place) {
    registry.destroy(alive[place]);
    alive[place] = alive.back();
    alive.pop_back();
  }
  ecs::EntityRange create_many(std::uint32_t count) {
    const ecs::PoolId pools[] = {registry.pool_of<engine::Transform>()};
    const std::vector<ecs::PrototypeId> prototypes(count, registry.prototypes().intern(pools));
    const ecs::EntityRange range = registry.begin_spawn(prototypes);
    std::vector<std::uint32_t> offsets;
    std::vector<engine::Transform> rows(range.count);
    for (std::uint32_t i = 0; i < range.count; ++i) {
      offsets.push_back(i);
      rows[i].position.x = random.uniform(-9, 9);
      alive.push_back(range.at(i));
    }
    registry.add_column(range, pools[0], offsets, reinterpret_cast<const std::byte*>(rows.data()));
    registry.end_spawn(range);
    return range;
  }

  void change() {
    const std::uint32_t dice = random.below(100);
    if (alive.empty() || (dice < 10 && alive.size() < entities_max)) return static_cast<void>(create());
    if (dice < 12 && alive.size() < entities_max) return static_cast<void>(create_many(1 + random.below(4)));
    const std::size_t place = random.below(static_cast<std::uint32_t>(alive.size()));
    if (dice < 20) return destroy(place);
    recompose_or_write(alive[place]);
  }
  void changes(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) change();
  }

  // Publishes the world. `reclaimed` then holds the prototypes reclaimed with it, until the next call.
  std::span<const std::uint32_t> publish() {
    const std::span<const std::uint32_t> changed = publisher.publish();
    reclaimed = {};
    if (random.chance(1, 10)) reclaimed = registry.prototypes().reclaim(random.below(8));
    publisher.forget(reclaimed);
    return changed;
  }
  void end_tick() {
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }

  std::size_t entities_max = 60;
  std::uint32_t crates = 0;  // number of components that some entities have in addition, each of up to 25 bytes
  std::shared_ptr<const reflect::Schema> schema;
  core::Random random;
  ecs::Registry registry;
  server::Publisher publisher;
  std::vector<ecs::Entity> alive;
  std::span<const ecs::PrototypeId> reclaimed;

 private:
  template <class T, class Write>
  void toggle_or_write(ecs::Entity entity, Write&& write) {
    if (!registry.has<T>(entity)) return static_cast<void>(registry.add<T>(entity));
    if (random.chance(1, 5)) return registry.remove<T>(entity);
    write(registry.get<T>(entity));
  }
  void toggle_or_write(ecs::Entity entity, ecs::PoolId pool) {
    if (!registry.pool(pool).contains(entity.index)) return static_cast<void>(registry.add_bytes(entity, pool));
    if (random.chance(1, 5)) return registry.remove(entity, pool);
    auto* render = reinterpret_cast<demo::RenderData*>(registry.try_write(entity, pool));
    render->tint = random.below(1u << 24);
  }
  // Adds, removes or changes components that together do not fit a datagram.
  void haul(ecs::Entity entity) {
    if (!registry.pool(crate(0)).contains(entity.index)) {
      for (std::uint32_t i = 0; i < crates; ++i)
        fill(*reinterpret_cast<demo::Name*>(registry.add_bytes(entity, crate(i))));
      return;
    }
    const std::uint32_t dice = random.below(6);
    const std::uint32_t one = random.below(crates);
    for (std::uint32_t i = 0; i < crates; ++i) {
      if (dice == 0) registry.remove(entity, crate(i));
      if (dice == 1 || (dice > 1 && i == one))
        fill(*reinterpret_cast<demo::Name*>(registry.try_write(entity, crate(i))));
    }
  }
  ecs::PoolId crate(std::uint32_t number) { return registry.pool_of<demo::Name>("crate " + std::to_string(number)); }
  void fill(demo::Name& name) {
    name = demo::Name{};
    for (std::uint32_t i = 12 + random.below(12); i-- > 0;) name.text[i] = static_cast<char>('a' + random.below(26));
  }
  void recompose_or_write(ecs::Entity entity) {
    if (crates > 0 && random.chance(1, 4)) return haul(entity);
    switch (random.below(9)) {
      case 0:
      case 1:
        return toggle_or_write<engine::Transform>(
            entity, [&](engine::Transform& transform) { transform.position.x = random.uniform(-500, 500); });
      case 2:
        return toggle_or_write<demo::Velocity>(
            entity, [&](demo::Velocity& velocity) { velocity.linear.z = random.uniform(-1, 1); });
      case 3:
        return toggle_or_write<demo::Health>(entity, [&](demo::Health& health) {
          health.current = static_cast<std::uint16_t>(random.below(3));  // often unchanged
        });
      case 4: return toggle_or_write(entity, body_);
      case 5: return toggle_or_write(entity, fog_);
      case 6:
        return toggle_or_write<demo::Name>(entity, [&](demo::Name& name) {
          name = demo::Name{};
          for (std::uint32_t i = random.below(24); i-- > 0;) name.text[i] = 'a';
        });
      case 7:
        return toggle_or_write<demo::Target>(entity, [&](demo::Target& target) {
          const ecs::Entity other = alive[random.below(static_cast<std::uint32_t>(alive.size()))];
          target.entity = {other.index, other.generation};
        });
      default:
        return toggle_or_write<demo::Wander>(entity,
                                             [&](demo::Wander& wander) { wander.radius = random.uniform(1, 9); });
    }
  }

  ecs::PoolId body_ = 0;
  ecs::PoolId fog_ = 0;
};

}  // namespace mobula::test
