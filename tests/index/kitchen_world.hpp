// A registry of the kitchen-sink schema with its properties, and snapshots of its memory.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kitchen/components.hpp>

#include <mobula/index/properties.hpp>
#include <mobula/reflect/schema.hpp>
#include <vector>

namespace mobula::index::test {

struct KitchenWorld {
  std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(kitchen::schema_bytes());
  ecs::Registry registry;
  NameTable names;
  Properties properties{registry, *schema, names};

  KitchenWorld() {
    EXPECT_TRUE(reflect::register_components(registry, *schema));
    for (const char* name : {"crate", "rock", "Spare"}) EXPECT_TRUE(names.add(name));
  }
  // Makes an entity with each of these components under its type's name.
  ecs::Entity make(std::initializer_list<const char*> components = {"Plain", "Ranged", "Nested", "Flags"}) {
    const ecs::Entity entity = registry.create();
    for (const char* name : components) add(entity, name, name);
    return entity;
  }
  ecs::PoolId add(ecs::Entity entity, const char* type, const char* instance) {
    const ecs::PoolId pool = *registry.open_pool(core::StringId32(type), instance);
    registry.add_bytes(entity, pool);
    return pool;
  }
  template <class T>
  T component(ecs::Entity entity) const {
    return registry.get<const T>(entity);
  }
  [[nodiscard]] std::string text(ecs::Entity entity, const char* component, std::string_view path) const {
    const auto got = properties.get_text(entity, component, path);
    return got ? *got : std::string("! ") + got.error().reason + ": " + got.error().message;
  }
};

// All bytes and change ticks of all components.
struct Memory {
  std::vector<core::Bytes> bytes;
  std::vector<std::vector<ecs::Tick>> change_ticks;

  explicit Memory(const ecs::Registry& registry) {
    for (ecs::PoolId id = 0; id < registry.pool_count(); ++id) {
      const ecs::Pool& pool = registry.pool(id);
      core::Bytes all;
      for (std::uint32_t i = 0; i < pool.size(); ++i) all.insert(all.end(), pool.at(i), pool.at(i) + pool.type().size);
      bytes.push_back(std::move(all));
      change_ticks.emplace_back(pool.change_ticks().begin(), pool.change_ticks().end());
    }
  }
  bool operator==(const Memory&) const = default;
};

// Returns the error of a refused attempt as "reason: message". Fails if it is not refused, or has changed anything.
template <class Attempt>
std::string refused(KitchenWorld& world, Attempt&& attempt) {
  const Memory before(world.registry);
  world.registry.set_tick(world.registry.tick() + 1);
  const auto done = attempt();
  EXPECT_FALSE(done.ok());
  EXPECT_TRUE(Memory(world.registry) == before) << "a refusal leaves no trace";
  return done.ok() ? "" : std::string(done.error().reason) + ": " + done.error().message;
}

}  // namespace mobula::index::test
