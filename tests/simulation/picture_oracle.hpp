// Checks what clients would draw between ticks, against a reference model: the places that each entity really had,
// apart by cut.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/session/server.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace mobula::sim {

class PictureOracle {
 public:
  // Called when a server starts.
  void begin() { poses_.clear(); }
  // Called after each tick of the server, which was tick `now`.
  void note(server::Server& server, ecs::Tick now);
  // Checks an entity at some moments before the mirror's newest tick. Whatever was lost, a drawn position lies between
  // positions that the entity had below the same parent and between the same cuts.
  [[nodiscard]] std::optional<std::string> check(const client::Mirror& mirror, ecs::Entity entity) const;

 private:
  struct Pose {
    engine::Vec3 position;
    std::optional<engine::Parent> parent;
    std::optional<engine::Cuts> cuts;
  };
  [[nodiscard]] static std::optional<Pose> drawn(const client::Mirror& mirror, ecs::Entity entity, double view_tick);

  std::unordered_map<std::uint64_t, std::vector<Pose>> poses_;  // by handle
};

}  // namespace mobula::sim
