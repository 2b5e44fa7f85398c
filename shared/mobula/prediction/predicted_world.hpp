// PredictedWorld: what a step may use. Server and clients give it the same functions over different registries.
//
//   server   all entities of the world
//   client   writes the entities that it predicts, and reads the others from its mirror, as far as it has them
//
// Access through `T` writes: the component must have a predicted field. Access through `const T` reads: the component
// has one, or Rules::reads lists it. A type that is neither does not compile, or fails a check that names it.
// Components are default instances. A client steps fewer entities than its server. So a step uses try_get for entities
// that a component or an effect names.
//
// Iterations ascend by the handles' indices, so that sums of floats have the same bits on both sides. They visit the
// entities that exist when they begin and still have the components when their turn comes.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/prediction/step.hpp>
#include <mobula/schema/engine.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mobula::prediction {

/// A type as which a step accesses a component: `T` writes, `const T` reads.
template <class T>
concept StepAccess = ecs::SchemaComponent<std::remove_const_t<T>> && (std::is_const_v<T> || PredictedComponent<T>);

/// Sorts entities by their indices.
void sort_by_index(std::span<ecs::Entity> entities);

/// The world as a step sees it. Lives for one run of the step.
class PredictedWorld {
 public:
  PredictedWorld(const StepContext& context, ecs::Tick tick) : context_(context), tick_(tick) {}
  PredictedWorld(const PredictedWorld&) = delete;
  PredictedWorld& operator=(const PredictedWorld&) = delete;

  /// Returns the tick that the step computes.
  [[nodiscard]] ecs::Tick tick() const { return tick_; }
  [[nodiscard]] std::uint32_t ticks_per_second() const { return context_.ticks_per_second; }
  [[nodiscard]] float seconds_per_tick() const { return 1.0f / static_cast<float>(context_.ticks_per_second); }

  /// Calls `function` for each stepped entity that has all of these components, ascending by index:
  /// each<Body, const Engine>([](Body&, const Engine&) {}). If the first parameter is an ecs::Entity, it gets the
  /// handle. The function may spawn and destroy entities.
  template <StepAccess... Components, class Function>
  void each(Function&& function);
  /// Calls `function` for each entity, stepped or not, that has all of these components, ascending by index. Reads
  /// only: each_visible<const Body>. A client has the predicted values of stepped entities, and its mirror's of others.
  template <StepAccess... Components, class Function>
    requires(std::is_const_v<Components> && ...)
  void each_visible(Function&& function);

  /// Returns a component; null for a stale handle or a missing component. `T` finds stepped entities alone, `const T`
  /// others as well.
  template <StepAccess T>
  [[nodiscard]] T* try_get(ecs::Entity entity);
  /// Returns a component that is there. Checks that try_get() finds it.
  template <StepAccess T>
  [[nodiscard]] T& get(ecs::Entity entity) {
    T* const found = try_get<T>(entity);
    if (found == nullptr) [[unlikely]]
      ecs::misuse::nothing_to_get(entity, ecs::component_name<std::remove_const_t<T>>());
    return *found;
  }
  /// Returns whether the entity is stepped on this side.
  [[nodiscard]] bool steps(ecs::Entity entity) const {
    return context_.stepped == nullptr ? context_.registry->valid(entity) && !is_ghost(entity) : is_stepped(entity);
  }
  /// Returns static data of the level, which clients have too. Null if there is none of the id.
  [[nodiscard]] const resource::Static* find_static(std::uint64_t id) const {
    const resource::Resource* const level = read_level();
    return level == nullptr ? nullptr : level->find_static(id);
  }
  /// Returns the static data of a type (Resource::find_static_of). Null if there is none.
  [[nodiscard]] const resource::Static* find_static_of(core::StringId32 type) const {
    const resource::Resource* const level = read_level();
    return level == nullptr ? nullptr : level->find_static_of(type);
  }

  /// Returns random numbers that depend on the world's seed, the tick and the key alone. So they do not depend on the
  /// order of calls, and a replayed tick has the same. An entity that a step has spawned has its SpawnKey as the key.
  [[nodiscard]] core::Random random(std::uint64_t key) const;
  /// Returns those of an entity: by its SpawnKey, or by its handle if it has none.
  [[nodiscard]] core::Random random(ecs::Entity entity) const;

