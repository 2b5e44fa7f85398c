// A registry that changes at random, and a model of its expected save.
#pragma once

#include <kitchen/components.hpp>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/server/store/facts.hpp>
#include <reflect/random_schema.hpp>
#include <set>
#include <string>
#include <vector>

namespace mobula::store {

inline const std::shared_ptr<const reflect::Schema>& kitchen_schema() {
  static const auto schema = *reflect::Schema::load(kitchen::schema_bytes());
  return schema;
}

// Saved content of a registry: by handle, then by (component, instance), the bytes of the saved fields. An own entity
// that another world has is there with the name `elsewhere`.
using Model = std::map<ecs::Entity, std::map<std::pair<std::string, std::string>, std::vector<std::byte>>>;

inline std::vector<std::byte> saved_bytes(const reflect::Component& component, const std::byte* row) {
  std::vector<std::byte> bytes;
  for (const reflect::Field& field : component.fields)
    for (std::uint32_t i = 0; i < field.count && !field.not_saved; ++i)
      bytes.insert(bytes.end(), row + field.offset + i * field.stride,
                   row + field.offset + i * field.stride + field.size);
  return bytes;
}

inline Model model_of(const ecs::Registry& registry, const reflect::Schema& schema) {
  Model model;
  const ecs::EntityPool& entities = registry.entities();
  for (std::uint32_t index = 0; index < entities.index_end(); ++index)
    if (const ecs::Entity entity = entities.elsewhere_at(index)) model[entity][{"elsewhere", ""}] = {};
  entities.each([&](ecs::Entity entity) {
    if (entities.is_ghost(entity)) return;
    auto& components = model[entity];
    for (ecs::PoolId id = 0; id < registry.pool_count(); ++id) {
      const ecs::Pool& pool = registry.pool(id);
      const reflect::Component* component = schema.find(pool.type().id);
      if (component == nullptr || component->not_saved || !pool.contains(entity.index)) continue;
      components[{component->name, pool.instance_name()}] = saved_bytes(*component, pool.at(pool.find(entity.index)));
    }
  });
  return model;
}

class StoreWorld {
 public:
  // With other than the default indices of its own it exchanges entities with other worlds too.
  explicit StoreWorld(std::uint32_t incarnation, std::shared_ptr<const reflect::Schema> used = kitchen_schema(),
                      ecs::OwnIndices own = {})
      : schema(std::move(used)),
        registry({.entities = {.incarnation = incarnation, .entities_max = 1u << 20, .own = own}, .pools = {}}) {
    static_cast<void>(reflect::register_components(registry, *schema).value());
  }

  [[nodiscard]] Model model() const { return model_of(registry, *schema); }

  // Creates, destroys and changes entities, ranges and components at random, some under other instance names.
  void change(core::Random& random, int steps) {
    for (int i = 0; i < steps; ++i) step(random);
  }
  void end_tick() {
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  ecs::PoolId pool_of(const char* component, const std::string& instance) {
    return *registry.open_pool(core::StringId32(component), instance);
  }

  std::shared_ptr<const reflect::Schema> schema;
  ecs::Registry registry;
  std::set<ecs::Entity> ever;  // all handles so far

 private:
  void step(core::Random& random) {
    alive_.clear();
    registry.entities().each([&](ecs::Entity entity) { alive_.push_back(entity); });
    if (registry.entities().config().own != ecs::OwnIndices{} && random.chance(1, 4)) return exchange(random);
    if (alive_.empty() || (alive_.size() < 150 && random.chance(1, 4))) return create(random);
    const ecs::Entity entity = alive_[random.below(static_cast<std::uint32_t>(alive_.size()))];
    if (random.chance(1, 8)) return registry.destroy(entity);
    const auto& components = schema->components();
    const reflect::Component& component = components[random.below(static_cast<std::uint32_t>(components.size()))];
    const std::string instance =
        random.chance(1, 4) ? "Part_" + std::to_string(random.below(3)) + component.name : component.name;
    write(random, entity, component, pool_of(component.name.c_str(), instance));
  }

  // An entity arrives, becomes a ghost or ceases to be seen, returns, or ends abroad.
  void exchange(core::Random& random) {
    ecs::Guests guests(registry);
    const ecs::Entity guest{random.below(registry.entities().config().own.first), 1 + random.below(1000)};
    if (random.chance(1, 3) && registry.entities().can_receive(guest)) {
      static_cast<void>(guests.receive(guest, random.chance(1, 2)));
    } else if (!alive_.empty() && random.chance(1, 2)) {
      const ecs::Entity entity = alive_[random.below(static_cast<std::uint32_t>(alive_.size()))];
      registry.entities().is_ghost(entity) ? registry.destroy(entity) : guests.set_ghost(entity, true);
    } else {
      const ecs::Entity abroad = registry.entities().elsewhere_at(random.below(registry.entities().index_end() + 1));
      if (!abroad || registry.valid(abroad)) return;
      random.chance(1, 3) ? void(guests.end_abroad(abroad)) : void(guests.receive(abroad, random.chance(1, 3)));
    }
  }

  void create(core::Random& random) {
    if (random.chance(1, 6)) {
      const ecs::EntityRange range = registry.create_range(1 + random.below(5));
      for (std::uint32_t i = 0; i < range.count; ++i) ever.insert(range.at(i));
      return;
    }
    ever.insert(registry.create());
  }

  void write(core::Random& random, ecs::Entity entity, const reflect::Component& component, ecs::PoolId pool) {
    const core::Bytes row = test::random_row(component, random);
    if (!registry.pool(pool).contains(entity.index)) {
      registry.add_bytes(entity, pool, row);
    } else if (random.chance(1, 3)) {
      registry.remove(entity, pool);
    } else {
      std::copy(row.begin(), row.end(), registry.try_write(entity, pool));
    }
  }

  std::vector<ecs::Entity> alive_;
};

inline Facts facts_of(const ecs::Registry& registry) {
  Facts facts;
  facts.tick = registry.tick();
  facts.unix_time = 1'700'000'000 + registry.tick();
  return facts;
}

}  // namespace mobula::store
