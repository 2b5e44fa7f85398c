// A mirror for fuzz_delta, and deltas that it accepts. The same on every run.
#pragma once

#include <client/mirrored_world.hpp>

namespace mobula::test {

struct MirrorState {
  MirroredWorld world{3};
  core::Bytes first;  // the first delta, which is long acknowledged
  core::Bytes next;   // the next delta: entities move, change, spawn and despawn
  core::Bytes after;  // the delta after that
};

inline const MirrorState& mirror_state() {
  static const std::unique_ptr<const MirrorState> state = [] {
    auto made = std::make_unique<MirrorState>();
    MirroredWorld& mirrored = made->world;
    std::vector<ecs::Entity> movers;
    for (int i = 0; i < 3; ++i) movers.push_back(mirrored.world.registry.create());
    for (const ecs::Entity mover : movers) mirrored.world.registry.add<engine::Transform>(mover);
    const auto change = [&] {
      mirrored.world.changes(12);
      for (const ecs::Entity mover : movers) mirrored.world.registry.get<engine::Transform>(mover).position.x += 0.3f;
    };
    for (int tick = 0; tick < 8; ++tick) {
      change();
      const core::Bytes delta = mirrored.replicate();
      if (tick == 0) made->first = delta;
    }
    mirrored.view.remove_visible(std::vector<std::uint32_t>{mirrored.view.visible().front()});
    change();
    made->next = mirrored.delta();
    change();
    made->after = mirrored.delta();
    return made;
  }();
  return *state;
}

}  // namespace mobula::test