  /// Spawns an entity for a command, with these components and a SpawnKey. The command's player owns it. Clients find
  /// the entity that the server spawns for the same command. Null if the world is full. Checks that the command has
  /// spawned less than spawns_max entities in this tick.
  template <PredictedComponent... Components>
  ecs::Entity spawn(const Command& command, Components... components);
  static constexpr std::size_t spawns_max = 256;  // per command
  /// Destroys a stepped entity. Does nothing for others.
  void destroy(ecs::Entity entity);
  /// Emits an effect. A name and key belong to what happens once, and begin nothing when it recurs: effect_key() makes
  /// keys of commands and of ticks. Checks that the payload has at most Effect::payload_max bytes.
  void effect(core::StringId32 name, std::uint64_t key, core::ByteView payload = {}) {
    context_.effects->add({name, key, tick_, payload});
  }

  // The same by pools of StepContext::registry, for steps that find components by name. The caller has checked with
  // PredictedTypes what the step may access.

  /// Fills `found` with the stepped entities that have components in all of these pools, ascending by index.
  void find_stepped(std::span<const ecs::PoolId> pools, std::vector<ecs::Entity>& found) const;
  /// Does the same with all entities, stepped or not.
  void find_visible(std::span<const ecs::PoolId> pools, std::vector<ecs::Entity>& found) const;
  /// Returns a component of an entity, stepped or not, to be read. Null if it has none.
  [[nodiscard]] const std::byte* try_read(ecs::Entity entity, ecs::PoolId pool) const;
  /// Returns a component of a stepped entity, to be written. Null if it has none.
  [[nodiscard]] std::byte* try_write(ecs::Entity entity, ecs::PoolId pool);
  /// Spawns an entity with the default values of these components, as spawn() does. The pools are distinct.
  ecs::Entity spawn_default(const Command& command, std::span<const ecs::PoolId> pools);
  /// Returns how many entities a command has spawned in this tick.
  [[nodiscard]] std::size_t spawned_by(const Command& command) const;

 private:
  // Handles of an iteration, in the scratch memory behind those of the iterations around it.
  class Gathered {
   public:
    explicit Gathered(StepScratch& scratch) : list_(scratch.gathered), first_(list_.size()), end_(first_) {}
    ~Gathered() { list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(first_), list_.end()); }
    Gathered(const Gathered&) = delete;
    Gathered& operator=(const Gathered&) = delete;

    void add(ecs::Entity entity) { list_.push_back(entity); }
    // Ends the list. It ascends from now on.
    void close();
    [[nodiscard]] std::size_t size() const { return end_ - first_; }
    [[nodiscard]] ecs::Entity at(std::size_t place) const { return list_[first_ + place]; }

   private:
    std::vector<ecs::Entity>& list_;
    std::size_t first_;
    std::size_t end_;
  };

  // Returns the pool of a component after a check of the access.
  template <StepAccess T>
  ecs::Pool& pool();
  [[nodiscard]] const ecs::Pool& smallest(std::span<const ecs::PoolId> pools) const;
  // Returns the pool of the same component in the mirror; no_pool without a mirror.
  [[nodiscard]] ecs::PoolId mirrored_pool(const ecs::Pool& pool) const;
  void gather(const ecs::Pool& pool, Gathered& gathered) const;
  void gather_visible(const ecs::Pool& pool, Gathered& gathered) const;
  [[nodiscard]] bool is_stepped(ecs::Entity entity) const;
  // Returns the level, and notes that the step depends on it.
  [[nodiscard]] const resource::Resource* read_level() const {
    if (context_.level_is_read != nullptr) *context_.level_is_read = true;
    return context_.level;
  }
  // Returns whether another zone decides about an entity.
  [[nodiscard]] bool is_ghost(ecs::Entity entity) const {
    return context_.visible == context_.registry && context_.registry->entities().is_ghost(entity);
  }
  // Returns whether the mirror decides about an entity, or another zone does.
  [[nodiscard]] bool is_mirrored(ecs::Entity entity) const {
    return context_.visible != nullptr && (is_ghost(entity) || !context_.registry->valid(entity));
  }
  [[nodiscard]] std::uint8_t next_ordinal(const Command& command) const;
  void note_spawned(const Command& command, ecs::Entity entity, std::uint8_t ordinal);
  // Takes the handle of a client's next entity and creates it.
  ecs::Entity create_local();

  template <StepAccess T>
  static T& access(ecs::Pool& pool, std::uint32_t position) {
    if constexpr (!std::is_const_v<T>) pool.mark_changed(position);
    return *pool.typed_address<T>(position);
  }
  template <class Function, class... Components>
  static void call(Function& function, ecs::Entity entity, Components&... components) {
    if constexpr (std::is_invocable_v<Function&, ecs::Entity, Components&...>) {
      function(entity, components...);
    } else {
      function(components...);
    }
  }

  const StepContext& context_;
  ecs::Tick tick_;
};

