// Oracle of turns: whatever time the ticks have, clients that play are sent a delta in each tick, and newcomers come
// in. It looks at the sessions after each tick, and knows nothing of budgets.
//
//   - a client that plays and has arrived has a delta of this tick, if its pipe takes it
//   - no newcomer is served before one that connected earlier and has had fewer turns than a newcomer keeps its place
//   - a newcomer with something to receive or to send waits for at most as many ticks as the others' turns can take
#pragma once

#include <map>
#include <mobula/server/session/server.hpp>
#include <optional>
#include <string>
#include <tuple>

namespace mobula::sim {

class Turns {
 public:
  // Called after each tick of the server. `output` is the server's.
  std::optional<std::string> check(server::Server& server, const transport::Output& output);

 private:
  struct Wait {
    std::uint32_t ticks = 0;
    std::uint32_t others = 0;  // the most at a time
  };
  // Slot and generation of the connection, and whether it waits for its admission: that queue is another one.
  using Key = std::tuple<std::uint32_t, std::uint32_t, bool>;

  std::optional<std::string> check_order(server::Server& server, const transport::Output& output, ecs::Tick tick);

  core::Nanoseconds last_turn_ = 0;
  std::map<Key, Wait> waits_;
};

}  // namespace mobula::sim
