// The mirror that fuzz_delta feeds, and deltas that it can take: the same on every run.
#pragma once

#include <client/mirrored_world.hpp>

namespace mobula::test {

struct MirrorState {
  MirroredWorld told{3};
  core::Bytes first;  // the first delta of all, which came long ago
  core::Bytes next;   // what it will be told next: things that move, change, appear and go
  core::Bytes after;  // and after that
};

inline const MirrorState& mirror_state() {
  static const std::unique_ptr<const MirrorState> state = [] {
    auto made = std::make_unique<MirrorState>();
    MirroredWorld& told = made->told;
    std::vector<ecs::Entity> movers;
    for (int i = 0; i < 3; ++i) movers.push_back(told.world.registry.create());
    for (const ecs::Entity mover : movers) told.world.registry.add<engine::Transform>(mover);
    const auto change = [&] {
      told.world.changes(12);
      for (const ecs::Entity mover : movers) told.world.registry.get<engine::Transform>(mover).position.x += 0.3f;
    };
    for (int tick = 0; tick < 8; ++tick) {
      change();
      const core::Bytes delta = told.replicate();
      if (tick == 0) made->first = delta;
    }
    told.view.remove_visible(std::vector<std::uint32_t>{told.view.visible().front()});
    change();
    made->next = told.delta();
    change();
    made->after = told.delta();
    return made;
  }();
  return *state;
}

}  // namespace mobula::test
