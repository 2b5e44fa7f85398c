// Registries with the components of rules.fbs: as a server has them, and as a client.
#pragma once

#include <algorithm>
#include <memory>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/reflect/schema.hpp>
#include <rules/components.hpp>
#include <utility>
#include <vector>

namespace mobula::prediction::test {

using rules::Body;
using rules::Engine;
using rules::Health;
using rules::Name;

inline const reflect::Schema& rules_schema() {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(rules::schema_bytes());
  return *schema;
}

inline void no_step(PredictedWorld& /*world*/, ecs::Tick /*tick*/, std::span<const Command> /*commands*/) {}

// A registry and all that a step runs over.
struct Side {
  explicit Side(ecs::RegistryConfig config = {}) : registry(config) {
    if (!reflect::register_components(registry, rules_schema()).ok()) std::abort();
    types.emplace(
        std::move(*PredictedTypes::resolve(registry, rules_schema(), {.step = no_step, .reads = {"Health"}})));
    context = {.registry = &registry,
               .types = &*types,
               .seed = 5,
               .ticks_per_second = 50,
               .effects = &effects,
               .spawned = &spawned,
               .scratch = &scratch};
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  ecs::Registry registry;
  std::optional<PredictedTypes> types;
  EffectList effects;
  std::vector<Spawned> spawned;
  StepScratch scratch;
  StepContext context;
};

inline ecs::RegistryConfig mirror_config() {
  return {.entities = {.recycling = ecs::Recycling::given}, .pools = {.sparse_page_shift = ecs::SparseSet::no_pages}};
}

// A client: entities that it steps are in `registry`, all that it knows of in `mirror`.
struct ClientSide : Side {
  static constexpr std::uint32_t first_local = 1u << 19;

  ClientSide() : Side(mirror_config()), mirror(mirror_config()) {
    if (!reflect::register_components(mirror, rules_schema()).ok()) std::abort();
    stepped.next_local = {first_local, 1};
    context.visible = &mirror;
    context.stepped = &stepped;
  }
  // Copies an entity with all its components to the mirror, and to the stepped ones.
  void copy(const ecs::Registry& server, ecs::Entity entity, bool steps) {
    mirror.create_given(entity);
    copy_components(server, entity, mirror);
    if (!steps) return;
    registry.create_given(entity);
    copy_components(server, entity, registry);
    stepped.alive.insert(std::ranges::lower_bound(stepped.alive, entity), entity);
  }

  ecs::Registry mirror;
  SteppedEntities stepped;

 private:
  template <class T>
  static void copy_one(const ecs::Registry& server, ecs::Entity entity, ecs::Registry& to) {
    if (const T* const found = server.try_get<const T>(entity)) to.add<T>(entity, *found);
  }
  static void copy_components(const ecs::Registry& server, ecs::Entity entity, ecs::Registry& to) {
    copy_one<Body>(server, entity, to);
    copy_one<Engine>(server, entity, to);
    copy_one<Health>(server, entity, to);
  }
};

}  // namespace mobula::prediction::test
