// The state that fuzz_delta decodes against, and the delta that tells all of it: the same on every run.
#pragma once

#include <memory>
#include <wire/delta_world.hpp>

namespace mobula::wire::test {

struct MirrorState {
  std::unique_ptr<World> server = std::make_unique<World>(ecs::Recycling::queue);
  core::Bytes everything;
};

inline const MirrorState& mirror_state() {
  static const MirrorState state = [] {
    MirrorState made;
    World& server = *made.server;
    core::Random random(1);
    std::vector<ecs::Entity> alive;
    for (int i = 0; i < 400; ++i) change_something(server, alive, random);
    server.publish();
    made.everything.resize(16 * 1024);
    DeltaWriter writer(made.everything, server.registry, server.rows);
    for (std::uint32_t index = 0; index < server.rows.index_end(); ++index)
      if (server.rows.entity(index).entity)
        writer.spawn(server.rows.entity(index), server.rows.entity(index).prototype);
    write_header({.sequence = 1, .tick = 1, .entities = writer.entities(), .complete = true}, made.everything);
    made.everything.resize(writer.size());
    return made;
  }();
  return state;
}

}  // namespace mobula::wire::test
