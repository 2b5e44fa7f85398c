// Which past a game rewinds, and what its clients may claim about it.
#pragma once

#include <mobula/core/clock.hpp>
#include <string>
#include <vector>

namespace mobula::server {

struct RewindConfig {
  /// Component types whose past is kept. With Transform belong Parent, and whatever else a judgement reads.
  std::vector<std::string> components{"Transform", "Parent"};
  /// Component types that mark the entities whose past is kept, such as those that can be hit. If empty, it is all
  /// entities with a kept component. Entities without a mark are not known in a rewound picture, and nor are those
  /// below them.
  std::vector<std::string> marks{};
  /// How long the past is kept. Commands that run late need more than view_age_max.
  core::Nanoseconds window = 650 * core::millisecond;
  /// Longest time from the view of a command to its tick. With 20 ticks per second, a round trip of 150 ms and 5% loss
  /// fewer than one in a thousand views are older.
  core::Nanoseconds view_age_max = 550 * core::millisecond;
  /// Time by which a claim may be further back than the path and the client's usual view explain.
  core::Nanoseconds claim_slack = 100 * core::millisecond;
};

}  // namespace mobula::server
