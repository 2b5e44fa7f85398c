// A mirror for fuzz_delta, and deltas that it accepts. The same on every run.
#pragma once

#include <client/mirrored_world.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::test {

struct MirrorState {
  // Movers follow courses. The client owns one of them, and receives its exact values.
  MirroredWorld world{3, load_predicted_game_schema()};
  core::Bytes first;  // the first delta, which is long acknowledged
  core::Bytes next;   // the next delta: entities move, change, spawn, despawn, stop and continue out of view
  core::Bytes after;  // the delta after that
};

inline const MirrorState& mirror_state() {
  static const std::unique_ptr<const MirrorState> state = [] {
    auto made = std::make_unique<MirrorState>();
    MirroredWorld& mirrored = made->world;
    std::vector<ecs::Entity> movers;
    for (int i = 0; i < 4; ++i) movers.push_back(mirrored.world.registry.create());
    for (const ecs::Entity mover : movers) mirrored.world.registry.add<engine::Transform>(mover);
    const auto change = [&] {
      mirrored.world.changes(12);
      for (const ecs::Entity mover : movers) mirrored.world.registry.get<engine::Transform>(mover).position.x += 0.3f;
    };
    for (int tick = 0; tick < 8; ++tick) {
      change();
      const core::Bytes delta = mirrored.replicate();
      if (tick == 0) made->first = delta;
      mirrored.view.update_owners([&](std::uint32_t index) { return index == movers[1].index; });
    }
    std::vector<std::uint32_t> leaving;
    for (const std::uint32_t index : mirrored.view.visible())
      if (index == movers[2].index || index == movers[3].index) leaving.push_back(index);
    mirrored.view.remove_visible(leaving, std::span(leaving).last(1));
    change();
    made->next = mirrored.delta();
    change();
    made->after = mirrored.delta();
    return made;
  }();
  return *state;
}

}  // namespace mobula::test