template <StepAccess T>
ecs::Pool& PredictedWorld::pool() {
  ecs::Pool& found = context_.registry->pool<std::remove_const_t<T>>();
  if constexpr (!PredictedComponent<std::remove_const_t<T>>) context_.types->check_readable(found);
  return found;
}

template <StepAccess... Components, class Function>
void PredictedWorld::each(Function&& function) {
  static_assert(sizeof...(Components) > 0, "an iteration names its components");
  const std::array<ecs::Pool*, sizeof...(Components)> pools{&pool<Components>()...};
  std::array<std::uint32_t, sizeof...(Components)> positions{};
  Gathered gathered(*context_.scratch);
  gather(**std::ranges::min_element(pools, {}, &ecs::Pool::size), gathered);
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    const ecs::Entity entity = gathered.at(i);
    if (!steps(entity)) continue;
    std::ranges::transform(pools, positions.begin(), [&](const ecs::Pool* pool) { return pool->find(entity.index); });
    if (std::ranges::find(positions, ecs::Pool::none) != positions.end()) continue;
    [&]<std::size_t... at>(std::index_sequence<at...> /*columns*/) {
      call(function, entity, access<Components>(*pools[at], positions[at])...);
    }(std::index_sequence_for<Components...>());
  }
}

template <StepAccess... Components, class Function>
  requires(std::is_const_v<Components> && ...)
void PredictedWorld::each_visible(Function&& function) {
  static_assert(sizeof...(Components) > 0, "an iteration names its components");
  const std::array<const ecs::Pool*, sizeof...(Components)> pools{&pool<Components>()...};
  Gathered gathered(*context_.scratch);
  gather(**std::ranges::min_element(pools, {}, &ecs::Pool::size), gathered);
  if (const ecs::PoolId mirrored = mirrored_pool(*pools[0]); mirrored != ecs::no_pool)
    gather_visible(context_.visible->pool(mirrored), gathered);
  gathered.close();
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    const ecs::Entity entity = gathered.at(i);
    const auto visit = [&](auto*... found) {
      if ((found && ...)) call(function, entity, *found...);
    };
    visit(try_get<Components>(entity)...);
  }
}

template <StepAccess T>
T* PredictedWorld::try_get(ecs::Entity entity) {
  pool<T>();
  if (steps(entity)) return context_.registry->try_get<T>(entity);
  if constexpr (std::is_const_v<T>) {
    if (is_mirrored(entity)) return context_.visible->try_get<T>(entity);
  }
  return nullptr;
}

template <PredictedComponent... Components>
ecs::Entity PredictedWorld::spawn(const Command& command, Components... components) {
  const std::uint8_t ordinal = next_ordinal(command);
  const engine::SpawnKey key{.tick = tick_, .player = command.player, .command = command.number, .ordinal = ordinal};
  const bool local = context_.stepped != nullptr;
  const ecs::Entity entity = local ? create_local() : context_.registry->create(components..., key);
  if (!entity) return entity;
  if (local) {
    (context_.registry->add(entity, std::move(components)), ...);
    context_.registry->add(entity, key);
  }
  note_spawned(command, entity, ordinal);
  return entity;
}

}  // namespace mobula::prediction
