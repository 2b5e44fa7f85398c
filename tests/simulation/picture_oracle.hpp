// Checks what clients would draw between ticks, against a reference model: the places of the courses that the server
// published, apart by cut.
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
  // positions of its published courses, below the same parent and between the same cuts.
  [[nodiscard]] std::optional<std::string> check(const client::Mirror& mirror, ecs::Entity entity) const;

 private:
  // Two positions must share this for another to be drawn between them.
  struct Place {
    std::optional<engine::Parent> parent;
    std::optional<engine::Cuts> cuts;
    bool operator==(const Place&) const = default;
  };
  struct Pose {
    ecs::Tick since = 0;
    std::vector<std::uint32_t> row;  // words of the Transform
    Place place;
  };

  wire::CourseUnit path_;                                       // that of positions
  std::unordered_map<std::uint64_t, std::vector<Pose>> poses_;  // by handle
};

}  // namespace mobula::sim
