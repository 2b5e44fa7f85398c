#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/wire/row_codec.hpp>
#include <simulation/picture_oracle.hpp>
#include <utility>

namespace mobula::sim {
namespace {

constexpr double drawn_tolerance = 0.004;  // two steps

std::uint64_t pose_key(ecs::Entity entity) { return std::uint64_t{entity.generation} << 32 | entity.index; }

template <class Component>
std::optional<Component> copied(const ecs::Registry& registry, ecs::Entity entity) {
  const auto* const there = registry.try_get<const Component>(entity);
  return there == nullptr ? std::nullopt : std::optional(*there);
}

// Returns a coordinate of a published course.
double coordinate_at(const wire::CourseUnit& path, std::span<const std::uint32_t> row, std::uint32_t axis,
                     ecs::Tick tick) {
  const ecs::Tick age = wire::course_age(path, row.data(), tick);
  const double steps = static_cast<double>(wire::path_at(path, row.data(), axis, age)) / wire::course_fraction;
  return path.quantisers[axis].value_between(steps);
}

// Returns the words of an entity's Transform.
std::vector<std::uint32_t> transform_row(server::Published& published, std::uint32_t index, ecs::PoolId transforms) {
  const ecs::PrototypeTable& prototypes = published.registry().prototypes();
  std::vector<std::uint32_t> words(published.codecs().entity(published.entity(index).prototype).words);
  published.words_now(index, words.data());
  const std::uint32_t* row = words.data();
  for (const ecs::PoolId pool : prototypes.pools(published.entity(index).prototype)) {
    const std::uint32_t count = published.codecs().row(pool)->words();
    if (pool == transforms) return {row, row + count};
    row += count;
  }
  return {};
}

// Returns the tick of the newest former state that the client received as the entity's owner. It is an exact value
// without a course, so it is drawn until a later state with a cut.
ecs::Tick last_tick_as_owner(const client::Mirror& mirror, ecs::Entity entity) {
  ecs::Tick last = ~0u;
  if (const client::MirroredEntity* const known = mirror.state().find(entity))
    for (const client::FormerStates& former : known->former_states)
      if (former.owner) last = former.versions.newest().tick;
  return last;
}

}  // namespace

void PictureOracle::note(server::Server& server, ecs::Tick now) {
  server::Published& published = server.published();
  ecs::Registry& registry = server.world().registry();
  const ecs::PoolId transforms = registry.pool_of<engine::Transform>();
  path_ = published.codecs().row(transforms)->courses().front();
  for (std::uint32_t index = 0; index < published.index_end(); ++index) {
    const ecs::Entity entity = published.entity(index).entity;
    if (!entity || std::max(published.changed(index, true), published.changed(index, false)) != now) continue;
    std::vector<std::uint32_t> row = transform_row(published, index, transforms);
    if (row.empty()) continue;
    poses_[pose_key(entity)].push_back(
        {now, std::move(row), {copied<engine::Parent>(registry, entity), copied<engine::Cuts>(registry, entity)}});
  }
}

std::optional<std::string> PictureOracle::check(const client::Mirror& mirror, ecs::Entity entity) const {
  const auto had = poses_.find(pose_key(entity));
  if (had == poses_.end()) return std::nullopt;
  for (const double age : {0.25, 1.5, 3.75}) {
    const double view_tick = static_cast<double>(mirror.tick()) - age;
    const auto shown = client::sample<engine::Transform>(mirror, entity, view_tick);
    if (!shown) continue;
    const Place place{client::sample<engine::Parent>(mirror, entity, view_tick),
                      client::sample<engine::Cuts>(mirror, entity, view_tick)};
    // A state that follows the moment may be the only one that the client has.
    const auto shown_tick = static_cast<ecs::Tick>(std::max(view_tick, 0.0));
    const ecs::Tick first = std::min(shown_tick, last_tick_as_owner(mirror, entity));
    const ecs::Tick last = std::max(shown_tick + 1, mirror.tick_of(entity));
    const std::array<float, 3> at{shown->position.x, shown->position.y, shown->position.z};
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      double low = 1e9;
      double high = -1e9;
      for (const Pose& pose : had->second) {
        if (pose.place != place) continue;
        for (ecs::Tick tick = first; tick <= last; ++tick) {
          const double coordinate = coordinate_at(path_, pose.row, axis, std::max(pose.since, tick));
          low = std::min(low, coordinate);
          high = std::max(high, coordinate);
        }
      }
      const auto drawn = static_cast<double>(at[axis]);
      if (!(drawn >= low - drawn_tolerance && drawn <= high + drawn_tolerance))
        return "entity " + to_string(entity) + " is drawn where it never was " + std::to_string(age) +
               " ticks before tick " + std::to_string(mirror.tick()) + ": at " + std::to_string(drawn) + " on axis " +
               std::to_string(axis);
    }
  }
  return std::nullopt;
}

}  // namespace mobula::sim
