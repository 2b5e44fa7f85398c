// Checks published courses against the true values: within the tolerance while these change, exact once they stand
// still.
#pragma once

#include <mobula/server/session/server.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mobula::sim {

class CourseOracle {
 public:
  // Called when a server starts.
  void begin() { truths_.clear(); }
  // Called after each tick of the server, which was tick `now`.
  void note(server::Server& server, ecs::Tick now);
  // Checks a row that the server published in tick `now`: its words, and the component with the true values.
  [[nodiscard]] std::optional<std::string> check(const wire::RowCodec& codec, const std::uint32_t* row,
                                                 ecs::PoolId pool, std::uint32_t index, core::ByteView component,
                                                 ecs::Tick now) const;

 private:
  struct Truth {
    ecs::Entity entity;
    std::uint64_t hash = 0;
    ecs::Tick written = 0;  // last tick in which the component changed
  };

  std::vector<std::vector<Truth>> truths_;  // by pool, by index
};

}  // namespace mobula::sim
