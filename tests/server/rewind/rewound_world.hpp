// A random world that keeps its past, a client on a bad path, and commands that arrive later than they were given. The
// reference is what the client's own Interpolation drew.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/server/rewind/past_pictures.hpp>
#include <server/replica.hpp>
#include <set>

namespace mobula::test {

// Pictures of all entities that a client drew when it gave a command.
struct DrawnPicture {
  ecs::Tick given = 0;
  double view = 0;
  wire::SeenDeltas seen;
  wire::InputDatagram input;
  struct OfEntity {
    bool shown = false;
    bool stale = false;
    bool spawned = false;
    std::map<ecs::PoolId, core::Bytes> components;  // by pool of the server
    std::optional<hierarchy::WorldTransform> world;
  };
  std::map<ecs::Entity, OfEntity> entities;
};

class RewoundWorld {
 public:
  static constexpr ecs::Tick kept_ticks = 24;

  // The past is kept of entities with a mark, or of all.
  RewoundWorld(std::uint64_t seed, std::shared_ptr<const reflect::Schema> schema, std::uint32_t loss,
               std::uint32_t delay, std::span<const core::StringId32> marks = {})
      : world(seed, std::move(schema)) {
    std::vector<core::StringId32> all;
    for (const reflect::Component& component : world.schema->components())
      if (!component.not_sent) all.push_back(component.id);
    published().keep_past(all, kept_ticks, marks);
    world.changes(60);
    replica.emplace(world, loss, delay);
    // Those of a stale entity continue as the client likes.
    replica->client.mirror->set_view_tick(0);
  }

  server::Published& published() { return world.publisher.published(); }
  client::Mirror& mirror() { return *replica->client.mirror; }
  server::ShadowMirror& shadow() { return *replica->view.shadow(); }

  // Runs a tick: changes, a publication, deltas. Some entities leave the view and return, and change their owner.
  void tick(std::uint32_t changes) {
    world.changes(changes);
    move_all();
    for (const ecs::Entity entity : world.alive) ever.insert(entity);
    changed = world.publish();
    published().forget_past(world.registry.tick());
    look_around();
    replica->tick(400, 300);
    world.end_tick();
  }

  // The client draws a picture and gives a command. Views never go back.
  void give_command() {
    if (mirror().tick() == 0) return;
    const double newest = mirror().tick();
    delay_ = std::clamp(delay_ + world.random.uniform(-1, 1), 0.0, 6.0);
    last_view_ = std::max(last_view_, std::floor(std::max(newest - delay_, 1.0) * 256) / 256);
    mirror().set_view_tick(last_view_);
    if (world.random.chance(1, 3)) return;
    DrawnPicture picture{.given = world.registry.tick(),
                         .view = last_view_,
                         .seen = replica->client.seen(),
                         .input = replica->client.input(),
                         .entities = {}};
    for (const ecs::Entity entity : ever) picture.entities[entity] = draw(entity, last_view_);
    commands.push_back(std::move(picture));
  }

  RandomWorld world;
  std::optional<Replica> replica;
  std::set<ecs::Entity> ever;
  std::deque<DrawnPicture> commands;
  std::span<const std::uint32_t> changed;
  bool leaves = true;   // entities go out of view
  bool returns = true;  // entities come into view

 private:
  // Motion that courses follow, with kicks, jumps and parents.
  void move_all() {
    ecs::Registry& registry = world.registry;
    for (const ecs::Entity entity : world.alive) {
      if (!registry.has<engine::Transform>(entity) || entity.index % 3 == 0) continue;
      engine::Transform& transform = registry.get<engine::Transform>(entity);
      transform.position.y += 0.05f * static_cast<float>(entity.index % 7);
      if (world.random.chance(1, 12)) transform.position.z += world.random.uniform(-2, 2);
      if (world.random.chance(1, 20)) {
        const float w = world.random.uniform(-1, 1);
        transform.rotation = {.x = 0, .y = std::sqrt(1 - w * w), .z = 0, .w = w};
      }
      if (world.random.chance(1, 40)) cut(entity);
      if (world.random.chance(1, 30)) set_parent(entity);
    }
  }
  void cut(ecs::Entity entity) {
    if (!world.registry.has<engine::Cuts>(entity)) world.registry.add<engine::Cuts>(entity);
    ++world.registry.get<engine::Cuts>(entity).count;
    world.registry.get<engine::Transform>(entity).position.x += 30;
  }
  void set_parent(ecs::Entity entity) {
    if (world.registry.has<engine::Parent>(entity) && world.random.chance(1, 2))
      return world.registry.remove<engine::Parent>(entity);
    if (!world.registry.has<engine::Parent>(entity)) world.registry.add<engine::Parent>(entity);
    const ecs::Entity parent = world.alive[world.random.below(static_cast<std::uint32_t>(world.alive.size()))];
    world.registry.get<engine::Parent>(entity).entity = {parent.index, parent.generation};
  }
  void look_around() {
    server::ClientView& view = replica->view;
    view.note_published();
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> leaving;
    for (const std::uint32_t index : view.visible()) {
      seen.insert(index);
      if (leaves && world.random.chance(1, 60)) leaving.push_back(index);
    }
    view.remove_visible(leaving);
    if (world.random.chance(1, 10))
      view.update_owners([&](std::uint32_t index) { return (index * 7 + world.registry.tick() / 10) % 5 == 0; });
    for (std::uint32_t index = 0; index < published().index_end(); ++index)
      if (returns && !seen.contains(index) && published().entity(index).entity && world.random.chance(1, 3))
        view.add_visible(index, (index * 7 + world.registry.tick() / 10) % 5 == 0);
  }
  DrawnPicture::OfEntity draw(ecs::Entity entity, double view) {
    DrawnPicture::OfEntity drawn;
    if (!mirror().registry().valid(entity)) return drawn;
    const client::Interpolation pictures(mirror());
    drawn.shown = true;
    drawn.stale = mirror().is_stale(entity);
    drawn.spawned = pictures.is_there(entity, view);
    drawn.world = client::sample_world(mirror(), entity, view);
    for (ecs::PoolId pool = 0; pool < world.registry.pool_count(); ++pool) {
      const ecs::Pool& of_server = world.registry.pool(pool);
      const ecs::PoolId mirrored = mirror().registry().find_pool(of_server.type().id, of_server.instance());
      core::Bytes component(of_server.type().size);
      if (mirrored != ecs::no_pool && pictures.sample(entity, mirrored, view, component.data()))
        drawn.components[pool] = std::move(component);
    }
    return drawn;
  }

  double delay_ = 2;
  double last_view_ = 0;
};

}  // namespace mobula::test
