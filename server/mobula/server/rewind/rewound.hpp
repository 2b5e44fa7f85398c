// The past as one client saw it when it gave a command. A const view: nothing in the world is moved.
//
// The pose of an entity equals, bit for bit, that of the client's Interpolation at the moment of the command's view. It
// is drawn from the deltas that the client had received by then. The client draws all entities at that moment, and has
// called Mirror::set_view_tick with a moment that is not later.
//
// The player's own entity is not rewound, nor is what exclude() names: they have their present values. Valid until the
// end of the tick, and until the next view of the same player.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mobula/ecs/registry.hpp>
#include <mobula/server/rewind/hit_shape.hpp>
#include <mobula/server/rewind/seen.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace mobula::server {

class PastBounds;
class PastPictures;
class Published;
class ShadowMirror;
struct RewindWorkspace;

class Rewound {
 public:
  struct Hit {
    ecs::Entity entity;
    float distance = 0;
    hierarchy::WorldTransform pose;
  };
  /// Parts of a view. All but the moment outlive it.
  struct Parts {
    const ecs::Registry& registry;
    Published& published;
    ShadowMirror& shadow;
    const PastBounds& bounds;
    RewindWorkspace& work;
    double moment;  // in ticks
    ecs::Tick tick;
    ecs::Entity shooter;  // null if the player has no entity
  };

  explicit Rewound(const Parts& parts);

  /// Returns the moment, in ticks: that of the command's view.
  [[nodiscard]] double moment() const { return parts_.moment; }
  /// Returns the ticks from the moment to the present one. A rule such as "favour the victim" decides by it.
  [[nodiscard]] double age() const { return static_cast<double>(parts_.tick) - parts_.moment; }
  /// Returns the number of entities that the last query tested exactly.
  [[nodiscard]] std::size_t tested() const;
  /// Leaves an entity in the present, as the player's own. At most 16 with that one. An entity that is there already
  /// counts once.
  void exclude(ecs::Entity entity);

  /// Returns what the client had of an entity.
  [[nodiscard]] Seen seen(ecs::Entity entity);
  /// Returns whether an entity was shown.
  [[nodiscard]] bool was_alive(ecs::Entity entity) {
    const Seen then = seen(entity);
    return then == Seen::alive || then == Seen::present;
  }
  /// Returns a component whose past is kept. Nothing if the entity did not have it, or if that is not known.
  template <ecs::SchemaComponent T>
  std::optional<T> get(ecs::Entity entity, std::string_view instance = T::component_name) {
    T component{};
    const ecs::PoolId pool = parts_.registry.find_pool(core::StringId32(T::component_name), core::StringId32(instance));
    if (pool == ecs::no_pool || !read(entity, pool, reinterpret_cast<std::byte*>(&component), sizeof(T)))
      return std::nullopt;
    return component;
  }
  /// Returns place and rotation in the world.
  [[nodiscard]] std::optional<hierarchy::WorldTransform> world(ecs::Entity entity);
  /// Calls function(entity, components…) for each entity that was shown and had all of these components, in an order
  /// that depends on the commands alone.
  template <ecs::SchemaComponent... Components, class Function>
  void each(Function&& function) {
    each_shown([&](ecs::Entity entity) {
      if (!was_alive(entity)) return;
      const std::tuple<std::optional<Components>...> all{get<Components>(entity)...};
      if ((std::get<std::optional<Components>>(all).has_value() && ...))
        function(entity, *std::get<std::optional<Components>>(all)...);
    });
  }

  /// Returns the first entity that a ray hits, of those that were shown; the present ones are left out.
  /// shape(entity) gives an entity's HitShape, or nothing if it cannot be hit; none of them reaches further than
  /// `reach` from its entity's place. Functions may make other queries. A ray that is none (hit_shape.hpp) hits
  /// nothing.
  template <class Shape>
  std::optional<Hit> ray(const Ray& ray, float reach, Shape&& shape) {
    std::optional<Hit> first;
    if (!is_ray(ray)) return first;
    const Candidates all(*this, ray, reach);
    for (const ecs::Entity entity : all.list()) {
      const std::optional<HitShape> of_entity = shape(entity);
      if (!of_entity || !was_shown(entity)) continue;
      const std::optional<hierarchy::WorldTransform> pose = world(entity);
      const std::optional<float> distance = pose ? hit(ray, *of_entity, *pose) : std::nullopt;
      if (distance && (!first || is_before(*distance, entity, *first))) first = Hit{entity, *distance, *pose};
    }
    return first;
  }
  /// Calls function(entity, pose, distance) for each entity whose shape is within a radius, as ray() does.
  template <class Shape, class Function>
  void within(const engine::Vec3& centre, float radius, float reach, Shape&& shape, Function&& function) {
    if (!is_finite(centre)) return;
    const Candidates all(*this, centre, radius + reach);
    for (const ecs::Entity entity : all.list()) {
      const std::optional<HitShape> of_entity = shape(entity);
      if (!of_entity || !was_shown(entity)) continue;
      const std::optional<hierarchy::WorldTransform> pose = world(entity);
      const float away = pose ? distance(centre, *of_entity, *pose) : radius + 1;
      if (away <= radius) function(entity, *pose, away);
    }
  }

 private:
  static constexpr std::size_t excluded_max = 16;

  [[nodiscard]] bool is_present(ecs::Entity entity) const;
  [[nodiscard]] bool was_shown(ecs::Entity entity) { return !is_present(entity) && seen(entity) == Seen::alive; }
  bool read(ecs::Entity entity, ecs::PoolId pool, std::byte* component, std::size_t size);
  void each_shown(const std::function<void(ecs::Entity entity)>& visit) const;
  // Entities that the bounds found, and those not within them. Takes the list out of the workspace, for queries within
  // one.
  class Candidates {
   public:
    Candidates(Rewound& past, const Ray& ray, float reach);
    Candidates(Rewound& past, const engine::Vec3& centre, float reach);
    ~Candidates();
    Candidates(const Candidates&) = delete;
    Candidates& operator=(const Candidates&) = delete;

    [[nodiscard]] std::span<const ecs::Entity> list() const { return list_; }

   private:
    Rewound& past_;
    std::vector<ecs::Entity> list_;
  };

  void check_tick() const;
  PastPictures& pictures();
  void find_candidates();
  void find_unbounded();
  [[nodiscard]] bool is_bounded(std::uint32_t index, ecs::Tick state, bool owner) const;
  static bool is_before(float distance, ecs::Entity entity, const Hit& other) {
    return distance != other.distance ? distance < other.distance : entity < other.entity;
  }

  Parts parts_;
  std::uint64_t number_;  // names this view in the workspace
  std::array<ecs::Entity, excluded_max> present_{};
  std::size_t present_count_ = 0;
};

}  // namespace mobula::server
