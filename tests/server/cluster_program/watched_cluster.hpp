// A map of two zones whose nodes are stand-ins, in a controlled cluster.
#pragma once

#include <cluster/map_watch.hpp>
#include <optional>
#include <server/cluster_program/controlled_cluster.hpp>
#include <server/cluster_program/stand_in_node.hpp>

namespace mobula::test {

struct WatchedCluster : ControlledCluster {
  WatchedCluster() {
    cluster.store.commit({.puts = {{"c/maps/land", R"({"zones": [{"name": "w", "x": [null, 0]},
        {"name": "e", "x": [0, null]}]})"}}});
    add_key_of_node("a", {.game = "game", .admin = west.url(), .worlds_max = 4});
    add_key_of_node("b", {.game = "game", .admin = east->url(), .worlds_max = 4});
    add_open_world("land.w", "a", {"udp:127.0.0.1:7777"});
    add_open_world("land.e", "b", {"udp:127.0.0.1:7778"});
    run(core::second);
  }
  // Lets real time pass until a condition holds.
  template <class Condition>
  bool wait(Condition condition) {
    const core::Nanoseconds end = core::monotonic_now() + 10 * core::second;
    while (core::monotonic_now() < end) {
      if (condition()) return true;
      events.run_until(core::monotonic_now() + core::millisecond);
      control.update(pump());
    }
    return false;
  }

  StandInNode west{5};
  std::optional<StandInNode> east{std::in_place, 7};
};

}  // namespace mobula::test
